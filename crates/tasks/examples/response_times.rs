// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three periodic tasks with fixed priorities: the worst response of each, and whether its deadline is met.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_tasks::predict::processor::answers;
use backwall_tasks::predict::supply::Supply;
use backwall_tasks::predict::task::{Costs, Processor, Task, Urgency};

fn told() -> String {
    let task = |name, priority, computation_us: u64, period_us: u64| {
        Task::new(name, Urgency::Priority(priority), computation_us * 1_000, period_us * 1_000)
    };
    let processor = Processor {
        tasks: vec![task("servo", 3, 1_000, 4_000), task("camera", 2, 2_000, 6_000), task("log", 1, 3_000, 12_000)],
        locks: Vec::new(),
        interrupts: Vec::new(),
        recorded: Vec::new(),
        costs: Costs { switch_in_ns: 5_000, ..Costs::default() },
        supply: Supply::Dedicated,
    };
    let answers = answers(&processor);
    let line = |(task, answer): (&Task, &backwall_tasks::predict::processor::Answer)| match &answer.bound {
        Ok(bound) => format!("{} within {} ns: {:?}\n", task.name, bound.from_nominal_ns, answer.verdict),
        Err(none) => format!("{}: {none}\n", task.name),
    };
    processor.tasks.iter().zip(&answers).map(line).collect()
}

fn main() {
    print!("{}", told());
}

#[test]
fn responses_are_those_of_the_recurrence_by_hand() {
    // log: its own 3.005 ms, plus three times servo's 1.005 ms, plus twice camera's 2.005 ms.
    let expected = "servo within 1005000 ns: Met\ncamera within 3010000 ns: Met\nlog within 10030000 ns: Met\n";
    assert_eq!(told(), expected);
}
