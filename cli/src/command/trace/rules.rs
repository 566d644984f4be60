// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace report --rules FILE TRACE`: evaluates rules on a recording and accounts for each.
use super::monitors;
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_ftrace::recording_file;
use backwall_model::units::{Unit, grouped};
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::regular_file;
use backwall_report::phrase::value as shown_as;
use backwall_report::wrap::narrow;
use backwall_trace::event::Stamped;
use backwall_trace::read::error::ReadError;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::rules::{Account, Evaluation, Example, Present, Rule, Watched, parse};
use serde_json::{Value, json};
use std::path::Path;

const MOST: u64 = 1 << 20;
const EXAMPLES: usize = 3;

/// Evaluates the rules of a file on a recording; exits with 1 if one is violated, 3 if one is undecided.
pub(super) fn run(trace: &Path, file: &Path, printing: Printing) -> anyhow::Result<Exit> {
    let refused = |what: String| usage(format!("{}: {what}", file.display()));
    let text = regular_file::text(file, MOST).map_err(|error| refused(error.to_string()))?;
    let rules = parse(&text).map_err(|mistake| refused(mistake.to_string()))?;
    let shown = Activity::begin(!printing.is_text(), || "reading the recording".to_string());
    let (place, mut stored) = recording_file::open(trace)?;
    let refused_trace = |error: ReadError| usage(format!("{}: {error}", place.display()));
    let mut present = Present::default();
    if !rules.monitors.is_empty() {
        stored.play(&mut present).map_err(refused_trace)?;
    }
    let mut both = Both { rules: Evaluation::new(rules.rules), monitors: Watched::new(rules.monitors, &present) };
    stored.play(&mut both).map_err(refused_trace)?;
    let unit = stored.about().unit;
    let (judged, monitored) = (both.rules.finish(), both.monitors.finish());
    drop(shown);
    printing.show(
        || json!({ "rules": value(&judged), "monitors": monitors::value(&monitored) }),
        || narrow(&(said(&judged, unit) + &monitors::said(&monitored, unit)), console::columns()),
    )?;
    let of_rules = judged.iter().map(|(_, account)| match account {
        Account { violated: 1.., .. } => Exit::Failed,
        Account { undecided: 1.., .. } | Account { due: 0, .. } => Exit::Undecided,
        _ => Exit::Done,
    });
    Ok(of_rules.chain(monitored.iter().map(monitors::exit)).fold(Exit::Done, Exit::worse))
}

/// Passes the same events to the rules and the automata.
struct Both {
    rules: Evaluation,
    monitors: Watched,
}

impl Receiver for Both {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.rules.event(cpu, stamped);
        if self.monitors.is_any() {
            self.monitors.event(cpu, stamped);
        }
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.rules.gap_begins(cpu, at_ns);
        self.monitors.gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.rules.gap(cpu, at_ns);
        self.monitors.gap(cpu, at_ns);
    }
}

fn value(judged: &[(Rule, Account)]) -> Value {
    let one = |(rule, account): &(Rule, Account)| {
        let Account { due, kept, excused, violated, undecided, longest_ns, examples } = account;
        let example = |example: &Example| {
            let cause = example
                .cause
                .map(|holder| json!({ "thread": holder.thread, "name": holder.name.to_string(), "ns": holder.ns }));
            json!({ "at_ns": example.at_ns, "cpu": example.cpu, "cause": cause })
        };
        json!({
            "rule": rule.text, "due": due, "kept": kept, "excused": excused, "violated": violated,
            "undecided": undecided, "longest_ns": longest_ns, "examples": examples.iter().map(example).collect::<Vec<_>>(),
        })
    };
    judged.iter().map(one).collect()
}

fn said(judged: &[(Rule, Account)], unit: Unit) -> String {
    judged.iter().map(|(rule, account)| of_rule(rule, account, unit)).collect()
}

fn of_rule(rule: &Rule, account: &Account, unit: Unit) -> String {
    let Account { due, kept, excused, violated, undecided, longest_ns, examples } = account;
    let [kept, excused, violated_times, undecided_times] =
        [kept, excused, violated, undecided].map(|count| grouped(*count));
    let verdict = match account {
        Account { due: 0, .. } => "undecided: the first event of the rule never occurred",
        Account { violated: 1.., .. } => "violated",
        Account { undecided: 1.., .. } => "undecided: the recording lost events or ends too early",
        _ => "kept",
    };
    let mut text = format!("{verdict}: {}\n", rule.text);
    text += &format!(
        "  {} due: {kept} kept, {excused} excused, {violated_times} violated, {undecided_times} undecided",
        grouped(*due)
    );
    text += &longest_ns.map_or(String::new(), |ns| format!("; longest {}", shown_as(ns, unit)));
    text += "\n";
    for example in examples.iter().take(EXAMPLES) {
        let cause = example.cause.map_or("no sched_switch event shows who had the CPU".to_string(), |holder| {
            format!("{} ({}) had the CPU for {}", holder.name, holder.thread, shown_as(holder.ns, unit))
        });
        text += &format!("  at {} ns on CPU {}: {cause}\n", grouped(example.at_ns), example.cpu);
    }
    text
}
