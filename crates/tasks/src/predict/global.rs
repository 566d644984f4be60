// SPDX-License-Identifier: MIT OR Apache-2.0
//! Earliest deadline first on several CPUs that share all tasks: sufficient tests, and how late a job can be at most.
//!
//! ```text
//! Goossens, Funk and Baruah 2003, with densities
//! sum of C / min(D, T) <= m - (m - 1) max of C / min(D, T)
//! Baker 2003, deadlines within periods: for every k, with l = C_k / D_k
//! sum over i of min(1, U_i (1 + (T_i - D_i) / D_k) + max(0, C_i - l T_i) / D_k) <= m - (m - 1) l
//! Bertogna, Cirinei and Lipari 2005, deadlines within periods: for every k
//! sum over i != k of min(N C_i + min(C_i, max(0, D_k - N T_i)), D_k - C_k) < m (D_k - C_k),  N = floor((D_k - D_i) / T_i) + 1
//! Devi and Anderson 2005, deadlines that are the periods: no job is later than
//! ((m - 1) C_max - C_min) / (m - (m - 2) U_max) + C_max
//! ```
//!
//! If a test passes, every deadline is met; if it does not, that proves nothing. Shares are rounded so that rounding never makes
//! a test pass.
use super::answer::Verdict;
use super::arrival::Arrival;
use super::overhead::job_ns;
use super::supply::Supply;
use super::task::{Costs, Processor, Task, Urgency};
use super::utilization::Share;
use serde::Serialize;

/// The number that stands for a share of 1. The product of two such numbers fits into 128 bits.
const WHOLE: u128 = 1 << 60;

/// Maximum number of series for tests that compare all pairs; they then take about a second.
const MOST_EACH_WITH_EACH: usize = 2_000;

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// Every deadline is met.
    Passes,
    /// The test proves neither that deadlines are met nor that one is missed.
    Nothing,
    /// The test requires deadlines within the periods.
    DoesNotApply,
    /// The test compares all pairs of series, and there are too many.
    NotTried,
}

/// A test and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Test {
    /// Who published the test.
    pub by: &'static str,
    /// The test's answer.
    pub says: Says,
}

/// The result for tasks that share several CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Every test.
    pub tests: Vec<Test>,
    /// Whether all deadlines are met.
    pub verdict: Verdict,
    /// How long after its deadline a job can end at most, in nanoseconds; `None` if unbounded.
    pub latest_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    cost: u64,
    period: u64,
    deadline: u64,
}

impl Job {
    fn shortest(&self) -> u64 {
        self.period.min(self.deadline)
    }
}

/// Processors that share all tasks.
#[derive(Clone, Debug)]
pub struct Shared {
    jobs: Vec<Job>,
    count: u128,
}

