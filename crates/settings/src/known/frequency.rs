// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frequency of the measured processor.
use crate::form::Form;
use crate::machine::Machine;
use crate::place::Place;
use crate::setting::{Change, Setting};

fn file(machine: &Machine, name: &str) -> String {
    format!("/sys/devices/system/cpu/cpu{}/cpufreq/{name}", machine.cpu)
}

/// `scaling_governor`.
pub const GOVERNOR: Setting = Setting {
    name: "governor",
    checks: &["governor"],
    causes: &["frequency"],
    does: "keeps the measured processor at its highest frequency",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| {
        Change::to(machine, Place::file(file(machine, "scaling_governor"), Form::Text), "performance")
            .into_iter()
            .collect()
    },
};

/// `scaling_min_freq`.
pub const FLOOR: Setting = Setting {
    name: "frequency-floor",
    checks: &["governor"],
    causes: &["frequency"],
    does: "forbids the measured processor every frequency but the highest",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| {
        let Ok(highest) = machine.read(&file(machine, "cpuinfo_max_freq")) else { return Vec::new() };
        Change::to(machine, Place::file(file(machine, "scaling_min_freq"), Form::Text), highest).into_iter().collect()
    },
};
