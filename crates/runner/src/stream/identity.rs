// SPDX-License-Identifier: MIT OR Apache-2.0
//! The facts about a device in the first records of a probe.
use backwall_model::units::Unit;
use backwall_model::{Device, Origin, processor};
use backwall_wire::Hello;
use std::collections::BTreeMap;

/// Emulated (the unit is instructions), simulated (scripted), or measured.
pub(crate) fn origin(hello: &Hello) -> Origin {
    match hello.unit {
        Unit::Instructions => Origin::Emulated,
        Unit::Ns if hello.scripted() => Origin::Simulated,
        Unit::Ns => Origin::Measured,
    }
}

/// The device with the facts that its probe read. Unknown keys go to `more`.
pub(crate) fn device(hello: &Hello, texts: &BTreeMap<String, String>) -> Device {
    let mut more = texts.clone();
    more.remove("probe_tid");
    let mut take = |key: &str| more.remove(key).unwrap_or_default();
    let (kernel, cpu, cpus, preemption) = (take("kernel"), take("cpu"), take("cpus"), take("preemption"));
    let source = take("clock_source");
    let parts = texts.get(processor::PARTS).and_then(|parts| processor::of_parts(parts));
    let clock = if source.is_empty() { hello.clock.clone() } else { format!("{} ({source})", hello.clock) };
    let mut device = Device {
        kind: hello.device.clone(),
        kernel,
        cpu: if cpu.is_empty() { parts.unwrap_or_default() } else { cpu },
        cpus: cpus.parse().unwrap_or(0),
        clock,
        clock_hz: hello.rate.hz(),
        preemption,
        ..Device::default()
    };
    more.iter().for_each(|(name, text)| device.say(name, text));
    device
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::ClockRate;

    #[test]
    fn a_board_s_processor_is_named_by_its_parts_and_the_board_is_said() {
        let hello = Hello {
            version: 1,
            device: "linux".into(),
            rate: ClockRate::new(54_000_000).unwrap(),
            unit: Unit::Ns,
            clock: "CLOCK_MONOTONIC".into(),
        };
        let said = |rows: &[(&str, &str)]| {
            let texts = rows.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
            device(&hello, &texts)
        };
        let board = said(&[("cpu_parts", "0x41:0xd08"), ("board", "Raspberry Pi 4 Model B Rev 1.4")]);
        assert_eq!(board.cpu, "Arm Cortex-A72");
        assert_eq!(board.more["board"], "Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!(board.more["cpu_parts"], "0x41:0xd08", "what was said stays beside the name");
        assert_eq!(said(&[("cpu", "AMD EPYC"), ("cpu_parts", "0x41:0xd08")]).cpu, "AMD EPYC");
        assert_eq!(said(&[]).cpu, "");
    }
}
