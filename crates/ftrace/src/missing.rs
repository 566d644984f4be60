// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which events a recording lacks for the requested figures, and the command that records these events. Without them a figure
//! is unknown, not zero.
use crate::recording_file::RecordingSummary;
use backwall_model::units::{Unit, counted};
use backwall_trace::late::lates::Lates;
use backwall_trace::late::whose::Whose;

const MEASURED: [&str; 2] = ["timerlat", "sample_threshold"];

/// Whether the recording has switches. Counts events, because every format names them differently.
pub(super) fn has_switches(told: &RecordingSummary) -> bool {
    told.summary.switches > 0
}

fn record(told: &RecordingSummary) -> &'static str {
    if told.form.contains("perf") {
        "record with: perf record -a -e sched:sched_switch -e sched:sched_waking -e 'irq:*'"
    } else {
        "record with: trace-cmd record -e sched:sched_switch -e sched:sched_waking -e irq"
    }
}

/// Why a recording shows no CPU time of threads; `None` if it does, or if a tracer measured something.
pub fn for_account(told: &RecordingSummary) -> Option<String> {
    let is_measured = MEASURED.iter().any(|name| told.by_name.contains_key(*name));
    let answers = has_switches(told) || is_measured || told.tracer.is_some();
    (!answers).then(|| format!("no sched_switch events, so the CPU time of threads is unknown; {}", record(told)))
}

/// Why a recording shows no response of the chosen threads; `None` if it does, or if a tracer measured a section.
pub fn for_responses(told: &RecordingSummary, lates: &Lates) -> Option<String> {
    let is_section = told.tracer.as_ref().is_some_and(|tracer| tracer.is_of_section());
    if lates.responses > 0 || told.unit != Unit::Ns || is_section {
        return None;
    }
    let lacks = match (has_switches(told), told.summary.wakings > 0) {
        (true, true) => return Some(of_threads(told, lates)),
        (false, false) => "no sched_switch and no sched_waking events, so no response can be measured",
        (true, false) => "no sched_waking and no sched_wakeup events, so no response has a beginning",
        (false, true) => "no sched_switch events, so no response has an end",
    };
    Some(format!("{lacks}; {}", record(told)))
}

fn of_threads(told: &RecordingSummary, lates: &Lates) -> String {
    let has = |is: &dyn Fn(&str, i32) -> bool| told.summary.threads.iter().any(|one| is(&one.name, one.id));
    let list = "'backwall trace report --verbose' lists the threads";
    if lates.unseen > 0 {
        let began = counted(lates.unseen, "response", "responses");
        return format!("the end of {began} was not recorded; record for longer, or with larger buffers");
    }
    match &lates.question().whose {
        Whose::Number(id) if !has(&|_, other| other == *id) => format!("no thread {id}; {list}"),
        Whose::Name(name) if !has(&|other, _| other == name) => format!("no thread named {name}; {list}"),
        Whose::Number(id) => format!("thread {id} never woke up: it slept or ran the whole time; {list}"),
        Whose::Name(name) => format!("{name} never woke up: it slept or ran the whole time; {list}"),
        Whose::RealTime => "no real-time thread woke up; --thread all takes every thread".to_string(),
        Whose::All | Whose::Numbers(_) => "no thread woke up; record for longer".to_string(),
    }
}
