// SPDX-License-Identifier: MIT OR Apache-2.0
//! When events were lost, and on which CPUs. A thread's state is compared with the losses when the state is next needed, not at
//! each loss.
//!
//! A loss lasts from a CPU's last event before it to the first event after it. Both ends are numbered.

/// The losses of a recording; their starts and ends are numbered together, from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    count: u64,
    /// For each CPU, the number of the last start or end of a loss; 0 if there was none.
    last: Vec<u64>,
    dark: Vec<bool>,
    dark_count: usize,
}

impl Losses {
    /// The loss of this CPU's events begins or ends.
    pub(super) fn add(&mut self, cpu: u32, begins: bool) {
        let cpu = cpu as usize;
        if self.last.len() <= cpu {
            self.last.resize(cpu + 1, 0);
            self.dark.resize(cpu + 1, false);
        }
        self.count += 1;
        self.last[cpu] = self.count;
        match (std::mem::replace(&mut self.dark[cpu], begins), begins) {
            (false, true) => self.dark_count += 1,
            (true, false) => self.dark_count -= 1,
            _ => {}
        }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether events of some CPU are being lost: a thread whose CPU is unknown may be on that CPU.
    #[inline(always)]
    pub(super) fn is_dark(&self) -> bool {
        self.dark_count > 0
    }

    /// Whether a loss after number `count` may concern a thread on this CPU, or on an unknown one.
    pub(super) fn concern(&self, count: u64, on: Option<u32>) -> bool {
        match on {
            Some(cpu) => self.last.get(cpu as usize).is_some_and(|last| *last > count),
            None => self.is_dark() || self.count > count,
        }
    }
}

#[cfg(test)]
mod tests;
