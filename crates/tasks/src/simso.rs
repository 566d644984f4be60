// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads SimSo's XML: `<simulation>` with its scheduler, processors and tasks, in milliseconds.
use super::fault::Fault;
use super::format::Format;
use super::number::{is_zero, time};
use super::ranks::{Rule, apply};
use super::set::{Series, Set};
use super::xml::{self, Element};

pub const FORMAT: Format = Format { name: "SimSo XML", begins: |text| xml::starts_with(text, "simulation"), read };

const UNIT_NS: u64 = 1_000_000;

/// The schedulers that backwall can analyse, each by the last part of its class name.
const SCHEDULERS: [(&str, Rule); 6] = [
    ("RM", Rule::Rate),
    ("RM_mono", Rule::Rate),
    ("DM", Rule::Deadline),
    ("FP", Rule::Given),
    ("EDF", Rule::EarliestFirst),
    ("EDF_mono", Rule::EarliestFirst),
];

fn read(text: &str) -> Result<Set, Fault> {
    let root = xml::parse(text)?;
    let scheduler = root.child("sched").ok_or_else(|| root.fault("<sched> is missing"))?;
    let class = scheduler.attribute("class").or(scheduler.attribute("className")).unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or_default();
    let rule = SCHEDULERS.iter().find(|(name, _)| *name == class).map(|(_, rule)| *rule);
    let names = SCHEDULERS.map(|(name, _)| name).join(", ");
    let rule =
        rule.ok_or_else(|| scheduler.fault(format!("not supported: scheduler {class:?}; expected one of {names}")))?;
    let processors = root.all("processor");
    if let Some(model) = root.attribute("etm").filter(|model| *model == "cache") {
        return Err(root.fault(format!("etm {model:?}: not supported; expected wcet")));
    }
    for processor in &processors {
        if let Some(speed) = processor.attribute("speed").filter(|speed| speed.parse() != Ok(1.0)) {
            return Err(processor.fault(format!("speed {speed}: not supported; expected 1.0")));
        }
        if let Some((name, _)) =
            processor.attributes.iter().find(|(name, value)| name.ends_with("overhead") && !is_zero(value))
        {
            return Err(
                processor.fault(format!("{name}: counts in cycles; set it to 0 and give its time in [constants]"))
            );
        }
    }
    let tasks = root.all("task").into_iter();
    let mut series = tasks.map(|task| one(task, rule)).collect::<Result<Vec<_>, _>>()?;
    apply(rule, &mut series);
    Ok(Set { series, processors: Some(processors.len().max(1) as u32), ..Set::default() })
}

/// Known attributes of a task. Those that this reader does not use cannot change the worst case.
const KNOWN: [&str; 17] = [
    "name",
    "id",
    "task_type",
    "period",
    "activationDate",
    "WCET",
    "ACET",
    "et_stddev",
    "deadline",
    "abort_on_miss",
    "priority",
    "preemption_cost",
    "base_cpi",
    "instructions",
    "mix",
    "sdp",
    "list_activation_dates",
];

fn one(task: &Element, rule: Rule) -> Result<Series, Fault> {
    if let Some((other, value)) =
        task.attributes.iter().find(|(name, value)| !KNOWN.contains(&name.as_str()) && !value.is_empty())
    {
        return Err(task.fault(format!("{other} {value:?}: not supported; expected {}", KNOWN.join(", "))));
    }
    let kind = task.attribute("task_type").unwrap_or("Periodic");
    if kind != "Periodic" {
        return Err(task.fault(format!("not supported: task_type {kind:?}; expected Periodic")));
    }
    if task.attribute("preemption_cost").is_some_and(|cost| !is_zero(cost)) {
        return Err(task.fault("preemption_cost: counts in cycles; set it to 0 and give its time in [constants]"));
    }
    let span = |name: &str| {
        let text = task.attribute(name).ok_or_else(|| task.fault(format!("{name} is missing")))?;
        time(text, UNIT_NS).map_err(|what| task.fault(format!("{name}: {what}")))
    };
    let optional = |name: &str| if task.attribute(name).is_some() { span(name).map(Some) } else { Ok(None) };
    let priority = match (rule, task.attribute("priority")) {
        (Rule::Given, Some(text)) => Some(text.parse().map_err(|_| task.fault("priority: expected a whole number"))?),
        (Rule::Given, None) => return Err(task.fault("priority is missing, but scheduler FP needs it")),
        _ => None,
    };
    Ok(Series {
        name: task.attribute("name").unwrap_or_default().to_string(),
        period: Some(span("period")?),
        offset: optional("activationDate")?.unwrap_or_default(),
        computation: span("WCET")?,
        deadline: optional("deadline")?,
        priority,
        ..Series::default()
    })
}
