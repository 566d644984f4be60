// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which threads, interrupts or devices a word in a chain stands for.
use crate::event::{MarkText, Name, Thread};
use std::fmt;

/// The kernel cuts thread names to 15 bytes.
const NAME_BYTES: usize = 15;

/// A name in which `*` stands for any letters, a number, or threads of a process by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The number of a thread or of an interrupt.
    Number(i32),
    /// A name, perhaps with stars.
    Name(String),
    /// A thread of a process, written as `812/worker`.
    Of {
        /// The process.
        process: i32,
        /// The thread's name.
        name: String,
        /// Numbers of the process's threads, because events do not name the process.
        threads: Vec<i32>,
    },
}

impl Pattern {
    /// Reads an unquoted word.
    pub fn new(word: &str) -> Self {
        let number = |text: &str| text.parse().ok().filter(|number: &i32| *number > 0);
        let of = word.split_once('/').and_then(|(process, name)| Some((number(process)?, name)));
        match (number(word), of) {
            (Some(number), _) => Self::Number(number),
            (_, Some((process, name))) if !name.is_empty() => {
                Self::Of { process, name: name.to_string(), threads: Vec::new() }
            }
            _ => Self::Name(word.to_string()),
        }
    }

    /// Whether the pattern contains a star, so that it may match several names.
    pub fn has_star(&self) -> bool {
        matches!(self, Self::Name(name) if name.contains('*'))
    }

    /// Whether the pattern matches this thread.
    pub fn has_thread(&self, thread: &Thread) -> bool {
        match self {
            Self::Number(number) => thread.id == *number,
            Self::Name(name) => fits(name, &thread.name),
            Self::Of { name, threads, .. } => threads.contains(&thread.id) && fits(name, &thread.name),
        }
    }

    /// Whether the pattern matches this name of an interrupt, device or system call.
    pub fn has_name(&self, name: &Name) -> bool {
        match self {
            Self::Number(number) => name.is_shown_as(&number.to_string()),
            Self::Name(pattern) => fits(pattern, name),
            Self::Of { .. } => name.is_shown_as(&self.to_string()),
        }
    }

    /// Whether the pattern matches a text in `trace_marker`. Only the text's first [`MarkText::BYTES`] bytes are compared.
    pub fn has_mark(&self, mark: &MarkText) -> bool {
        let wanted = self.to_string();
        let cut = wanted.get(..MarkText::BYTES).unwrap_or(&wanted);
        glob(cut, &mark.to_string())
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

/// Whether a text matches the pattern; `*` matches any characters.
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
            Self::Of { process, name, .. } => write!(f, "{process}/{name}"),
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
    fn a_thread_of_a_process_means_the_threads_that_were_looked_up() {
        let thread = |id, name: &[u8]| Thread { id, priority: 10, name: Name::new(name) };
        let Pattern::Of { process: 812, name, .. } = Pattern::new("812/worker") else { panic!("no process") };
        let found = Pattern::Of { process: 812, name, threads: vec![814, 815] };
        assert!(found.has_thread(&thread(815, b"worker")) && !found.has_thread(&thread(814, b"other")));
        assert!(!found.has_thread(&thread(9, b"worker")));
        assert_eq!(
            (found.to_string().as_str(), Pattern::new("irq/41-x")),
            ("812/worker", Pattern::Name("irq/41-x".into()))
        );
    }

    #[test]
    fn a_mark_is_a_text_or_a_pattern() {
        let mark = MarkText::new(b"frame 12\n");
        assert!(Pattern::new("frame*").has_mark(&mark) && Pattern::new("frame 12").has_mark(&mark));
        assert!(!Pattern::new("frame").has_mark(&mark));
    }

    #[test]
    fn a_number_means_the_thread_of_that_number() {
        let thread = Thread { id: 41, priority: 10, name: Name::new(b"41x") };
        assert!(Pattern::new("41").has_thread(&thread) && !Pattern::new("42").has_thread(&thread));
    }
}
