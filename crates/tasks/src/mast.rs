// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads MAST's text format, of MAST 1 and 2: transactions of one activity each on fixed-priority CPUs. Its times have no unit and count as
//! milliseconds.
use super::fault::Fault;
use super::format::Format;
use super::mast_names;
use super::mast_text::{self, Part};
use super::number::{is_zero, time};
use super::set::{Lock, Protocol, Section, Series, Set};
use super::span::Span;

/// In this format each part begins with a word and a parenthesis.
pub const FORMAT: Format = Format { name: "MAST text", begins, read };

const UNIT_NS: u64 = 1_000_000;

const WORDS: [&str; 11] = [
    "model",
    "processing_resource",
    "scheduler",
    "scheduling_server",
    "shared_resource",
    "operation",
    "transaction",
    "schedulable_resource",
    "mutual_exclusion_resource",
    "end_to_end_flow",
    "--",
];

fn begins(text: &str) -> bool {
    let start: String = text.chars().take(40).collect::<String>().to_lowercase();
    WORDS
        .iter()
        .any(|word| start.strip_prefix(word).is_some_and(|rest| *word == "--" || rest.trim_start().starts_with('(')))
}

fn read(text: &str) -> Result<Set, Fault> {
    set(&mast_text::parse(text)?)
}

/// Builds the set from its parts. Text and XML give the same parts.
pub(super) fn set(parts: &[Part]) -> Result<Set, Fault> {
    let parts: Vec<Part> = parts.iter().map(mast_names::in_mast_1).collect();
    let of = |kind: &'static str| parts.iter().filter(move |part| part.kind == kind);
    let mut set = Set::default();
    for part in &parts {
        understood(part)?;
        if part.kind == "shared_resource" {
            set.lock.push(lock(part)?);
        }
    }
    let processors: Vec<&str> = of("processing_resource").map(|part| part.word("name")).collect();
    set.series = of("transaction").map(|one| series(one, &parts, &processors)).collect::<Result<_, _>>()?;
    Ok(set)
}

/// For each kind of part, its types and its fields. Anything else in a file is an error, because it could change the result.
const KNOWN: [(&str, &[&str], &[&str]); 7] = [
    ("model", &[], &["model_name", "model_date"]),
    ("processing_resource", &["fixed_priority_processor", "regular_processor"], &["name"]),
    ("scheduler", &["primary_scheduler"], &["name", "host", "policy"]),
    (
        "scheduling_server",
        &["fixed_priority", "regular"],
        &["name", "server_sched_parameters", "server_processing_resource", "scheduler"],
    ),
    (
        "shared_resource",
        &["immediate_ceiling_resource", "priority_inheritance_resource"],
        &["name", "ceiling", "preassigned"],
    ),
    ("operation", &["simple"], &["name", "worst_case_execution_time", "shared_resources_list"]),
    ("transaction", &["regular"], &["name", "external_events", "internal_events", "event_handlers"]),
];

/// Fields inside those parts. Fields that restrict the model are checked where they are read.
const KNOWN_WITHIN: [&str; 14] = [
    "type",
    "name",
    "period",
    "max_jitter",
    "min_interarrival",
    "avg_interarrival",
    "distribution",
    "the_priority",
    "preassigned",
    "timing_requirements",
    "deadline",
    "referenced_event",
    "input_event",
    "output_event",
];

fn understood(part: &Part) -> Result<(), Fault> {
    let known = KNOWN.iter().find(|(kind, ..)| *kind == part.kind);
    let (_, types, fields) = known.ok_or_else(|| part.fault(&part.kind, "not supported"))?;
    for (key, value) in &part.fields {
        match key.as_str() {
            "type" if types.contains(&value.word()) => {}
            "type" => {
                let text = format!("{}: not supported; expected {}", value.word(), types.join(", "));
                return Err(part.fault("type", text));
            }
            known if fields.contains(&known) => within(part, value)?,
            other => needless(part, other, value)?,
        }
    }
    let policy = part.get("policy").map_or("fixed_priority", |policy| word(policy, "type"));
    match policy {
        "fixed_priority" | "fixed_priority_policy" => Ok(()),
        other => Err(part.fault("policy", format!("{other}: not supported; expected fixed_priority"))),
    }
}

fn within(part: &Part, value: &mast_text::Value) -> Result<(), Fault> {
    let mast_text::Value::Group(fields, list) = value else { return Ok(()) };
    for (key, value) in fields {
        match key.as_str() {
            known if KNOWN_WITHIN.contains(&known) || known.starts_with("activity_") => within(part, value)?,
            other => needless(part, other, value)?,
        }
    }
    list.iter().try_for_each(|value| within(part, value))
}

