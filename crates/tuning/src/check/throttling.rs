// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may stop a busy real-time thread: throttling until Linux 6.11, the fair server since 6.12.
use super::{Machine, Reading};

const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const PERIOD: &str = "/proc/sys/kernel/sched_rt_period_us";

fn fair_server_file(machine: &Machine, name: &str) -> String {
    format!("/sys/kernel/debug/sched/fair_server/cpu{}/{name}", machine.cpu)
}

/// Whether throttling or a fair server may stop threads on the measured CPU. For an unreadable value this assumes the default,
/// which may stop threads.
pub(super) fn active(machine: &Machine) -> bool {
    if machine.has_fair_server() {
        return machine.number(&fair_server_file(machine, "runtime")).map_or(true, |ns| ns > 0);
    }
    match (machine.number(RUNTIME), machine.number(PERIOD)) {
        (Ok(runtime), Ok(period)) => (0..period).contains(&runtime),
        _ => true,
    }
}

pub(super) fn throttling(machine: &Machine) -> Reading {
    let why = "Linux stops real-time threads that use more than this share of a period, so that others do not starve";
    let (runtime, period) = match (machine.number(RUNTIME), machine.number(PERIOD)) {
        (Ok(runtime), Ok(period)) => (runtime, period),
        (Err(unread), _) | (_, Err(unread)) => return Reading::unknown(&unread, why),
    };
    let found = format!("{RUNTIME}: {runtime} of {period} us");
    match (machine.has_fair_server(), runtime) {
        (true, _) => Reading::note(
            found,
            "since Linux 6.12 the fair server replaces this limit; the value no longer throttles, and -1 has no effect",
        ),
        (false, ..0) => {
            Reading::good(found, "off: real-time threads are never throttled; a runaway thread blocks its CPU forever")
        }
        (false, _) if runtime >= period => Reading::good(found, "real-time threads may use the whole period"),
        (false, _) => Reading::note(
            found,
            format!(
                "a real-time thread that does not sleep is stopped for {} us in each period; one that sleeps is not",
                period - runtime
            ),
        )
        .fix(format!("only if no real-time thread can loop forever\necho -1 > {RUNTIME}")),
    }
}

pub(super) fn fair_server(machine: &Machine) -> Reading {
    let why = "since Linux 6.12 the fair server runs ordinary threads that wait too long, even against a real-time \
        thread: by default 50 ms in each second";
    if !machine.has_fair_server() {
        return match machine.kernel() {
            Ok((major, minor)) => Reading::good(
                format!("/proc/sys/kernel/osrelease: Linux {major}.{minor}"),
                "kernels before 6.12 have none",
            ),
            Err(unread) => Reading::unknown(&unread, why),
        };
    }
    let file = fair_server_file(machine, "runtime");
    match (machine.number(&file), machine.number(&fair_server_file(machine, "period"))) {
        (Ok(0), _) => {
            Reading::good(format!("{file}: 0"), "off: ordinary threads starve while a real-time thread does not sleep")
        }
        (Ok(runtime), Ok(period)) => serving(machine, &file, runtime, period),
        (Err(unread), _) | (_, Err(unread)) => Reading::unknown(&unread, why),
    }
}

fn serving(machine: &Machine, file: &str, runtime: i64, period: i64) -> Reading {
    let found = format!("{file}: {runtime} of {period} ns");
    let hole = format!(
        "ordinary threads may take {:.0} ms in each {:.0} ms from a real-time thread that does not sleep",
        runtime as f64 / 1e6,
        period as f64 / 1e6
    );
    let fix = format!("switch the fair server off on this CPU{}\necho 0 > {file}", mounting(machine));
    if machine.number(RUNTIME).is_ok_and(|us| us < 0) {
        return Reading::bad(found, format!("{hole}; {RUNTIME} is -1, but that no longer prevents this")).fix(fix);
    }
    Reading::note(found, format!("{hole}; one that sleeps is not affected")).fix(fix)
}

fn mounting(machine: &Machine) -> &'static str {
    if machine.debugfs_is_private() { "\nmount -t debugfs none /sys/kernel/debug" } else { "" }
}
