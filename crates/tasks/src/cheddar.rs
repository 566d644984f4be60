// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads Cheddar's XML: tasks, their processors and schedulers. Cheddar's times have no unit; here they count as milliseconds.
use super::fault::Fault;
use super::format::Format;
use super::number::{is_zero, time};
use super::ranks::{Rule, apply};
use super::set::{Series, Set};
use super::span::Span;
use super::xml::{self, Element};

pub const FORMAT: Format = Format { name: "Cheddar XML", begins: |text| xml::starts_with(text, "cheddar"), read };

const UNIT_NS: u64 = 1_000_000;

const SCHEDULERS: [(&str, Rule); 4] = [
    ("POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL", Rule::Given),
    ("RATE_MONOTONIC_PROTOCOL", Rule::Rate),
    ("DEADLINE_MONOTONIC_PROTOCOL", Rule::Deadline),
    ("EARLIEST_DEADLINE_FIRST_PROTOCOL", Rule::EarliestFirst),
];

/// Parts of a model that the reader uses or may ignore. Any other part that is not empty is an error.
const PARTS: [&str; 9] = [
    "core_units",
    "processors",
    "address_spaces",
    "tasks",
    "task_groups",
    "event_analyzers",
    "caches",
    "cfgs",
    "batteries",
];

fn read(text: &str) -> Result<Set, Fault> {
    let root = xml::parse(text)?;
    if let Some(part) =
        root.children.iter().find(|part| !PARTS.contains(&part.name.as_str()) && !part.children.is_empty())
    {
        return Err(part.fault("not supported; remove it, or describe locks in backwall's own format"));
    }
    // A slower core makes each task longer. In a file without a speed, it is 0.
    let changes = |speed: &&Element| !is_zero(&speed.text) && speed.text.parse() != Ok(1.0);
    if let Some(speed) = root.all("speed").into_iter().find(changes) {
        return Err(speed.fault(format!(
            "must be 1, got {}; give the execution times on this core and set the core's speed to 1",
            speed.text
        )));
    }
    let rule = rule(&root)?;
    let processors = root.child("processors").map_or(&[][..], |all| &all.children);
    if let Some(several) = processors.iter().find(|processor| processor.name.starts_with("multi")) {
        return Err(several.fault("not supported; give each core its own processor"));
    }
    let names: Vec<&str> = processors.iter().filter_map(|processor| processor.text_of("name")).collect();
    let tasks = root.child("tasks").ok_or_else(|| root.fault("<tasks> is missing"))?;
    let mut series = tasks.children.iter().map(|task| one(task, &names)).collect::<Result<Vec<_>, _>>()?;
    let grouped = in_a_transaction(&root, tasks)?;
    let shifted = tasks.children.iter().any(|task| !task.all("offset_value").iter().all(|value| is_zero(&value.text)));
    let fixed_offsets = grouped || shifted;
    if let Some(task) = tasks.children.iter().find(|task| fixed_offsets && task.name != "periodic_task") {
        return Err(task.fault("not supported: an offset for a task that is not periodic"));
    }
    apply(rule, &mut series);
    Ok(Set { series, fixed_offsets, ..Set::default() })
}

/// Whether one transaction contains all tasks. Several transactions, or one with only some of the tasks, are an error.
fn in_a_transaction(root: &Element, tasks: &Element) -> Result<bool, Fault> {
    let groups = root.child("task_groups").map_or(&[][..], |all| &all.children);
    let [group] = groups else {
        return groups.get(1).map_or(Ok(false), |group| Err(group.fault("not supported: several groups of tasks")));
    };
    if group.name != "transaction_task_group" {
        return Err(group.fault("not supported; expected transaction_task_group"));
    }
    let members = group.child("task_list").map_or(0, |list| list.children.len());
    if members != tasks.children.len() {
        return Err(group.fault("not supported: a group with only some of the tasks; put all tasks into it, or none"));
    }
    for name in ["jitter", "start_time"] {
        if group.text_of(name).is_some_and(|text| !is_zero(text)) {
            return Err(group.fault(format!("not supported: <{name}>")));
        }
    }
    Ok(true)
}