// Accepts fields that cannot change the worst case: best and average times, limits of priorities, costs or offsets of
// 0, the normal speed, and the kind of inheritance that MAST assumes by default.
fn needless(part: &Part, key: &str, value: &mast_text::Value) -> Result<(), Fault> {
    let begins = |words: &[&str]| words.iter().any(|word| key.starts_with(word));
    let usual_speed = || key == "speed_factor" && value.word().parse() == Ok(1.0);
    let usual_inheritance = || key == "system_pip_behaviour" && value.word() == "strict";
    let zero = || begins(&["worst_", "phase"]) && is_zero(value.word());
    if begins(&["avg_", "best_", "min_", "max_"]) || usual_speed() || usual_inheritance() || zero() {
        return Ok(());
    }
    let why = if begins(&["worst_"]) { "set it to 0 and state its time in [constants]" } else { "not supported" };
    Err(part.fault(key, why))
}

fn lock(part: &Part) -> Result<Lock, Fault> {
    let protocol = match part.word("type") {
        "immediate_ceiling_resource" => Protocol::Ceiling,
        "priority_inheritance_resource" => Protocol::Inheritance,
        other => return Err(part.fault("type", format!("not supported: {other}"))),
    };
    Ok(Lock { name: part.word("name").into(), protocol })
}

fn series(one: &Part, parts: &[Part], processors: &[&str]) -> Result<Series, Fault> {
    let single = |key: &str| match one.list(key) {
        [only] => Ok(only),
        _ => Err(one.fault(key, "expected one: transactions of several activities or events are not supported")),
    };
    let find = |kind: &str, name: &str| {
        let found = parts.iter().find(|part| part.kind == kind && part.word("name") == name);
        found.ok_or_else(|| one.fault(kind, format!("unknown {name:?}")))
    };
    let (event, handler) = (single("external_events")?, single("event_handlers")?);
    if word(handler, "type") != "activity" {
        return Err(one.fault("event_handlers", format!("not supported: {}; expected activity", word(handler, "type"))));
    }
    let operation = find("operation", word(handler, "activity_operation"))?;
    let server = find("scheduling_server", word(handler, "activity_server"))?;
    let computation = span(operation, "worst_case_execution_time")?;
    let mut series = Series {
        name: one.word("name").into(),
        computation,
        jitter: optional(event.get("max_jitter"), one, "max_jitter")?,
        deadline: deadline(one)?,
        priority: Some(priority(server)?),
        cpu: processor(server, parts, processors),
        section: operation.list("shared_resources_list").iter().map(|held| section(held.word(), computation)).collect(),
        ..Series::default()
    };
    match word(event, "type") {
        "periodic" => series.period = Some(optional(event.get("period"), one, "period")?),
        "sporadic" => series.period = Some(optional(event.get("min_interarrival"), one, "min_interarrival")?),
        "unbounded" => series.mean = Some(optional(event.get("avg_interarrival"), one, "avg_interarrival")?),
        other => return Err(one.fault("external_events", format!("not supported: {other}"))),
    }
    Ok(series)
}

/// MAST does not say how long a section holds its lock, so this assumes the whole operation.
fn section(lock: &str, length: Span) -> Section {
    Section { lock: lock.into(), length }
}

fn priority(server: &Part) -> Result<u32, Fault> {
    let policy = server.get("server_sched_parameters");
    let kind = policy.map_or("", |policy| policy.get("type").map_or("", |kind| kind.word()));
    if !["fixed_priority_policy", "interrupt_fp_policy"].contains(&kind) {
        return Err(
            server.fault("server_sched_parameters", format!("not supported: {kind}; expected fixed_priority_policy"))
        );
    }
    let given = policy.and_then(|policy| policy.get("the_priority")).and_then(|text| text.word().parse().ok());
    given.ok_or_else(|| server.fault("the_priority", "expected a whole number"))
}

fn processor(server: &Part, parts: &[Part], processors: &[&str]) -> Option<u32> {
    if processors.len() < 2 {
        return None;
    }
    let scheduler = parts.iter().find(|part| part.kind == "scheduler" && part.word("name") == server.word("scheduler"));
    let named = scheduler.map_or(server.word("server_processing_resource"), |scheduler| scheduler.word("host"));
    processors.iter().position(|known| *known == named).map(|place| place as u32)
}

fn deadline(one: &Part) -> Result<Option<Span>, Fault> {
    for event in one.list("internal_events") {
        if let Some(wanted) = event.get("timing_requirements") {
            let kind = wanted.get("type").map_or("", |kind| kind.word());
            if kind != "hard_global_deadline" {
                return Err(
                    one.fault("timing_requirements", format!("not supported: {kind}; expected hard_global_deadline"))
                );
            }
            return optional(wanted.get("deadline"), one, "deadline").map(Some);
        }
    }
    Ok(None)
}

fn word<'a>(group: &'a mast_text::Value, key: &str) -> &'a str {
    group.get(key).map_or("", |value| value.word())
}

fn span(part: &Part, key: &str) -> Result<Span, Fault> {
    optional(part.get(key), part, key)
}

fn optional(value: Option<&mast_text::Value>, part: &Part, key: &str) -> Result<Span, Fault> {
    value.map_or(Ok(Span(0)), |value| time(value.word(), UNIT_NS).map_err(|what| part.fault(key, what)))
}
