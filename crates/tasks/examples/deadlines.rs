// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a task file and prints whether each series meets its deadline, and what its worst response consists of.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_tasks::predict::answer::Term;
use backwall_tasks::predict::processor::{Answer, answers};
use backwall_tasks::predict::task::{Costs, Processor, Task};
use backwall_tasks::{read, sources};

const SET: &str = r#"
series = [
    { name = "control", period = "1ms", computation = "200us", priority = 30 },
    { name = "vision", period = "10ms", computation = "3ms", priority = 20 },
]
"#;
fn told(text: &str) -> String {
    let costs = Costs { switch_in_ns: 5_000, ..Costs::default() };
    let set = read::parse(text).expect("a set");
    set.placed(costs).expect("processors").iter().map(|(_, processor)| of(processor)).collect()
}

fn of(processor: &Processor) -> String {
    let line = |(task, answer): (&Task, Answer)| {
        let bound = answer.bound.expect("no overload");
        let term = |term: &Term| format!(" {} {},", term.total_ns, sources::name(processor, term.source));
        let terms: String = bound.terms.iter().map(term).collect();
        format!("{} within {} ns:{terms} {:?}\n", task.name, bound.from_nominal_ns, answer.verdict)
    };
    processor.tasks.iter().zip(answers(processor)).map(line).collect()
}

fn main() {
    print!("{}", told(SET));
}

#[test]
fn vision_waits_for_control_four_times() {
    let vision =
        "vision within 3825000 ns: 3005000 own computation, 820000 control, which has higher or equal priority, Met\n";
    assert!(told(SET).ends_with(vision));
}
