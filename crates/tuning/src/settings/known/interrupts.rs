// SPDX-License-Identifier: MIT OR Apache-2.0
//! CPUs on which device interrupts run.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::settings::form::{Form, mask};
use crate::settings::machine::{Machine, processors};
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_os::interrupt_source::Source;

/// Moves every device interrupt that may run on the measured CPU to the other CPUs, and also interrupts that drivers
/// request later.
pub const AFFINITY: Setting = Setting {
    name: "interrupt-affinity",
    checks: &["interrupts seen", "interrupts"],
    against: &[Suspect::Device, Suspect::Softirq],
    does: "sends the interrupts of devices to the other CPUs",
    harm: "a device whose interrupt moves may be slower; irqbalance, if active, writes these files too",
    changes: |machine| {
        let Some(others) = machine.others() else { return Vec::new() };
        let lines = machine.names("/proc/irq").into_iter().filter(|name| name.parse::<u32>().is_ok());
        let moved = lines.filter_map(|line| line_to(machine, &line, &others));
        moved.chain(later(machine, &others)).collect()
    },
};

/// An interrupt line that nobody requested has no folder and nothing to move.
fn line_to(machine: &Machine, line: &str, others: &str) -> Option<Change> {
    let folder = format!("/proc/irq/{line}");
    let names = machine.names(&folder);
    let handler = names.iter().find(|name| machine.place(&format!("{folder}/{name}")).is_dir())?;
    if source(machine, line, handler) != Source::Device {
        return None;
    }
    let may = |name: &str| machine.read(&format!("{folder}/{name}")).ok().filter(|list| !list.is_empty());
    let here = may("effective_affinity_list").or_else(|| may("smp_affinity_list"))?;
    let place = Place::file(format!("{folder}/smp_affinity_list"), Form::List);
    processors(&here).contains(&machine.cpu).then(|| Change::to(machine, place, others)).flatten()
}

/// Source of the line, as the kernel has reported it since 4.9; unknown sources count as devices.
fn source(machine: &Machine, line: &str, handler: &str) -> Source {
    let told = |name: &str| machine.read(&format!("/sys/kernel/irq/{line}/{name}")).unwrap_or_default();
    Source::of(told("chip_name").trim(), told("hwirq").trim().parse().ok(), handler)
}

fn later(machine: &Machine, others: &str) -> Option<Change> {
    Change::to(machine, Place::file("/proc/irq/default_smp_affinity", Form::Mask), mask(&processors(others)))
}
