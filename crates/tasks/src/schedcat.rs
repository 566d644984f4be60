// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads SchedCAT's XML: `<taskset><task period="..." wcet="..." deadline="..."/></taskset>`, in microseconds. The format has no
//! priorities, so the order in the file counts, as in SchedCAT's own tests of fixed priorities.
use super::fault::Fault;
use super::format::Format;
use super::number::time;
use super::ranks::{Rule, apply};
use super::set::{Series, Set};
use super::xml::{self, Element};

pub const FORMAT: Format = Format { name: "SchedCAT XML", begins: |text| xml::starts_with(text, "taskset"), read };

const UNIT_NS: u64 = 1_000;

fn read(text: &str) -> Result<Set, Fault> {
    let root = xml::parse(text)?;
    if let Some(other) = root.children.iter().find(|child| !["task", "properties"].contains(&child.name.as_str())) {
        return Err(other.fault("expected an element task"));
    }
    let tasks = root.children.iter().filter(|child| child.name == "task").enumerate();
    let mut series = tasks.map(|(place, task)| one(place, task)).collect::<Result<Vec<_>, _>>()?;
    apply(Rule::Order, &mut series);
    Ok(Set { series, ..Set::default() })
}

fn one(place: usize, task: &Element) -> Result<Series, Fault> {
    const KNOWN: [&str; 5] = ["period", "wcet", "deadline", "id", "partition"];
    if let Some((other, _)) = task.attributes.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
        return Err(task.fault(format!("not supported: {other}; expected one of {}", KNOWN.join(", "))));
    }
    if let Some(other) = task.children.first() {
        return Err(other.fault("not supported: resources and self-suspension of this format"));
    }
    let span = |name: &str| {
        let text = task.attribute(name);
        text.map(|text| time(text, UNIT_NS).map_err(|what| task.fault(format!("{name}: {what}")))).transpose()
    };
    let missing = |name: &str| task.fault(format!("{name} is missing"));
    let cpu =
        task.attribute("partition").map(|text| text.parse().map_err(|_| task.fault("partition: expected a number")));
    Ok(Series {
        name: task.attribute("id").map_or_else(|| format!("task {}", place + 1), |id| format!("task {id}")),
        period: Some(span("period")?.ok_or_else(|| missing("period"))?),
        computation: span("wcet")?.ok_or_else(|| missing("wcet"))?,
        deadline: span("deadline")?,
        cpu: cpu.transpose()?,
        ..Series::default()
    })
}
