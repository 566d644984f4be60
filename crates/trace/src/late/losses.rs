// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often events were lost, and when last on each processor, so that what depends on it is looked at when it is needed and
//! not at each loss.

/// The losses of a recording, numbered from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    count: u64,
    /// By processor the number of its last loss; 0 where it had none.
    last: Vec<u64>,
}

impl Losses {
    /// Events of this processor were lost.
    pub(super) fn add(&mut self, cpu: u32) {
        let cpu = cpu as usize;
        if self.last.len() <= cpu {
            self.last.resize(cpu + 1, 0);
        }
        self.count += 1;
        self.last[cpu] = self.count;
    }

    /// How many there were.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether this processor had one since there had been `count` of them, or any had where none is named.
    pub(super) fn since(&self, count: u64, cpu: Option<u32>) -> bool {
        let last = cpu.map_or(self.count, |cpu| self.last.get(cpu as usize).copied().unwrap_or(0));
        last > count
    }
}
