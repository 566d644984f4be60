// SPDX-License-Identifier: MIT OR Apache-2.0
use crate::settings::form::Form;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;

pub const MIGRATION: Setting = Setting {
    name: "timer-migration",
    checks: &["timer migration"],
    against: &[Suspect::Timers],
    does: "leaves timers on the CPU on which they were set",
    harm: "idle CPUs wake more often for timers of their own",
    changes: |machine| {
        Change::to(machine, Place::file("/proc/sys/kernel/timer_migration", Form::Text), "0").into_iter().collect()
    },
};
