// SPDX-License-Identifier: MIT OR Apache-2.0
//! CPUs for unbound kernel work, and how RCU waits.
use crate::settings::form::{Form, mask};
use crate::settings::machine::processors;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;

const FOLDER: &str = "/sys/devices/virtual/workqueue";

pub const UNBOUND: Setting = Setting {
    name: "workqueues",
    checks: &["kernel threads"],
    against: &[Suspect::Kernel("kworker/u")],
    does: "moves unbound kernel work to the other CPUs",
    harm: "such work has fewer CPUs",
    changes: |machine| {
        let Some(others) = machine.others() else { return Vec::new() };
        let place = Place::file(format!("{FOLDER}/cpumask"), Form::Mask);
        Change::to(machine, place, mask(&processors(&others))).into_iter().collect()
    },
};

pub const EXPEDITED: Setting = Setting {
    name: "rcu-expedited",
    checks: &[],
    against: &[Suspect::Call],
    does: "makes the kernel wait for RCU without an interrupt to every CPU",
    harm: "operations that wait for RCU, such as unmounting or changing networks, take longer",
    changes: |machine| {
        Change::to(machine, Place::file("/sys/kernel/rcu_normal", Form::Text), "1").into_iter().collect()
    },
};
