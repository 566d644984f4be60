// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frequency of the measured CPU.
use crate::settings::form::Form;
use crate::settings::machine::Machine;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_model::Cause;

fn file(machine: &Machine, name: &str) -> String {
    format!("/sys/devices/system/cpu/cpu{}/cpufreq/{name}", machine.cpu)
}

pub const GOVERNOR: Setting = Setting {
    name: "governor",
    checks: &["governor"],
    against: &[Suspect::Of(Cause::Frequency)],
    does: "keeps the measured CPU at its highest frequency",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| {
        Change::to(machine, Place::file(file(machine, "scaling_governor"), Form::Text), "performance")
            .into_iter()
            .collect()
    },
};

fn limit(machine: &Machine, name: &str) -> Vec<Change> {
    let Ok(highest) = machine.read(&file(machine, "cpuinfo_max_freq")) else { return Vec::new() };
    Change::to(machine, Place::file(file(machine, name), Form::Text), highest).into_iter().collect()
}

pub const CEILING: Setting = Setting {
    name: "frequency-ceiling",
    checks: &["governor"],
    against: &[Suspect::Of(Cause::Frequency)],
    does: "lets the measured CPU use its highest frequency",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| limit(machine, "scaling_max_freq"),
};

pub const FLOOR: Setting = Setting {
    name: "frequency-floor",
    checks: &["governor"],
    against: &[Suspect::Of(Cause::Frequency)],
    does: "forbids the measured CPU every frequency but the highest",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| limit(machine, "scaling_min_freq"),
};

/// `energy_performance_preference`, where the CPU chooses its frequency itself.
pub const PREFERENCE: Setting = Setting {
    name: "energy-preference",
    checks: &["governor"],
    against: &[Suspect::Of(Cause::Frequency)],
    does: "asks the measured CPU, which sets its own frequency, for speed instead of saving",
    harm: "more power and heat, which may end in thermal throttling",
    changes: |machine| {
        let place = Place::file(file(machine, "energy_performance_preference"), Form::Text);
        Change::to(machine, place, "performance").into_iter().collect()
    },
};
