// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the first words of a probe say of where it runs.
use run::{Device, Origin};
use std::collections::BTreeMap;
use units::Unit;
use wire::Hello;

/// Counted in instructions, told by a script, or measured.
pub(super) fn origin(hello: &Hello) -> Origin {
    match hello.unit {
        Unit::Instructions => Origin::Emulated,
        Unit::Ns if hello.scripted() => Origin::Simulated,
        Unit::Ns => Origin::Measured,
    }
}

/// The device with what its probe read of it; what has no member of its own is among `more`.
pub(super) fn device(hello: &Hello, texts: &BTreeMap<String, String>) -> Device {
    let mut more = texts.clone();
    more.remove("probe_tid");
    let mut take = |key: &str| more.remove(key).unwrap_or_default();
    let (kernel, cpu, cpus, preemption) = (take("kernel"), take("cpu"), take("cpus"), take("preemption"));
    let source = take("clock_source");
    let clock = if source.is_empty() { hello.clock.clone() } else { format!("{} ({source})", hello.clock) };
    let mut device = Device {
        kind: hello.device.clone(),
        kernel,
        cpu,
        cpus: cpus.parse().unwrap_or(0),
        clock,
        clock_hz: hello.rate.hz(),
        preemption,
        ..Device::default()
    };
    more.iter().for_each(|(name, text)| device.say(name, text));
    device
}
