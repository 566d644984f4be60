// SPDX-License-Identifier: MIT OR Apache-2.0
//! The name of a kernel's function, small enough to be passed on as a value.
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A function by its name. Every name is kept once, for as long as the program runs: a kernel has so many and no more, and
/// only those are kept that a late response is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(&'static str);

/// No name of a kernel is longer (`KSYM_NAME_LEN`).
const LETTERS_MAX: usize = 512;

impl Function {
    /// By its name, of which control characters and what no kernel would have are no part.
    pub fn named(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return Self(known);
        }
        let clean: String =
            name.chars().take(LETTERS_MAX).map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        let kept: &'static str = match names.get(clean.as_str()) {
            Some(known) => known,
            None => Box::leak(clean.into_boxed_str()),
        };
        names.insert(kept);
        Self(kept)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once_and_shown_without_control_characters() {
        let twice = [Function::named("rmqueue"), Function::named(&String::from("rmqueue"))];
        assert!(std::ptr::eq(twice[0].name(), twice[1].name()));
        assert_eq!(Function::named("a\x1b[31m\n").to_string(), "a?[31m?");
        assert_eq!(Function::named(&"x".repeat(9_000)).name().len(), LETTERS_MAX);
    }
}
