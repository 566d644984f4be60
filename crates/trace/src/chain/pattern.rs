// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which threads, interrupts or devices a word of a specification means.
use crate::event::{Name, Thread};
use std::fmt;

/// Length of a thread's name in the kernel.
const NAME_BYTES: usize = 15;

/// A name with `*` for any letters, or a thread's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A thread's number, or an interrupt's.
    Number(i32),
    /// A name; the parts between its stars.
    Name(String),
}

impl Pattern {
    /// From a word without quotes.
    pub fn new(word: &str) -> Self {
        match word.parse() {
            Ok(number) if number > 0 => Self::Number(number),
            _ => Self::Name(word.to_string()),
        }
    }

    /// Whether it matches several names.
    pub fn has_star(&self) -> bool {
        matches!(self, Self::Name(name) if name.contains('*'))
    }

    /// Whether it means this thread.
    pub fn has_thread(&self, thread: &Thread) -> bool {
        match self {
            Self::Number(number) => thread.id == *number,
            Self::Name(name) => fits(name, &thread.name),
        }
    }

    /// Whether it matches this name of an interrupt, device or system call.
    pub fn has_name(&self, name: &Name) -> bool {
        match self {
            Self::Number(number) => name.is_shown_as(&number.to_string()),
            Self::Name(pattern) => fits(pattern, name),
        }
    }
}

fn fits(pattern: &str, name: &Name) -> bool {
    if !pattern.contains('*') {
        return name.is_shown_as(pattern) || is_cut(pattern, name);
    }
    glob(pattern, &name.to_string())
}

fn is_cut(pattern: &str, name: &Name) -> bool {
    pattern.len() > NAME_BYTES && pattern.get(..NAME_BYTES).is_some_and(|begin| name.is_shown_as(begin))
}

/// Whether a text matches the pattern; `*` stands for any letters.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = pattern.contains('*').then(|| parts.next_back()).flatten() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, text, fits) in [
            ("irq/*-can0", "irq/41-can0", true),
            ("irq/*-can0", "irq/41-can1", false),
            ("data-loop.*", "data-loop.0", true),
            ("*", "", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("servo", "servo", true),
            ("servo", "servo2", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_long_name_means_what_the_kernel_keeps_of_it() {
        let cut = Name::new(b"controller_of_t");
        assert!(Pattern::new("controller_of_the_rig").has_name(&cut));
        assert!(!Pattern::new("controller_of").has_name(&cut));
    }

    #[test]
    fn a_number_means_the_thread_of_that_number() {
        let thread = Thread { id: 41, priority: 10, name: Name::new(b"41x") };
        assert!(Pattern::new("41").has_thread(&thread) && !Pattern::new("42").has_thread(&thread));
    }
}
