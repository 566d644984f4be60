// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of kernel functions, small enough to pass by value, and a cache to find them by address.
use crate::event::symbols::Symbols;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A kernel function by name. Names are kept until the program ends, which costs little: only late responses name functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(&'static str);

/// The kernel's names are no longer than this (`KSYM_NAME_LEN`).
const LETTERS_MAX: usize = 512;

impl Function {
    /// The function with this name. Control characters are replaced, and the name is cut at 512 letters.
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

    /// The function's name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// Finds the functions of one kernel by address. Every expiring timer needs its function's name, but a kernel has few timer
/// functions, so found names are cached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    symbols: Option<Arc<Symbols>>,
    asked: Box<[Asked]>,
}

type Asked = OnceLock<(u64, Option<Function>)>;

/// Slots of the cache; a power of two.
const PLACES: usize = 256;
/// At most this many slots are tried for an address. If all are taken, each lookup searches the symbols.
const LOOKED_AT: usize = 4;

impl Functions {
    pub(crate) fn of(symbols: Arc<Symbols>) -> Self {
        Self { symbols: Some(symbols), asked: (0..PLACES).map(|_| OnceLock::new()).collect() }
    }

    pub(crate) fn symbols(&self) -> Option<&Symbols> {
        self.symbols.as_deref()
    }

    #[inline]
    pub(crate) fn named(&self, address: u64) -> Option<Function> {
        let symbols = self.symbols()?;
        let search = || (address, symbols.name(address).map(Function::named));
        // Functions are aligned to 16 bytes, so the low four bits say nothing.
        let first = (address >> 4) as usize;
        let mut places = (first..first + LOOKED_AT).map(|place| self.asked[place % PLACES].get_or_init(search));
        places.find(|(of, _)| *of == address).map_or_else(|| search().1, |(_, function)| *function)
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

    #[test]
    fn a_function_has_its_name_whether_it_was_asked_for_before_and_when_all_places_are_taken() {
        let address = |number: u64| 0xffff_ffff_8100_0000 + number * 16;
        let text: String = (0..2_000).map(|number| format!("{:x} t f{number}\n", address(number))).collect();
        let functions = Functions::of(Arc::new(Symbols::parse(&text)));
        for _ in 0..2 {
            for number in 0..2_000 {
                let named = functions.named(address(number)).map(Function::name);
                assert_eq!(named, Some(format!("f{number}").as_str()));
            }
        }
        assert_eq!((functions.named(0x10), Functions::default().named(address(1))), (None, None));
    }
}