impl Shared {
    /// The tasks of `processor` on `count` CPUs. Fails if the tests do not apply to them.
    pub fn of(processor: &Processor, count: u32) -> Result<Self, &'static str> {
        not_about(processor).map_or(Ok(()), Err)?;
        let job = |task: &Task| Job {
            cost: job_ns(processor, task),
            period: task.arrival.distance_ns(),
            deadline: task.deadline_ns,
        };
        Ok(Self { jobs: processor.tasks.iter().map(job).collect(), count: u128::from(count) })
    }

    /// The results of all tests.
    pub fn answer(&self) -> Answer {
        let says = |passes: bool| if passes { Says::Passes } else { Says::Nothing };
        let within = self.jobs.iter().all(|job| job.deadline <= job.period);
        let constrained = |passes: fn(&Self) -> bool| match within {
            false => Says::DoesNotApply,
            true if self.jobs.len() > MOST_EACH_WITH_EACH => Says::NotTried,
            true => says(passes(self)),
        };
        let tests = vec![
            Test { by: "one CPU for each", says: says(self.has_one_each()) },
            Test { by: "Goossens, Funk and Baruah", says: says(self.goossens_funk_baruah()) },
            Test { by: "Baker", says: constrained(Self::baker) },
            Test { by: "Bertogna, Cirinei and Lipari", says: constrained(Self::bertogna_cirinei_lipari) },
        ];
        let passes = tests.iter().any(|test| test.says == Says::Passes);
        let verdict = match (passes, self.certainly_missed()) {
            (true, _) => Verdict::Met,
            (false, true) => Verdict::Missed,
            (false, false) => Verdict::Unknown,
        };
        let latest_ns = if passes { Some(0) } else { self.latest_ns() };
        Answer { tests, verdict, latest_ns }
    }

    fn total(&self) -> Share {
        self.jobs.iter().map(|job| Share::of(job.cost, job.period)).sum()
    }

    fn certainly_missed(&self) -> bool {
        let all = u64::try_from(self.count).unwrap_or(u64::MAX);
        self.jobs.iter().any(|job| job.cost > job.deadline) || self.total().exceeds(Share::of(all, 1))
    }

    /// Whether the total utilization fits on the CPUs, computed in exact fractions, or conservatively if these overflow.
    fn fits(&self) -> bool {
        let add = |(over, under): (u128, u128), job: &Job| {
            let (cost, period) = (u128::from(job.cost), u128::from(job.period));
            let sum = over.checked_mul(period)?.checked_add(cost.checked_mul(under)?)?;
            let under = under.checked_mul(period)?;
            let shared = divisor(sum, under);
            Some((sum / shared, under / shared))
        };
        match self.jobs.iter().try_fold((0, 1), add) {
            Some((over, under)) => over.div_ceil(under) <= self.count,
            None => !self.total().may_exceed(Share::of(u64::try_from(self.count).unwrap_or(u64::MAX), 1)),
        }
    }

    /// If there is a CPU for each task, no task waits, provided that each job ends before the next job of its task.
    fn has_one_each(&self) -> bool {
        self.jobs.len() as u128 <= self.count && self.jobs.iter().all(|job| job.cost <= job.shortest())
    }

    fn goossens_funk_baruah(&self) -> bool {
        let densities = || self.jobs.iter().map(|job| part(job.cost.into(), job.shortest().into()));
        let (total, largest) = (densities().sum::<u128>(), densities().max().unwrap_or(0));
        self.jobs.iter().all(|job| job.cost <= job.shortest())
            && total + (self.count - 1) * largest <= self.count * WHOLE
    }

    fn baker(&self) -> bool {
        let holds = |k: &Job| {
            let total: u128 = self.jobs.iter().map(|i| carried(i, k)).sum();
            k.cost <= k.deadline
                && total + (self.count - 1) * part(k.cost.into(), k.deadline.into()) <= self.count * WHOLE
        };
        self.jobs.iter().all(holds)
    }

    fn bertogna_cirinei_lipari(&self) -> bool {
        let holds = |(place, k): (usize, &Job)| {
            let Some(slack) = k.deadline.checked_sub(k.cost) else { return false };
            let others = self.jobs.iter().enumerate().filter(|(other, _)| *other != place);
            let total: u128 = others.map(|(_, i)| in_the_way(i, k).min(u128::from(slack))).sum();
            total < self.count * u128::from(slack)
        };
        self.jobs.iter().enumerate().all(holds)
    }

    /// The bound on lateness, rounded up to a nanosecond. It exists only if deadlines equal periods and the total utilization
    /// fits.
    fn latest_ns(&self) -> Option<u64> {
        let plain = |job: &Job| job.deadline == job.period && job.cost <= job.period;
        if !self.jobs.iter().all(plain) || !self.fits() {
            return None;
        }
        let costs = || self.jobs.iter().map(|job| u128::from(job.cost));
        let (most, least) = (costs().max()?, costs().min()?);
        let busiest = self.jobs.iter().max_by(|one, other| {
            let cross = |one: &Job, other: &Job| u128::from(one.cost) * u128::from(other.period);
            cross(one, other).cmp(&cross(other, one))
        })?;
        let (cost, period) = (u128::from(busiest.cost), u128::from(busiest.period));
        let left = ((self.count - 1) * most).saturating_sub(least);
        let capacity = self.count * period - self.count.saturating_sub(2) * cost;
        u64::try_from((left * period).div_ceil(capacity) + most).ok()
    }
}

