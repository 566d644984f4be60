// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reader of Cheddar's XML: tasks with a processor and its scheduler. Its times have no unit; one is a millisecond here.
use super::fault::Fault;
use super::format::Format;
use super::number::{is_zero, time};
use super::ranks::{Rule, apply};
use super::set::{Series, Set};
use super::xml::{self, Element};

/// It begins with its element.
pub const FORMAT: Format = Format { name: "Cheddar XML", begins: |text| xml::starts_with(text, "cheddar"), read };

const UNIT_NS: u64 = 1_000_000;

/// The schedulers that we can analyse.
const SCHEDULERS: [(&str, Rule); 4] = [
    ("POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL", Rule::Given),
    ("RATE_MONOTONIC_PROTOCOL", Rule::Rate),
    ("DEADLINE_MONOTONIC_PROTOCOL", Rule::Deadline),
    ("EARLIEST_DEADLINE_FIRST_PROTOCOL", Rule::EarliestFirst),
];

/// Parts of a model that would change the answer.
const UNREAD: [&str; 4] = ["resources", "dependencies", "messages", "buffers"];

fn read(text: &str) -> Result<Set, Fault> {
    let root = xml::parse(text)?;
    for name in UNREAD {
        if let Some(part) = root.child(name).filter(|part| !part.children.is_empty()) {
            return Err(part.fault("we cannot do that; take it out, or write locks in our own format"));
        }
    }
    let rule = rule(&root)?;
    let processors = root.child("processors").map_or(&[][..], |all| &all.children);
    let names: Vec<&str> = processors.iter().filter_map(|processor| processor.text_of("name")).collect();
    let tasks = root.child("tasks").ok_or_else(|| root.fault("<tasks> is missing"))?;
    let mut series = tasks.children.iter().map(|task| one(task, &names)).collect::<Result<Vec<_>, _>>()?;
    apply(rule, &mut series);
    Ok(Set { series, ..Set::default() })
}

/// One for all processors.
fn rule(root: &Element) -> Result<Rule, Fault> {
    let mut found = None;
    for scheduler in root.all("scheduler_type") {
        let known = SCHEDULERS.iter().find(|(name, _)| *name == scheduler.text).map(|(_, rule)| *rule);
        let all = || SCHEDULERS.map(|(name, _)| name).join(", ");
        let known = known
            .ok_or_else(|| scheduler.fault(format!("{}: we cannot do that; there is {}", scheduler.text, all())))?;
        if found.replace(known).is_some_and(|other| other != known) {
            return Err(scheduler.fault("several schedulers in one model: we cannot do that"));
        }
    }
    Ok(found.unwrap_or(Rule::Given))
}

fn one(task: &Element, processors: &[&str]) -> Result<Series, Fault> {
    let span = |name: &str| {
        let text = task.text_of(name).ok_or_else(|| task.fault(format!("<{name}> is missing")))?;
        time(text, UNIT_NS).map_err(|what| task.fault(format!("<{name}>: {what}")))
    };
    let optional = |name: &str| {
        if task.text_of(name).is_some_and(|text| !is_zero(text)) { span(name) } else { Ok(Default::default()) }
    };
    for name in ["blocking_time", "context_switch_overhead"] {
        if task.text_of(name).is_some_and(|text| !is_zero(text)) {
            return Err(
                task.fault(format!("<{name}>: we cannot do that here; give locks or [constants] in our own format"))
            );
        }
    }
    let policy = task.text_of("policy").unwrap_or("SCHED_FIFO");
    if policy != "SCHED_FIFO" && policy != "SCHED_RR" {
        return Err(task.fault(format!("<policy> {policy}: we cannot do that; there is SCHED_FIFO, SCHED_RR")));
    }
    let priority = task.text_of("priority").unwrap_or("1");
    let cpu = task.text_of("cpu_name").and_then(|name| processors.iter().position(|known| *known == name));
    let mut series = Series {
        name: task.text_of("name").unwrap_or_default().to_string(),
        computation: span("capacity")?,
        deadline: Some(optional("deadline")?).filter(|deadline| deadline.0 > 0),
        offset: optional("start_time")?,
        jitter: optional("jitter")?,
        priority: Some(priority.parse().map_err(|_| task.fault("<priority>: want a whole number"))?),
        cpu: if processors.len() > 1 { cpu.map(|cpu| cpu as u32) } else { None },
        ..Series::default()
    };
    match task.name.as_str() {
        "periodic_task" | "sporadic_task" => series.period = Some(span("period")?),
        "poisson_task" => series.mean = Some(span("period")?),
        _ => return Err(task.fault("we cannot do that; there is periodic_task, sporadic_task, poisson_task")),
    }
    Ok(series)
}
