// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interrupts for other tools' formats, where they have numbers, and each end must match a start.
use crate::event::Name;
use std::collections::BTreeMap;

const NAMES_MAX: usize = 4_096;
const DEPTH_MAX: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Interrupts {
    numbers: BTreeMap<String, u32>,
    open: BTreeMap<u32, Vec<u32>>,
}

impl Interrupts {
    pub(super) fn enter(&mut self, cpu: u32, name: Name) -> (u32, String) {
        let name = name.to_string();
        let number = self.number(&name);
        let open = self.open.entry(cpu).or_default();
        open.truncate(DEPTH_MAX - 1);
        open.push(number);
        (number, name)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let next = self.numbers.len();
        if next < NAMES_MAX {
            self.numbers.insert(name.to_string(), next as u32);
        }
        next as u32
    }

    /// The innermost interrupt ends; returns its number, or `None` if it has no start.
    pub(super) fn leave(&mut self, cpu: u32) -> Option<u32> {
        self.open.get_mut(&cpu)?.pop()
    }

    pub(super) fn forget(&mut self, cpu: u32) {
        self.open.remove(&cpu);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_interrupt_keeps_its_number_however_many_others_come() {
        let mut interrupts = Interrupts::default();
        let mut number = |name: &str| {
            let number = interrupts.enter(0, Name::new(name.as_bytes())).0;
            assert_eq!(interrupts.leave(0), Some(number), "{name}");
            number
        };
        let first = number("eth0");
        for other in 1..NAMES_MAX {
            assert_eq!(number(&format!("irq{other}")), other as u32);
        }
        assert_eq!(
            [number("one more"), number("eth0"), number("another")],
            [NAMES_MAX as u32, first, NAMES_MAX as u32]
        );
    }
}
