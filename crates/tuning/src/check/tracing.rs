// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the kernel's trace can be read; the stages and the self-check need it.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::{Machine, Reading};
use backwall_ftrace::tracefs::Tracefs;
use backwall_os::container::Container;
use std::path::PathBuf;

/// Events needed for the stages of a wakeup, in addition to the entry of the timer interrupt.
const EVENTS: [&str; 5] = [
    "timer/hrtimer_start",
    "timer/hrtimer_expire_entry",
    "sched/sched_waking",
    "sched/sched_switch",
    "syscalls/sys_exit_clock_nanosleep",
];
const VECTORS: &str = "irq_vectors";
const VECTOR: &str = "irq_vectors/local_timer_entry";
/// Without interrupt vectors, the timer interrupt is an ordinary IRQ line.
const LINE: &str = "irq/irq_handler_entry";

const WHY: &str =
    "without the kernel's trace a run has no stages and no self-check; its other figures do not need the trace";

fn fix(machine: &Machine) -> &'static str {
    machine.container().map_or("run as root", Container::tracing)
}

struct Trace {
    root: PathBuf,
    shown: String,
    _held: Option<Tracefs>,
}

fn open(machine: &Machine) -> Result<Trace, String> {
    if machine.is_this() {
        let held = Tracefs::open().map_err(|error| error.to_string())?;
        let shown = held.root().display().to_string();
        let shown = if shown.starts_with("/proc/self/fd") { "tracefs".to_string() } else { shown };
        return Ok(Trace { root: held.root().to_path_buf(), shown, _held: Some(held) });
    }
    let shown = "/sys/kernel/tracing".to_string();
    Ok(Trace { root: machine.place(&shown), shown, _held: None })
}

pub(super) fn tracefs(machine: &Machine) -> Reading {
    let trace = match open(machine) {
        Ok(trace) => trace,
        Err(reason) => return Reading::note(reason, WHY).fix(fix(machine)),
    };
    match std::fs::read_dir(trace.root.join("instances")) {
        Ok(_) => {
            Reading::good(format!("{}: readable, with instances", trace.shown), "stages and self-check are available")
        }
        Err(error) => Reading::note(format!("{}/instances: {error}", trace.shown), WHY).fix(fix(machine)),
    }
}

pub(super) fn events(machine: &Machine) -> Reading {
    let trace = match open(machine) {
        Ok(trace) => trace,
        Err(reason) => return Reading::note(reason, WHY).fix(fix(machine)),
    };
    let there = |event: &str| trace.root.join("events").join(event).exists();
    let entry = if there(VECTORS) || !there(LINE) { VECTOR } else { LINE };
    let wanted = EVENTS.iter().copied().chain([entry]);
    let missing: Vec<&str> = wanted.clone().filter(|event| !there(event)).collect();
    let all = wanted.count();
    let found = format!("{}/events: {} of {all} of the stages' events", trace.shown, all - missing.len());
    if missing.is_empty() {
        return Reading::good(found, "backwall can measure every stage of a wakeup");
    }
    Reading::note(format!("{found}, without {}", missing.join(", ")), "stages that need these events are not shown")
}
