// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that the kernel takes from real-time threads to give it to other threads.
use crate::settings::form::Form;
use crate::settings::machine::Machine;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_model::Cause;

const SCHED: &str = "/sys/kernel/debug/sched";
const RT_RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";

/// First turns off the kernel's account of the time promised to SCHED_DEADLINE, then sets the server's time. Linux 6.12 omits the
/// servers' time from that account. With the account on, any smaller share would make it negative, and the kernel refuses that
/// (`EBUSY`).
fn server(machine: &Machine, name: &str) -> Vec<Change> {
    let file = format!("{SCHED}/{name}/cpu{}/runtime", machine.cpu);
    let Some(change) = Change::to(machine, Place::file(file, Form::Text), "0") else { return Vec::new() };
    unlimited(machine).into_iter().chain([change]).collect()
}

fn unlimited(machine: &Machine) -> Option<Change> {
    Change::to(machine, Place::file(RT_RUNTIME, Form::Text), "-1")
}

pub const THROTTLING: Setting = Setting {
    name: "throttling",
    checks: &["throttling"],
    against: &[Suspect::Of(Cause::Throttling)],
    does: "never stops a real-time thread that does not sleep",
    harm: "a real-time thread that never sleeps blocks its CPU forever",
    changes: |machine| {
        if machine.has_fair_server() {
            return Vec::new();
        }
        unlimited(machine).into_iter().collect()
    },
};

/// The fair server, since Linux 6.12.
pub const FAIR_SERVER: Setting = Setting {
    name: "fair-server",
    checks: &["fair server"],
    against: &[Suspect::Of(Cause::Throttling)],
    does: "on the measured CPU, never lets ordinary threads interrupt a real-time thread that does not sleep",
    harm: "ordinary threads starve there while a real-time thread does not sleep; the kernel no longer refuses \
        SCHED_DEADLINE threads that ask for too much",
    changes: |machine| server(machine, "fair_server"),
};

pub const EXT_SERVER: Setting = Setting {
    name: "ext-server",
    checks: &[],
    against: &[Suspect::Of(Cause::Throttling)],
    does: "never lets threads of a BPF scheduler (sched_ext) interrupt a real-time thread on the measured CPU",
    harm: "threads of a BPF scheduler starve there while a real-time thread does not sleep",
    changes: |machine| server(machine, "ext_server"),
};