/// The scheduling rule, which must be the same for all CPUs. An address space with its own rule is an error.
fn rule(root: &Element) -> Result<Rule, Fault> {
    let own = |element: &&Element| element.text != "NO_SCHEDULING_PROTOCOL";
    let spaces = root.child("address_spaces").map_or_else(Vec::new, |spaces| spaces.all("scheduler_type"));
    if let Some(scheduler) = spaces.into_iter().find(own) {
        return Err(scheduler.fault(format!("not supported: {} in an address space", scheduler.text)));
    }
    if let Some(kind) = root.all("preemptive_type").into_iter().find(|kind| kind.text != "PREEMPTIVE") {
        return Err(kind.fault(format!("not supported: {}; use the key stretch of backwall's own format", kind.text)));
    }
    let mut found = None;
    for scheduler in root.all("scheduler_type").into_iter().filter(own) {
        let known = SCHEDULERS.iter().find(|(name, _)| *name == scheduler.text).map(|(_, rule)| *rule);
        let all = || SCHEDULERS.map(|(name, _)| name).join(", ");
        let known = known
            .ok_or_else(|| scheduler.fault(format!("not supported: {}; expected one of {}", scheduler.text, all())))?;
        if found.replace(known).is_some_and(|other| other != known) {
            return Err(scheduler.fault("not supported: several schedulers in one model"));
        }
    }
    Ok(found.unwrap_or(Rule::Given))
}

/// First release: the task's start time plus its offset in the transaction.
fn offset(task: &Element, start: Span) -> Result<Span, Fault> {
    let offsets = task.child("offsets").map_or(&[][..], |all| &all.children);
    let [one] = offsets else {
        return offsets
            .get(1)
            .map_or(Ok(start), |other| Err(other.fault("not supported: several offsets of one task")));
    };
    if one.text_of("activation").is_some_and(|text| !is_zero(text)) {
        return Err(one.fault("not supported: an offset that begins with a later activation"));
    }
    let text = one.text_of("offset_value").unwrap_or("0");
    let own = if is_zero(text) {
        Span(0)
    } else {
        time(text, UNIT_NS).map_err(|what| one.fault(format!("<offset_value>: {what}")))?
    };
    Ok(Span(start.0.saturating_add(own.0)))
}

/// Fields of a task that do not affect the result. Any other number that is not zero is an error.
const HARMLESS: [&str; 16] = [
    "object_type",
    "name",
    "task_type",
    "cpu_name",
    "core_name",
    "address_space_name",
    "energy_consumption",
    "criticality",
    "seed",
    "policy",
    "priority",
    "capacity",
    "deadline",
    "start_time",
    "period",
    "jitter",
];

fn not_understood(task: &Element) -> Option<Fault> {
    let counts = |part: &&Element| {
        let harmless =
            HARMLESS.contains(&part.name.as_str()) || part.name.contains("memory") || part.name.starts_with("mils");
        !harmless && part.children.is_empty() && part.text.parse::<f64>().is_ok_and(|number| number != 0.0)
    };
    let part = task.children.iter().find(counts)?;
    Some(task.fault(format!("not supported: <{}>; write locks or [constants] in backwall's own format", part.name)))
}

fn one(task: &Element, processors: &[&str]) -> Result<Series, Fault> {
    let span = |name: &str| {
        let text = task.text_of(name).ok_or_else(|| task.fault(format!("<{name}> is missing")))?;
        time(text, UNIT_NS).map_err(|what| task.fault(format!("<{name}>: {what}")))
    };
    let optional = |name: &str| {
        if task.text_of(name).is_some_and(|text| !is_zero(text)) { span(name) } else { Ok(Default::default()) }
    };
    if let Some(fault) = not_understood(task) {
        return Err(fault);
    }
    let policy = task.text_of("policy").unwrap_or("SCHED_FIFO");
    if policy != "SCHED_FIFO" && policy != "SCHED_RR" {
        return Err(task.fault(format!("not supported: <policy> {policy}; expected SCHED_FIFO or SCHED_RR")));
    }
    let priority = task.text_of("priority").unwrap_or("1");
    let cpu = task.text_of("cpu_name").and_then(|name| processors.iter().position(|known| *known == name));
    let mut series = Series {
        name: task.text_of("name").unwrap_or_default().to_string(),
        computation: span("capacity")?,
        deadline: Some(optional("deadline")?).filter(|deadline| deadline.0 > 0),
        offset: offset(task, optional("start_time")?)?,
        jitter: optional("jitter")?,
        priority: Some(priority.parse().map_err(|_| task.fault("<priority>: expected a whole number"))?),
        cpu: if processors.len() > 1 { cpu.map(|cpu| cpu as u32) } else { None },
        ..Series::default()
    };
    match task.name.as_str() {
        "periodic_task" | "sporadic_task" => series.period = Some(span("period")?),
        "poisson_task" => series.mean = Some(span("period")?),
        _ => return Err(task.fault("not supported; expected periodic_task, sporadic_task or poisson_task")),
    }
    Ok(series)
}
