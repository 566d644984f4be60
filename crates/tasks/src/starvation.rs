// SPDX-License-Identifier: MIT OR Apache-2.0
//! How busy a set keeps each CPU. If real-time threads never leave a CPU, everything else on it starves.
use super::handed::RunnableSet;
use std::collections::BTreeMap;

/// Length of the examined intervals: the kernel's default `sched_rt_period_us`.
pub const STRETCH_NS: u64 = 1_000_000_000;
/// The longest time within such an interval that real-time threads may use without `--allow-starvation`: the kernel's default
/// `sched_rt_runtime_us`.
pub const MOST_NS: u64 = 950_000_000;

/// For each CPU with fixed-priority tasks, the most time that they use within any such interval.
pub fn busiest(set: &RunnableSet) -> BTreeMap<u32, u64> {
    let mut jobs: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
    let fixed = set.tasks.iter().filter(|task| task.scheduling.priority().is_some());
    for (cpu, task) in fixed.filter_map(|task| task.cpu.map(|cpu| (cpu, task))) {
        let of_task = task.releases.iter().map(|release| (release.arrival_ns, task.computation_ns));
        jobs.entry(cpu).or_default().extend(of_task);
    }
    jobs.into_iter().map(|(cpu, jobs)| (cpu, most_in_a_stretch(&busy(jobs, set.end_ns)))).collect()
}

/// Busy periods of a CPU, which do not depend on priorities. Turns (arrival, computation) into (begin, end), in order of time.
fn busy(mut jobs: Vec<(u64, u64)>, end_ns: u64) -> Vec<(u64, u64)> {
    jobs.sort_unstable();
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (arrival_ns, computation_ns) in jobs {
        match found.last_mut() {
            Some((_, end)) if arrival_ns <= *end => *end = end.saturating_add(computation_ns),
            _ => found.push((arrival_ns, arrival_ns.saturating_add(computation_ns))),
        }
    }
    found.iter().map(|(begin, end)| (*begin, (*end).min(end_ns))).collect()
}

fn most_in_a_stretch(busy: &[(u64, u64)]) -> u64 {
    let (mut most, mut total, mut last) = (0, 0, 0);
    for (first, (begin, _)) in busy.iter().enumerate() {
        let end_ns = begin.saturating_add(STRETCH_NS);
        while last < busy.len() && busy[last].0 < end_ns {
            total += busy[last].1.saturating_sub(busy[last].0);
            last += 1;
        }
        most = most.max(total - busy[last - 1].1.saturating_sub(end_ns));
        total -= busy[first].1.saturating_sub(busy[first].0);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_waits_keeps_the_processor_busy_until_it_is_done() {
        assert_eq!(busy(vec![(10, 5), (0, 8), (12, 4), (40, 3)], 100), [(0, 8), (10, 19), (40, 43)]);
        assert_eq!(busy(vec![(0, 500)], 100), [(0, 100)], "the rest is given up");
    }

    #[test]
    fn the_busiest_stretch_is_found_wherever_it_begins() {
        let ms = |ms: u64| ms * 1_000_000;
        assert_eq!(most_in_a_stretch(&[(0, ms(700))]), ms(700));
        assert_eq!(most_in_a_stretch(&[(0, ms(3_000))]), ms(1_000));
        assert_eq!(most_in_a_stretch(&[(0, ms(100)), (ms(500), ms(1_100)), (ms(1_200), ms(1_900))]), ms(900));
        assert_eq!(most_in_a_stretch(&[]), 0);
    }
}
