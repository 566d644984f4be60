// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which other programs used the CPUs in a phase without load, and how much. Without this warning, the reader would think that
//! the machine was idle.
#![expect(clippy::disallowed_methods, reason = "reads files")]
use crate::conditions::split::{self, BUSY};
use backwall_model::Warning;
use backwall_os::threads;
use std::collections::BTreeMap;
use std::path::Path;

/// If other programs use at least this percentage of the CPU time, the machine does not count as idle.
const LEAST_PERCENT: f64 = 10.0;
/// A phase with fewer ticks is too short to compute a percentage.
const LEAST_TICKS: u64 = 50;
const NAMED: usize = 3;
/// kthreadd, the parent of all kernel threads.
const KERNELS: i32 = 2;

#[derive(Debug)]
pub struct Busy {
    ticks: [u64; 8],
    programs: BTreeMap<i32, Program>,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) ticks: u64,
    pub(crate) is_ours: bool,
    /// A kernel thread: nobody can end it.
    pub(crate) is_kernels: bool,
    /// The CPU on which the program last ran.
    pub(crate) cpu: u32,
}

impl Busy {
    /// Reads the counters at the start of a phase; `None` if the kernel does not provide them.
    pub fn begin() -> Option<Self> {
        Some(Self { ticks: split::ticks()?, programs: programs(Path::new("/proc")) })
    }

    pub fn warning(&self) -> Option<Warning> {
        told(self, &Self::begin()?)
    }
}

fn told(before: &Busy, after: &Busy) -> Option<Warning> {
    let since = |places: &[usize]| -> u64 {
        places.iter().map(|place| after.ticks[*place].saturating_sub(before.ticks[*place])).sum()
    };
    let (busy, whole) = (since(&BUSY), since(&[0, 1, 2, 3, 4, 5, 6, 7]));
    let used = |(id, program): (&i32, &Program)| {
        let known = before.programs.get(id).filter(|known| known.name == program.name).map_or(0, |known| known.ticks);
        program.ticks.saturating_sub(known)
    };
    let ours: u64 = after.programs.iter().filter(|(_, program)| program.is_ours).map(used).sum();
    let share = 100.0 * busy.saturating_sub(ours) as f64 / whole.max(1) as f64;
    if whole < LEAST_TICKS || share < LEAST_PERCENT {
        return None;
    }
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for (id, program) in after.programs.iter().filter(|(_, program)| !program.is_ours && !program.is_kernels) {
        *by_name.entry(&program.name).or_default() += used((id, program));
    }
    let mut named: Vec<(&str, u64)> = by_name.into_iter().filter(|(_, ticks)| *ticks > 0).collect();
    named.sort_by_key(|(_, ticks)| std::cmp::Reverse(*ticks));
    let names: Vec<&str> = named.iter().take(NAMED).map(|(name, _)| *name).collect();
    let names = if names.is_empty() { "programs that have ended, or the kernel".to_string() } else { names.join(", ") };
    let said = format!("other programs used {share:.0} % of the CPU time ({names})");
    Some(Warning::new("busy", said).mended_by("end them and repeat"))
}

/// Every process with its CPU time and its CPU (proc_pid_stat(5), utime, stime and processor).
pub(crate) fn programs(proc: &Path) -> BTreeMap<i32, Program> {
    let own = std::process::id() as i32;
    let one = |(id, folder): (i32, std::path::PathBuf)| {
        let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
        let (head, rest) = stat.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let parent = fields.get(1)?.parse();
        let (is_ours, is_kernels) = (id == own || parent == Ok(own), id == KERNELS || parent == Ok(KERNELS));
        let cpu = number(36)?.try_into().ok()?;
        Some((id, Program { name: name.to_string(), ticks: number(11)? + number(12)?, is_ours, is_kernels, cpu }))
    };
    threads::numbered(proc).filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(ticks: [u64; 8], programs: &[(i32, &str, u64, bool)]) -> Busy {
        let one = |(id, name, ticks, is_ours): &(i32, &str, u64, bool)| {
            (*id, Program { name: name.to_string(), ticks: *ticks, is_ours: *is_ours, is_kernels: false, cpu: 0 })
        };
        Busy { ticks, programs: programs.iter().map(one).collect() }
    }

    #[test]
    fn a_busy_machine_is_told_with_the_programs_that_used_it_most() {
        let before = busy([0; 8], &[(1, "rustc", 100, false)]);
        let after = |idle| {
            busy(
                [150, 0, 40, idle, 0, 0, 0, 0],
                &[(1, "rustc", 220, false), (2, "qemu", 60, false), (3, "backwall", 10, true), (4, "sh", 0, false)],
            )
        };
        let said = told(&before, &after(110)).unwrap().text;
        assert_eq!(said, "other programs used 60 % of the CPU time (rustc, qemu)");
        assert_eq!(told(&before, &after(10_000)), None, "2 % is idle");
        assert_eq!(told(&before, &busy([20, 0, 0, 0, 0, 0, 0, 0], &[])), None, "too short to tell");
        let ours = busy([90, 0, 0, 10, 0, 0, 0, 0], &[(3, "backwall", 85, true)]);
        assert_eq!(told(&before, &ours), None, "what backwall uses is no other program");
    }

    #[test]
    fn this_process_is_among_the_programs_and_ours() {
        let all = programs(Path::new("/proc"));
        assert!(all[&(std::process::id() as i32)].is_ours && all.len() > 1);
    }
}
