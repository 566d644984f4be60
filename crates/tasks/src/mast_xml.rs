// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads MAST's XML (since MAST 1.3.7, with the names of MAST 2 too): the same parts as in its text, as elements with attributes.
use super::fault::Fault;
use super::format::Format;
use super::mast;
use super::mast_text::{Part, Value};
use super::set::Set;
use super::xml::{self, Element};

pub const FORMAT: Format = Format { name: "MAST XML", begins, read };

fn begins(text: &str) -> bool {
    xml::root_of(text).is_some_and(|root| local(&root) == "mast_model")
}

fn read(text: &str) -> Result<Set, Fault> {
    let root = xml::parse(text)?;
    if let Some(element) = root.children.iter().find(|element| local(&element.name) == "element_list") {
        return Err(
            element.fault("not supported: XMI of MAST 2; expected XML of MAST (mast_mdl:MAST_MODEL), or its text")
        );
    }
    let parts = root.children.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    mast::set(&parts)
}

/// An element's name without the prefix of its namespace.
fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or_default().to_lowercase()
}

/// For each element, the kind and the type that MAST's text format uses.
const ELEMENTS: [(&str, &str, &str); 13] = [
    ("regular_processor", "processing_resource", "regular_processor"),
    ("fixed_priority_processor", "processing_resource", "fixed_priority_processor"),
    ("primary_scheduler", "scheduler", "primary_scheduler"),
    ("regular_scheduling_server", "scheduling_server", "regular"),
    ("thread", "scheduling_server", "regular"),
    ("immediate_ceiling_resource", "shared_resource", "immediate_ceiling_resource"),
    ("immediate_ceiling_mutex", "shared_resource", "immediate_ceiling_resource"),
    ("priority_inheritance_resource", "shared_resource", "priority_inheritance_resource"),
    ("priority_inheritance_mutex", "shared_resource", "priority_inheritance_resource"),
    ("simple_operation", "operation", "simple"),
    ("regular_transaction", "transaction", "regular"),
    ("regular_end_to_end_flow", "transaction", "regular"),
    ("transaction", "transaction", "regular"),
];

/// Attributes whose names differ from the text format's.
const ATTRIBUTES: [(&str, &str); 5] = [
    ("event", "name"),
    ("priority", "the_priority"),
    ("average_case_execution_time", "avg_case_execution_time"),
    ("schedulable_resource", "activity_server"),
    ("average_interarrival", "avg_interarrival"),
];

fn part(element: &Element) -> Result<Part, Fault> {
    let name = local(&element.name);
    let known = ELEMENTS.iter().find(|(known, ..)| *known == name);
    let (_, kind, of_type) = known.ok_or_else(|| element.fault("not supported"))?;
    let mut part = Part { kind: kind.to_string(), fields: fields(element, of_type), line: element.line };
    match *kind {
        "transaction" => flow(element, &mut part)?,
        "operation" => operation(element, &mut part)?,
        "scheduler" => nested(element, &mut part, "policy", ("fixed_priority_scheduler", "fixed_priority"))?,
        "scheduling_server" => {
            nested(element, &mut part, "server_sched_parameters", ("fixed_priority_params", "fixed_priority_policy"))?;
        }
        _ => childless(element)?,
    }
    Ok(part)
}

fn childless(element: &Element) -> Result<(), Fault> {
    element.children.first().map_or(Ok(()), |child| Err(child.fault("not supported")))
}

/// The attributes as fields; the type comes first.
fn fields(element: &Element, of_type: &str) -> Vec<(String, Value)> {
    let word = |text: &str| Value::Word(text.trim().to_lowercase());
    let attribute = |(name, value): &(String, String)| {
        let name = local(name);
        let known = ATTRIBUTES.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string());
        (known.unwrap_or(name), word(value))
    };
    let own = element.attributes.iter().map(attribute);
    [("type".to_string(), word(of_type))].into_iter().chain(own).collect()
}

fn group(element: &Element, of_type: &str) -> Value {
    Value::Group(fields(element, of_type), Vec::new())
}

/// Adds a child element that is a group in the text format. `xml` and `text` are the two formats' names of the one type
/// whose name differs.
fn nested(element: &Element, part: &mut Part, field: &str, (xml, text): (&str, &str)) -> Result<(), Fault> {
    if let Some(second) = element.children.get(1) {
        return Err(second.fault("not supported"));
    }
    if let Some(child) = element.children.first() {
        childless(child)?;
        let name = local(&child.name);
        let of_type = if name == xml { text.to_string() } else { name };
        part.fields.push((field.to_string(), group(child, &of_type)));
    }
    Ok(())
}

// An operation that locks and unlocks the same resources holds them while it runs.
fn operation(element: &Element, part: &mut Part) -> Result<(), Fault> {
    let words = |child: &Element| {
        let mut words: Vec<String> = child.text.split_whitespace().map(str::to_lowercase).collect();
        words.sort();
        words
    };
    let of = |name: &str| element.children.iter().find(|child| local(&child.name) == name);
    let (lock, unlock) = (of("shared_resources_to_lock"), of("shared_resources_to_unlock"));
    let both = lock.or(unlock).filter(|_| lock.map(words) == unlock.map(words));
    let held = of("shared_resources_list").or(both);
    for child in &element.children {
        let name = local(&child.name);
        let is_held = Some(child) == held || both.is_some() && Some(child) == unlock;
        if !is_held || !child.children.is_empty() || !child.attributes.is_empty() {
            return Err(child.fault(format!("not supported: <{name}> of {}", part.word("name"))));
        }
    }
    let list = held.map_or_else(Vec::new, words).into_iter().map(Value::Word).collect();
    part.fields.push(("shared_resources_list".to_string(), Value::Group(Vec::new(), list)));
    Ok(())
}

fn flow(element: &Element, part: &mut Part) -> Result<(), Fault> {
    let (mut external, mut internal, mut handlers) = (Vec::new(), Vec::new(), Vec::new());
    for child in &element.children {
        let name = local(&child.name);
        match name.as_str() {
            "regular_event" | "internal_event" => internal.push(event(child)?),
            "activity" | "step" => {
                childless(child)?;
                handlers.push(group(child, "activity"));
            }
            name if name.ends_with("_event") => {
                let of_type = name.trim_end_matches("_event").trim_end_matches("_external");
                external.push(group(child, of_type));
                childless(child)?;
            }
            _ => return Err(child.fault("not supported")),
        }
    }
    for (field, list) in [("external_events", external), ("internal_events", internal), ("event_handlers", handlers)] {
        part.fields.push((field.to_string(), Value::Group(Vec::new(), list)));
    }
    Ok(())
}

fn event(element: &Element) -> Result<Value, Fault> {
    let mut all = fields(element, "regular");
    if let Some(second) = element.children.get(1) {
        return Err(second.fault("not supported: a second requirement on one event"));
    }
    if let Some(wanted) = element.children.first() {
        childless(wanted)?;
        all.push(("timing_requirements".to_string(), group(wanted, &local(&wanted.name))));
    }
    Ok(Value::Group(all, Vec::new()))
}
