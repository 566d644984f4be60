// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the followed thread was on another CPU, which is not recorded.
use crate::event::{Event, Stamped};
use backwall_model::{Moved, Warning};

const KEPT: usize = 64;

#[derive(Clone, Debug)]
pub struct Away {
    thread: i32,
    cpu: u32,
    spells: Vec<Spell>,
    count: u64,
    gone: bool,
}

#[derive(Clone, Copy, Debug)]
struct Spell {
    from_ns: u64,
    to_ns: u64,
    cpu: u32,
}

impl Away {
    pub fn new(thread: i32, cpu: u32) -> Self {
        Self { thread, cpu, spells: Vec::new(), count: 0, gone: false }
    }

    #[inline(always)]
    pub fn push(&mut self, stamped: &Stamped) {
        match stamped.event {
            Event::Migrate { thread, to } if thread == self.thread && to != self.cpu => self.left(stamped.at_ns, to),
            _ if self.gone && stamped.thread == self.thread => self.back(stamped.at_ns),
            _ => {}
        }
    }

    fn left(&mut self, at_ns: u64, cpu: u32) {
        self.count += 1;
        self.gone = true;
        if self.spells.len() < KEPT {
            self.spells.push(Spell { from_ns: at_ns, to_ns: u64::MAX, cpu });
        }
    }

    fn back(&mut self, at_ns: u64) {
        self.gone = false;
        if let Some(spell) = self.spells.last_mut().filter(|spell| spell.to_ns == u64::MAX) {
            spell.to_ns = at_ns;
        }
    }

    /// The move that explains why the recording lacks a part of this window.
    pub fn moved(&self, from_ns: u64, to_ns: u64) -> Option<Moved> {
        let spell = self.spells.iter().find(|spell| spell.from_ns < to_ns && from_ns < spell.to_ns)?;
        Some(Moved { from: self.cpu, to: spell.cpu })
    }

    pub fn warning(&self) -> Option<Warning> {
        let to = self.spells.first()?.cpu;
        let times = if self.count == 1 { String::new() } else { format!(" ({} times)", self.count) };
        let from = self.cpu;
        let said =
            format!("the probe was moved from CPU {from} to CPU {to}{times}: its responses there have no stages");
        Some(Warning::new("probe-moved", said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_ns: u64, thread: i32, event: Event) -> Stamped {
        Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
    }

    #[test]
    fn a_window_that_touches_an_absence_has_a_reason() {
        let mut away = Away::new(7, 1);
        away.push(&at(50, 7, Event::SleepEnd));
        away.push(&at(90, 3, Event::Migrate { thread: 8, to: 0 }));
        assert_eq!(away.warning(), None);
        away.push(&at(100, 3, Event::Migrate { thread: 7, to: 0 }));
        away.push(&at(150, 3, Event::SleepEnd));
        away.push(&at(200, 7, Event::SleepEnd));
        assert!(away.moved(60, 101) == Some(Moved { from: 1, to: 0 }));
        assert!(away.moved(150, 160).is_some());
        assert_eq!((away.moved(60, 100), away.moved(200, 300)), (None, None));
        assert!(away.warning().unwrap().text.starts_with("the probe was moved from CPU 1 to CPU 0: "));
    }
}
