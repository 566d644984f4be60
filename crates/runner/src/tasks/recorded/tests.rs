// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares the responses that are predicted from the recording of a simulated processor with the responses in the simulation.
mod simulated;

use super::*;
use backwall_stats::random::SplitMix;
use backwall_tasks::predict::processor::answers;
use simulated::{Machine, Work};

/// The predicted and the simulated response of each task, by priority; `None` if one of the two is missing.
fn compared(machine: Machine) -> Vec<Option<(u64, u64)>> {
    let seen = machine.run();
    let (processor, measured) = own_tasks(&seen.found);
    let bounds = answers(&processor);
    let one = |(priority, response): (u32, Option<u64>)| {
        let place = processor.tasks.iter().position(|task| task.urgency == Urgency::Priority(priority))?;
        assert_eq!(measured[place].longest_ns, response, "the recording shows what the simulator saw");
        Some((bounds[place].bound.as_ref().ok()?.from_arrival_ns, response?))
    };
    seen.responses.into_iter().map(one).collect()
}

/// An interrupt of 10 us every 100 us, a task of 30 us every ms above a task of 100 us every 2 ms, all released at once: the
/// lower task's response is 100 + 30 + 2 x 10.
#[test]
fn a_prediction_known_by_hand() {
    let work = |priority, period_us: u64, cost_us: u64| Work {
        priority,
        period_ns: period_us * 1_000,
        cost_ns: cost_us * 1_000,
        least_percent: 100,
        offset_ns: 0,
    };
    let machine = Machine {
        tasks: vec![work(90, 1_000, 30), work(50, 2_000, 100)],
        devices: vec![work(0, 100, 10)],
        timer_ns: 0,
        dispatch_ns: 0,
        length_ns: 40_000_000,
        seed: 1,
    };
    // The device's interrupt coincides with the timer's. The upper task waits for the device's interrupt and ends before the next
    // one.
    assert_eq!(compared(machine), [Some((40_000, 40_000)), Some((150_000, 150_000))]);
}

fn random_machine(random: &mut SplitMix) -> Machine {
    let count = 2 + random.below(4);
    let mut left = 200 + random.below(500);
    let task = |place: u64| {
        let thousandth = if place + 1 == count { left } else { random.below(left.max(1)) };
        left -= thousandth;
        let period_ns = 1_000_000 * 10u64.pow(random.below(2) as u32) * (1 + random.below(9));
        Work {
            priority: 90 - 10 * place as u32,
            period_ns,
            cost_ns: (period_ns * thousandth / 1_000).max(5_000),
            least_percent: [100, 60][random.below(2) as usize],
            offset_ns: random.below(period_ns),
        }
    };
    let tasks = (0..count).map(task).collect();
    let count = random.below(3);
    let device = |_| Work {
        priority: 0,
        period_ns: 100_000 + random.below(900_000),
        cost_ns: 1_000 + random.below(15_000),
        least_percent: 30,
        offset_ns: random.below(100_000),
    };
    let devices = (0..count).map(device).collect();
    Machine { tasks, devices, timer_ns: 3_000, dispatch_ns: 6_000, length_ns: 500_000_000, seed: random.below(1 << 40) }
}

fn together(machine: Machine) -> Machine {
    let at_once = |work: Work| Work { offset_ns: 0, ..work };
    Machine { tasks: machine.tasks.into_iter().map(at_once).collect(), ..machine }
}

// Fixed offsets can keep tasks apart for the whole recording, while the prediction assumes that they meet. Tasks that start
// together do meet.
#[test]
fn what_a_prediction_exceeds_is_what_the_offsets_keep_apart() {
    let mut random = SplitMix(53);
    let mut part = |of: fn(Machine) -> Machine| {
        let found = (0..150).flat_map(|_| compared(of(random_machine(&mut random)))).flatten();
        let mut ratios: Vec<f64> = found.map(|(predicted, seen)| predicted as f64 / seen as f64).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() * 19 / 20]
    };
    let (apart, at_once) = (part(|machine| machine), part(together));
    assert!(at_once <= 2.0 && apart > 3.0 * at_once, "{apart} {at_once}");
}

/// 500 random task sets: no simulated response is longer than predicted from that simulation's recording.
#[test]
fn no_simulated_response_is_above_the_prediction_from_its_recording() {
    let mut random = SplitMix(51);
    let (mut ratios, mut without) = (Vec::new(), 0);
    for set in 0..500 {
        for pair in compared(random_machine(&mut random)) {
            let Some((predicted, seen)) = pair else {
                without += 1;
                continue;
            };
            assert!(seen <= predicted, "set {set}: {seen} {predicted}");
            ratios.push(predicted as f64 / seen as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!(ratios.len() > 1_500 && without * 50 < ratios.len(), "{} {without}", ratios.len());
    assert!(median <= 1.5, "{median}");
}

/// A task set written by hand together with the interrupts of a recording.
#[test]
fn a_set_meets_the_interference_of_a_recording() {
    let mut random = SplitMix(52);
    for _ in 0..50 {
        let machine = random_machine(&mut random);
        let tasks: Vec<Task> = machine
            .tasks
            .iter()
            .map(|work| {
                Task::new(
                    &format!("t{}", work.priority),
                    Urgency::Priority(work.priority),
                    work.cost_ns,
                    work.period_ns,
                )
            })
            .collect();
        let seen = machine.run();
        let processor = Processor { tasks, ..Processor::default() };
        let (processor, measured) = beside(processor, &seen.found);
        assert!(processor.recorded.is_empty(), "each thread is one of the set");
        for ((answer, measured), (_, response)) in answers(&processor).iter().zip(&measured).zip(&seen.responses) {
            assert_eq!(measured.longest_ns, *response);
            let predicted = answer.bound.as_ref().map_or(u64::MAX, |bound| bound.from_arrival_ns);
            assert!(response.is_none_or(|response| response <= predicted), "{response:?} {predicted}");
        }
    }
}
