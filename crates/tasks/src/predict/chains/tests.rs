// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds computed by hand, and simulated chains that must stay within them.
use super::super::processor::answers;
use super::super::task::Processor;
use super::*;
use backwall_stats::random::SplitMix;

/// Of each task: name, CPU, priority, computation, period, offset.
type Row = (&'static str, u32, u32, u64, u64, u64);

fn analysed(rows: &[Row], offsets: bool) -> Vec<Analysed> {
    let cpus: std::collections::BTreeSet<u32> = rows.iter().map(|row| row.1).collect();
    let task = |(name, _, priority, computation, period, offset): &Row| Task {
        phase_ns: offsets.then_some(*offset),
        ..Task::new(name, Urgency::Priority(*priority), *computation, *period)
    };
    let one = |cpu: u32| {
        let tasks = rows.iter().filter(|row| row.1 == cpu).map(task).collect();
        let processor = Processor { tasks, ..Processor::default() };
        Analysed { number: cpu, answers: answers(&processor), processor, growth: None }
    };
    cpus.into_iter().map(one).collect()
}

fn chain(names: &[&str]) -> Chain {
    Chain { name: "loop".into(), series: names.iter().map(ToString::to_string).collect(), deadline: None }
}

fn found(rows: &[Row], offsets: bool, names: &[&str]) -> (u64, u64) {
    let [bound] = &bounds(&[chain(names)], &analysed(rows, offsets))[..] else { panic!("one chain") };
    assert_eq!(bound.offsets, offsets && bound.reaction_ns.is_some());
    (bound.reaction_ns.unwrap(), bound.age_ns.unwrap())
}

const TWO: [Row; 2] = [("a", 0, 2, 1, 4, 0), ("b", 0, 1, 2, 6, 0)];

/// The responses are 1 and 3. With unknown offsets, from `a` to the less urgent `b`: reaction 4 + 3 + 6, age 3 + 4. From `b` to
/// the more urgent `a`, which may start before `b` ends: reaction 6 + 1 + (4 + 3), age 1 + 6 + 3.
#[test]
fn two_series_of_one_processor_known_by_hand() {
    assert_eq!(found(&TWO, false, &["a", "b"]), (13, 7));
    assert_eq!(found(&TWO, false, &["b", "a"]), (14, 10));
    assert_eq!(found(&TWO, false, &["a"]), (5, 1), "a period and a response");
}

/// All are released at 0 and at each common multiple, 12: `b` at 12 reads what `a` wrote at 8; `a` at 12 reads what `b` wrote at
/// 6.
#[test]
fn known_offsets_known_by_hand() {
    assert_eq!(found(&TWO, true, &["a", "b"]), (4 + 4 + 3, 5));
    assert_eq!(found(&TWO, true, &["b", "a"]), (6 + 6 + 1, 9));
}

/// On two CPUs no task waits for the other, and each may start just before the other ends.
#[test]
fn on_two_processors_every_response_counts() {
    let rows = [("a", 0, 2, 1, 4, 0), ("b", 1, 1, 2, 6, 0)];
    assert_eq!(found(&rows, false, &["a", "b"]), (4 + 2 + (6 + 1), 2 + 4 + 1));
}

#[test]
fn what_has_no_bound_says_why() {
    let said = |rows: &[Row], change: fn(&mut Task)| {
        let mut all = analysed(rows, false);
        change(&mut all[0].processor.tasks[0]);
        bounds(&[chain(&["a", "b"])], &all).remove(0).no_bound.unwrap()
    };
    let poisson = |task: &mut Task| task.arrival = Arrival::Poisson { mean_ns: 4, jitter_ns: 0, exceeded: 0.1 };
    assert_eq!(said(&TWO, poisson), "the time between releases of a has no upper limit; give it a period");
    let slow = [("a", 0, 2, 3, 6, 0), ("b", 0, 1, 4, 9, 0)];
    assert_eq!(said(&slow, |_| ()), "b can still run at its next release");
    assert_eq!(said(&[TWO[0]], |_| ()), "b is not in the set");
}

/// When a job read its input and wrote its output.
#[derive(Clone, Copy)]
struct Job {
    release: u64,
    start: u64,
    end: u64,
}

/// All jobs of the rows, each row on its processor under fixed priorities, with random computations up to the longest.
fn simulated(rows: &[Row], until: u64, random: &mut SplitMix) -> Vec<Vec<Job>> {
    let mut jobs: Vec<Vec<(Job, u64)>> = vec![Vec::new(); rows.len()];
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    for now in 0..until {
        for (place, (_, _, _, computation, period, offset)) in rows.iter().enumerate() {
            if now >= *offset && (now - offset) % period == 0 {
                open[place].push(jobs[place].len());
                jobs[place]
                    .push((Job { release: now, start: u64::MAX, end: u64::MAX }, 1 + random.below(*computation)));
            }
        }
        for cpu in 0..3 {
            let ready = (0..rows.len()).filter(|place| rows[*place].1 == cpu && !open[*place].is_empty());
            let Some(place) = ready.max_by_key(|place| rows[*place].2) else { continue };
            let (job, left) = &mut jobs[place][open[place][0]];
            job.start = job.start.min(now);
            *left -= 1;
            if *left == 0 {
                job.end = now + 1;
                open[place].remove(0);
            }
        }
    }
    jobs.into_iter()
        .map(|jobs| jobs.into_iter().map(|(job, _)| job).filter(|job| job.end < u64::MAX).collect())
        .collect()
}

/// The longest reaction and the largest age of a chain through all rows in their order.
fn seen(jobs: &[Vec<Job>]) -> (u64, u64) {
    let forward = |first: &Job| {
        jobs[1..].iter().try_fold(*first, |job, next| next.iter().find(|other| other.start >= job.end).copied())
    };
    let backward = |last: &Job| {
        let before = |job: Job, before: &Vec<Job>| before.iter().rev().find(|other| other.end <= job.start).copied();
        jobs[..jobs.len() - 1].iter().rev().try_fold(*last, before)
    };
    let reactions = jobs[0].windows(2).filter_map(|pair| Some(forward(&pair[1])?.end - pair[0].start));
    let ages = jobs[jobs.len() - 1].iter().filter_map(|last| Some(last.end - backward(last)?.release));
    (reactions.max().unwrap_or(0), ages.max().unwrap_or(0))
}

#[test]
fn no_simulated_chain_is_longer_than_its_bounds() {
    let mut random = SplitMix(19);
    let (mut compared, mut ratios) = (0, Vec::new());
    let names = ["a", "b", "c", "d"];
    for _ in 0..400 {
        let count = 2 + random.below(3) as usize;
        let row = |place: usize| {
            let period = [4, 5, 6, 8, 10, 12, 20][random.below(7) as usize];
            let computation = 1 + random.below(period / 3);
            (names[place], random.below(2) as u32, 0, computation, period, random.below(period))
        };
        let mut rows: Vec<Row> = (0..count).map(row).collect();
        for place in 0..count {
            let other = random.below(place as u64 + 1) as usize;
            rows[place].2 = place as u32 + 1;
            (rows[place].2, rows[other].2) = (rows[other].2, rows[place].2);
        }
        let (reaction, age) = seen(&simulated(&rows, 3_000, &mut random));
        for offsets in [false, true] {
            let bound = bounds(&[chain(&names[..count])], &analysed(&rows, offsets)).remove(0);
            let (Some(most), Some(oldest)) = (bound.reaction_ns, bound.age_ns) else { continue };
            assert!(reaction <= most && age <= oldest, "{rows:?}: {reaction} {age}, {bound:?}");
            compared += 1;
            ratios.push(most as f64 / reaction as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(compared > 500, "{compared}");
    assert!(ratios[ratios.len() / 2] < 1.6, "{}", ratios[ratios.len() / 2]);
}