/// Baker's share of `i` in a window that ends at a deadline of `k` and is at least as dense as `k`. Deadlines must be within
/// periods.
fn carried(i: &Job, k: &Job) -> u128 {
    let [cost, period, deadline] = [i.cost, i.period, i.deadline].map(u128::from);
    let [cost_of_k, deadline_of_k] = [k.cost, k.deadline].map(u128::from);
    let long = part(cost * (deadline_of_k + period - deadline), period * deadline_of_k);
    let dense = part((cost * deadline_of_k).saturating_sub(cost_of_k * period), deadline_of_k * deadline_of_k);
    (long + dense).min(WHOLE)
}

/// The most work of `i` in a window of `k` that ends at a deadline of `k`.
fn in_the_way(i: &Job, k: &Job) -> u128 {
    let whole = if k.deadline < i.deadline { 0 } else { (k.deadline - i.deadline) / i.period + 1 };
    let rest = u128::from(k.deadline).saturating_sub(u128::from(whole) * u128::from(i.period));
    u128::from(whole) * u128::from(i.cost) + rest.min(u128::from(i.cost))
}

fn divisor(one: u128, other: u128) -> u128 {
    if other == 0 { one.max(1) } else { divisor(other, one % other) }
}

/// `of` / `whole` as a share, rounded up, at most 1.
fn part(of: u128, whole: u128) -> u128 {
    if of >= whole {
        return WHOLE;
    }
    // If `of` is too wide to be shifted by 60 bits, cut both numbers: round the numerator up and the denominator down.
    let cut = (u128::BITS - whole.leading_zeros()).saturating_sub(67);
    let of = if cut == 0 { of } else { (of >> cut) + 1 };
    (of * WHOLE).div_ceil(whole >> cut).min(WHOLE)
}

