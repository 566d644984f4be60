// SPDX-License-Identifier: MIT OR Apache-2.0
//! Idle states of the measured CPU.
use crate::settings::form::Form;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_model::Cause;

/// A state with a lower exit latency than this, in microseconds, costs no more than one or two cache misses.
const CHEAP_US: u64 = 2;

pub const STATES: Setting = Setting {
    name: "idle-states",
    checks: &["idle states"],
    against: &[Suspect::Of(Cause::IdleExit)],
    does: "forbids the measured CPU the C-states that take more than 2 us to leave",
    harm: "the CPU uses more power while idle, and other CPUs may be clocked lower",
    changes: |machine| {
        let folder = format!("/sys/devices/system/cpu/cpu{}/cpuidle", machine.cpu);
        let state = |name: &String| {
            let latency: u64 = machine.read(&format!("{folder}/{name}/latency")).ok()?.parse().ok()?;
            let place = Place::file(format!("{folder}/{name}/disable"), Form::Text);
            (latency > CHEAP_US).then(|| Change::to(machine, place, "1")).flatten()
        };
        machine.names(&folder).iter().filter_map(state).collect()
    },
};
