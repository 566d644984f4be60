// SPDX-License-Identifier: MIT OR Apache-2.0
//! How user programs, the kernel and a hypervisor share the CPUs' time each second. The figures come from the scheduler's ticks
//! in `/proc/stat`, not from the trace.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, reads the clock")]
use std::time::{Duration, Instant};

// A shorter time has too few ticks to compute shares from.
const EVERY: Duration = Duration::from_secs(1);
/// Columns of the row `cpu`, in ticks of 10 ms since boot (proc_stat(5)).
const USER: usize = 0;
const NICE: usize = 1;
const SYSTEM: usize = 2;
const IDLE: usize = 3;
const IO_WAIT: usize = 4;
const INTERRUPTS: usize = 5;
const SOFTIRQS: usize = 6;
pub(crate) const STEAL: usize = 7;

pub(crate) const BUSY: [usize; 5] = [USER, NICE, SYSTEM, INTERRUPTS, SOFTIRQS];

/// Ticks since boot, summed over all CPUs; `None` if unreadable.
pub(crate) fn ticks() -> Option<[u64; 8]> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?)
}

fn parse(stat: &str) -> Option<[u64; 8]> {
    let mut numbers = stat.lines().find(|row| row.starts_with("cpu "))?.split_whitespace().skip(1);
    let mut ticks = [0; 8];
    ticks.iter_mut().try_for_each(|tick| numbers.next()?.parse().ok().map(|number| *tick = number))?;
    Some(ticks)
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CpuSplit {
    last: Option<(Instant, [u64; 8])>,
    words: Option<String>,
}

impl CpuSplit {
    /// The shares in words; `None` in the first second and if `/proc/stat` is unreadable.
    pub(crate) fn words(&mut self) -> Option<String> {
        let now = Instant::now();
        if self.last.is_some_and(|(at, _)| now.duration_since(at) < EVERY) {
            return self.words.clone();
        }
        let ticks = ticks()?;
        self.words = self.last.and_then(|(_, before)| told(&before, &ticks)).or(self.words.take());
        self.last = Some((now, ticks));
        self.words.clone()
    }
}

/// The shares of the ticks between two readings. They sum to 100 %, except for rounding.
fn told(before: &[u64; 8], after: &[u64; 8]) -> Option<String> {
    let of =
        |places: &[usize]| -> u64 { places.iter().map(|place| after[*place].saturating_sub(before[*place])).sum() };
    let parts = [
        ("threads", of(&[USER, NICE, SYSTEM])),
        ("interrupts", of(&[INTERRUPTS])),
        ("softirqs", of(&[SOFTIRQS])),
        ("stolen", of(&[STEAL])),
        ("idle", of(&[IDLE, IO_WAIT])),
    ];
    let whole: u64 = parts.iter().map(|(_, ticks)| ticks).sum();
    let part = |(name, ticks): &(&str, u64)| format!("{name} {:.0} %", 100.0 * *ticks as f64 / whole as f64);
    (whole > 0).then(|| format!("CPUs: {}", parts.iter().map(part).collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_all_processors_is_read_or_nothing() {
        let row = "cpu  1 2 3 4 5 6 7 42 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(parse(row), Some([1, 2, 3, 4, 5, 6, 7, 42]));
        assert_eq!((parse("cpu  1 2 3 4\n"), parse("cpu0 1 2 3 4 5 6 7 8\n"), parse("")), (None, None, None));
    }

    #[test]
    fn every_tick_of_the_last_second_is_somebodys() {
        let after = [110, 5, 35, 1_040, 10, 2, 8, 30];
        let words = told(&[100, 0, 20, 1_000, 0, 0, 0, 20], &after).unwrap();
        assert_eq!(words, "CPUs: threads 30 %, interrupts 2 %, softirqs 8 %, stolen 10 %, idle 50 %");
        assert_eq!(told(&after, &after), None);
    }

    #[test]
    fn nothing_is_told_before_a_second_has_passed() {
        let mut split = CpuSplit::default();
        assert_eq!((split.words(), split.words()), (None, None));
    }
}