/// Why the tests do not apply. They require jobs that are at least a period apart, fully preemptible, and that wait for nothing
/// but a CPU.
fn not_about(processor: &Processor) -> Option<&'static str> {
    let any = |is: fn(&Task) -> bool| processor.tasks.iter().any(is);
    let Costs { switch_in_ns, switch_out_ns, .. } = processor.costs;
    let others = [
        (any(|task| task.urgency != Urgency::Deadline), "a series has a fixed priority"),
        (any(|task| !matches!(task.arrival, Arrival::Periodic { .. })), "Poisson series have no minimum interval"),
        (any(|task| task.arrival.jitter_ns() > 0), "the tests do not cover release jitter"),
        (any(|task| !task.sections.is_empty()), "the tests do not cover locks"),
        (any(|task| task.longest_stretch_ns() > 0), "the tests do not cover non-preemptible stretches"),
        (
            any(|task| task.budget.is_some_and(|budget| budget.runtime_ns < task.computation_ns)),
            "a runtime is shorter than its computation, so the kernel throttles the job",
        ),
        (processor.supply != Supply::Dedicated, "the tests do not cover reservations"),
        (!processor.interrupts.is_empty(), "the tests do not cover interrupts"),
        (
            processor.costs != Costs { switch_in_ns, switch_out_ns, ..Costs::default() },
            "the tests for several CPUs cover two overheads only: switch-in and switch-out",
        ),
    ];
    others.into_iter().find(|(is, _)| *is).map(|(_, why)| why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::vectors::by_deadline;

    fn answer(tasks: &[(u64, u64, u64)], count: u32) -> Answer {
        Shared::of(&by_deadline(tasks), count).unwrap().answer()
    }

    fn says(tasks: &[(u64, u64, u64)], count: u32) -> [Says; 4] {
        answer(tasks, count).tests.iter().map(|test| test.says).collect::<Vec<_>>().try_into().unwrap()
    }

    type Row = (u64, u64, u64);

    use Says::{DoesNotApply, Nothing, Passes};

    // SchedCAT's README: three tasks (computation 2, period 3) are not schedulable on two CPUs, are late by at most 2 there, and
    // are schedulable on three.
    #[test]
    fn three_tasks_of_two_thirds_as_in_schedcats_readme() {
        let three = [(2, 3, 3); 3];
        let on_two = answer(&three, 2);
        assert_eq!((on_two.verdict, on_two.latest_ns), (Verdict::Unknown, Some(2)));
        let on_three = answer(&three, 3);
        assert_eq!((on_three.verdict, on_three.latest_ns), (Verdict::Met, Some(0)));
    }

    // Dhall and Liu 1978: tasks that need little more than one CPU can miss a deadline on any number of CPUs.
    #[test]
    fn a_heavy_task_among_light_ones_passes_no_test() {
        let tasks = [(2, 10, 10), (2, 10, 10), (11, 11, 11)];
        assert_eq!(says(&tasks, 2), [Nothing; 4]);
        assert_eq!(answer(&tasks, 2).verdict, Verdict::Unknown);
    }

    #[test]
    fn each_test_passes_sets_that_others_do_not() {
        let rows: [([Row; 3], [Says; 3]); 8] = [
            ([(1, 5, 4), (1, 3, 3), (1, 3, 3)], [Passes, Passes, Passes]),
            ([(1, 3, 2), (1, 3, 2), (1, 3, 2)], [Passes, Passes, Nothing]),
            ([(2, 4, 4), (1, 5, 4), (3, 5, 5)], [Passes, Nothing, Passes]),
            ([(1, 4, 4), (2, 3, 3), (2, 5, 5)], [Passes, Nothing, Nothing]),
            ([(1, 6, 3), (5, 7, 7), (1, 7, 4)], [Nothing, Passes, Passes]),
            ([(1, 5, 5), (2, 4, 3), (1, 3, 2)], [Nothing, Passes, Nothing]),
            ([(4, 6, 6), (1, 7, 4), (2, 5, 4)], [Nothing, Nothing, Passes]),
            ([(1, 3, 1), (3, 3, 3), (2, 3, 2)], [Nothing, Nothing, Nothing]),
        ];
        for (tasks, expected) in rows {
            assert_eq!(says(&tasks, 2)[1..], expected, "{tasks:?}");
        }
        assert_eq!(says(&[(1, 4, 6), (1, 4, 4), (1, 4, 4)], 2)[1..], [Passes, DoesNotApply, DoesNotApply]);
    }

    #[test]
    fn more_work_than_processors_is_missed_and_has_no_bound() {
        let found = answer(&[(9, 10, 10), (9, 10, 10), (9, 10, 10)], 2);
        assert_eq!((found.verdict, found.latest_ns), (Verdict::Missed, None));
        assert_eq!(answer(&[(6, 10, 5), (1, 10, 10)], 2).verdict, Verdict::Missed, "longer than its deadline");
    }

    #[test]
    fn the_largest_numbers_of_a_file_overflow_nothing() {
        let most = 1 << 56;
        let tasks = vec![(most, most, most); 400];
        assert_eq!(answer(&tasks, 4096).verdict, Verdict::Met);
        assert_eq!(answer(&tasks, 200).verdict, Verdict::Missed);
        assert_eq!(answer(&vec![(1, most, most); 400], 2).verdict, Verdict::Met);
        let uneven = [(1, most, 1), (most, most, most), (1, 1, 1), (3, most, 7)];
        assert_eq!(answer(&uneven, 4).verdict, Verdict::Met);
    }
}
