// SPDX-License-Identifier: MIT OR Apache-2.0
//! For each event name: how often the event was read, and how to read its rows.
use super::text_fields::{Reading, must_be_read, reading};
use std::collections::BTreeMap;

/// At most this many names are counted separately; further names are counted together.
const NAMES_MAX: usize = 4_096;

#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) reading: Reading,
    pub(super) must_be_read: bool,
}

impl Kind {
    fn of(event: &str) -> Self {
        Self { reading: reading(event), must_be_read: must_be_read(event) }
    }
}

#[derive(Default)]
pub(super) struct Counts {
    first: Vec<(String, Kind, u64)>,
    rest: BTreeMap<String, u64>,
}

impl Counts {
    const FIRST: usize = 16;

    #[inline]
    pub(super) fn add(&mut self, event: &str) -> Kind {
        match self.first.iter_mut().find(|(name, ..)| name == event) {
            Some((_, kind, count)) => {
                *count += 1;
                *kind
            }
            None => self.add_rare(event),
        }
    }

    #[cold]
    fn add_rare(&mut self, event: &str) -> Kind {
        let kind = Kind::of(event);
        if self.first.len() < Self::FIRST {
            self.first.push((event.to_string(), kind, 1));
        } else if let Some(count) = self.rest.get_mut(event) {
            *count += 1;
        } else {
            let event = if self.rest.len() < NAMES_MAX { event } else { "other events" };
            *self.rest.entry(event.to_string()).or_insert(0) += 1;
        }
        kind
    }

    pub(super) fn all(mut self) -> BTreeMap<String, u64> {
        for (event, _, count) in self.first {
            *self.rest.entry(event).or_insert(0) += count;
        }
        self.rest
    }
}
