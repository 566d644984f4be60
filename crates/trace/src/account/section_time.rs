// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of each interrupt and softirq, by name.
use super::columns::Row;
use crate::event::{Name, Section};

/// At most this many names, more than any machine has. Further names, as in a hostile recording, are added up as "others".
const SECTIONS_MAX: usize = 1_024;

#[derive(Clone, Debug)]
pub(super) struct SectionTime {
    pub(super) section: Section,
    pub(super) count: u64,
    /// Time of the section without the interrupts nested in it.
    pub(super) ns: u64,
    pub(super) longest_ns: u64,
    pub(super) row: Row,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sections {
    pub(super) all: Vec<SectionTime>,
    /// Index of the last interrupt and of the last softirq, because the next one often has the same name.
    last: [usize; 2],
}

impl Sections {
    #[inline(always)]
    pub(super) fn of(&mut self, section: Section) -> &mut SectionTime {
        let kind = usize::from(matches!(section, Section::Softirq(_)));
        if self.all.get(self.last[kind]).is_none_or(|known| known.section != section) {
            self.find(kind, section);
        }
        &mut self.all[self.last[kind]]
    }

    #[inline(never)]
    fn find(&mut self, kind: usize, section: Section) {
        let known = self.all.iter().position(|known| known.section == section);
        self.last[kind] = known.unwrap_or_else(|| self.new_one(section));
    }

    #[cold]
    fn new_one(&mut self, section: Section) -> usize {
        if self.all.len() >= SECTIONS_MAX {
            return SECTIONS_MAX - 1;
        }
        let full = self.all.len() == SECTIONS_MAX - 1;
        let section = if full { Section::Interrupt(Name::new(b"others")) } else { section };
        self.all.push(SectionTime { section, count: 0, ns: 0, longest_ns: 0, row: Row::default() });
        self.all.len() - 1
    }
}
