// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's counters of a ring: the text of `per_cpu/cpuN/stats`.

/// Counters of events that were overwritten unread, or refused.
pub const LOST: [&str; 3] = ["overrun", "commit overrun", "dropped events"];

/// Number of events that a ring lost.
pub fn lost_in(statistics: &str) -> u64 {
    sum_in(statistics, &LOST)
}

/// The sum of these counters.
pub fn sum_in(statistics: &str, names: &[&str]) -> u64 {
    let rows = statistics.lines().filter_map(|row| row.split_once(':'));
    let wanted = rows.filter(|(name, _)| names.contains(&name.trim()));
    wanted.filter_map(|(_, count)| count.trim().parse::<u64>().ok()).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_the_sum_of_the_counters_that_are_named() {
        let text = "entries: 5\noverrun: 7\ncommit overrun: 1\nbytes: 99\ndropped events: 2\nread events: 4\n";
        assert_eq!(lost_in(text), 10);
        assert_eq!(sum_in(text, &["commit overrun", "dropped events"]), 3);
    }
}
