// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine whose settings are read and changed, and its measured CPU.
use backwall_model::units::ranges::{listed, ranges};
use backwall_os::machine::MachineFiles;
use backwall_os::threads::{self, Thread};
use std::ops::{Deref, RangeInclusive};
use std::path::Path;

const MOST_PROCESSORS: u32 = 8192;

#[derive(Clone, Debug)]
pub struct Machine {
    files: MachineFiles,
    pub cpu: u32,
    watched: Vec<Thread>,
    priority: Option<u32>,
}

impl Machine {
    pub fn this(cpu: u32) -> Self {
        Self { files: MachineFiles::this_with_debugfs(), cpu, watched: Vec::new(), priority: None }
    }

    pub fn under(root: &Path, cpu: u32) -> Self {
        Self { files: MachineFiles::under(root), cpu, watched: Vec::new(), priority: None }
    }

    /// The same machine with a measured application, whose own settings are tried too. `priority` is the real-time priority from
    /// its recipe.
    pub fn watching(self, threads: Vec<Thread>, priority: Option<u32>) -> Self {
        Self { watched: threads, priority, ..self }
    }

    /// The application's real-time priority, if its recipe gives one.
    pub fn priority(&self) -> Option<u32> {
        self.priority
    }

    /// The threads of the measured application; empty if the loop is backwall's own.
    pub fn watched(&self) -> &[Thread] {
        &self.watched
    }

    pub fn threads(&self) -> Vec<Thread> {
        threads::all_under(&self.place("/proc"))
    }

    pub fn online(&self) -> Vec<u32> {
        processors(&self.read("/sys/devices/system/cpu/online").unwrap_or_default())
    }

    /// The online CPUs except the measured one, as the kernel lists them; `None` if there is no other CPU.
    pub fn others(&self) -> Option<String> {
        let others: Vec<u32> = self.online().into_iter().filter(|cpu| *cpu != self.cpu).collect();
        (!others.is_empty()).then(|| listed(others.into_iter()))
    }
}

impl Deref for Machine {
    type Target = MachineFiles;

    fn deref(&self) -> &MachineFiles {
        &self.files
    }
}

/// The CPUs in a kernel list, in order: `0-2,5`. Parts that cannot be parsed are ignored.
pub fn processors(list: &str) -> Vec<u32> {
    let known = |range: RangeInclusive<u32>| *range.start()..=(*range.end()).min(MOST_PROCESSORS);
    let mut all: Vec<u32> = ranges(list).flat_map(known).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_ranges_and_single_numbers() {
        assert_eq!(processors("5,0-2"), [0, 1, 2, 5]);
        assert!(processors("(null)").is_empty());
        assert!(processors("3-1").is_empty());
        assert_eq!(processors("0-4294967295").len(), MOST_PROCESSORS as usize + 1);
    }
}
