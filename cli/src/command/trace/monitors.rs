// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automata of a rules file: kept, broken or undecided, as text and JSON.
use crate::exit::Exit;
use backwall_model::units::{Unit, counted, grouped};
use backwall_report::phrase::value as shown_as;
use backwall_trace::event::softirq;
use backwall_trace::event::{Name, Section};
use backwall_trace::rules::{Breach, Monitored};
use serde_json::{Value, json};

const EXAMPLES: usize = 3;

pub(super) fn exit(found: &Monitored) -> Exit {
    match (found.broken, undecided(found)) {
        (1.., _) => Exit::Failed,
        (_, Some(_)) => Exit::Undecided,
        _ => Exit::Done,
    }
}

/// Why backwall cannot decide whether the recording obeys an automaton, if it found no breach. `None` if the recording obeys it.
fn undecided(found: &Monitored) -> Option<String> {
    let Monitored { monitor, taken, gaps, missing, .. } = found;
    match (missing.is_empty(), gaps, taken) {
        (false, ..) => Some(format!("the recording has no {}", missing.join(", "))),
        (_, 1.., _) => Some(format!("the recording lost events in {}", counted(*gaps, "place", "places"))),
        (_, _, 0) if monitor.automaton.forbids.is_empty() => Some("none of its events occurred".to_string()),
        _ => None,
    }
}

pub(super) fn value(monitored: &[Monitored]) -> Value {
    let breach = |breach: &Breach| {
        json!({
            "at_ns": breach.at_ns, "cpu": breach.cpu, "event": breach.event.map(|symbol| symbol.words()),
            "thread": breach.thread.map(|(id, name)| json!({ "id": id, "name": name.to_string() })),
            "states": breach.states, "by": { "id": breach.by.0, "name": breach.by.1.to_string() },
            "within": breach.within.map(section),
        })
    };
    let one = |found: &Monitored| {
        json!({
            "monitor": found.monitor.automaton.name, "holds": found.monitor.automaton.holds, "events": found.taken,
            "broken": found.broken, "gaps": found.gaps, "missing": found.missing,
            "verdict": word(found), "examples": found.examples.iter().map(breach).collect::<Vec<_>>(),
        })
    };
    monitored.iter().map(one).collect()
}

fn word(found: &Monitored) -> &'static str {
    match exit(found) {
        Exit::Failed => "broken",
        Exit::Undecided => "undecided",
        _ => "kept",
    }
}

pub(super) fn said(monitored: &[Monitored], unit: Unit) -> String {
    monitored.iter().map(|found| one(found, unit)).collect()
}

fn one(found: &Monitored, unit: Unit) -> String {
    let automaton = found.monitor.automaton;
    let mut text = format!("{}: monitor {}: {}\n", word(found), automaton.name, automaton.holds);
    text += &format!("  {} events, {} breaches", grouped(found.taken), grouped(found.broken));
    text += &undecided(found).map_or(String::new(), |why| format!("; {why}"));
    text += "\n";
    for breach in found.examples.iter().take(EXAMPLES) {
        text += &format!("  {}\n", of_breach(breach, found, unit));
    }
    text
}

fn of_breach(breach: &Breach, found: &Monitored, unit: Unit) -> String {
    let place = format!("at {} ns on CPU {}", grouped(breach.at_ns), breach.cpu);
    let who = breach.thread.map_or(String::new(), |thread| format!("{} ", named(thread)));
    let state = breach.states.join(" or ");
    let Some(symbol) = breach.event else {
        let limit = shown_as(found.monitor.within_ns, unit);
        return format!("{place}: {who}stayed in state {state} for more than {limit}");
    };
    let within = breach.within.map_or(String::new(), |within| format!(", in {}", section(within)));
    format!("{place}: {who}{} in state {state}, while {} had the CPU{within}", symbol.words(), named(breach.by))
}

fn named((id, name): (i32, Name)) -> String {
    match (id, name.to_string()) {
        (0, _) => "the idle thread".to_string(),
        (id, name) if name.is_empty() => format!("thread {id}"),
        (id, name) => format!("{name} ({id})"),
    }
}

fn section(section: Section) -> String {
    match section {
        Section::Interrupt(name) => format!("interrupt {name}"),
        Section::Softirq(number) => format!("softirq {}", softirq::name(number)),
    }
}
