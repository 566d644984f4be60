// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device under test, as it describes itself.
use super::More;
use serde::{Deserialize, Serialize};

/// The device under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// What kind of system: `linux`, `detent`, `fake`, `capture`, or another name that the device reports.
    pub kind: String,
    /// Release and version of the kernel.
    pub kernel: String,
    /// CPU model.
    pub cpu: String,
    /// CPUs online.
    pub cpus: u32,
    /// The clock that the probe read, with its clock source.
    pub clock: String,
    /// The clock's rate in counts per second.
    pub clock_hz: u64,
    /// The preemption model of the kernel.
    pub preemption: String,
    /// Other facts that the device reported, added by [`Device::say`].
    #[serde(flatten)]
    pub more: More<String>,
}

const FIELDS: [&str; 7] = ["kind", "kernel", "cpu", "cpus", "clock", "clock_hz", "preemption"];

const LINUX: &str = "linux";

impl Device {
    /// Adds a fact that a device reported. It fills an unknown kernel, CPU or preemption model. A repeated fact is ignored.
    /// Another value for an existing field is stored as `said_NAME`.
    pub fn say(&mut self, name: &str, text: &str) {
        let field = match name {
            "kernel" => Some(&mut self.kernel),
            "cpu" => Some(&mut self.cpu),
            "preemption" => Some(&mut self.preemption),
            _ => None,
        };
        match field {
            Some(field) if field.is_empty() => *field = text.to_string(),
            Some(field) if *field == text => {}
            _ if name == "cpus" && self.cpus == 0 => self.cpus = text.parse().unwrap_or(0),
            _ if name == "cpus" && text == self.cpus.to_string() => {}
            _ => self.more.add(&FIELDS, name, text.to_string()),
        }
    }

    /// Scheduling policy of the device's real-time priorities, if known.
    pub fn scheduler(&self) -> Option<&'static str> {
        (self.kind == LINUX).then_some("SCHED_FIFO")
    }

    /// Release number of a Linux kernel, such as `6.18.44`.
    pub fn linux_release(&self) -> Option<&str> {
        let text = self.kernel.strip_prefix("Linux ").unwrap_or(&self.kernel);
        (self.kind == LINUX).then(|| text.split_whitespace().next().unwrap_or("unknown kernel"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_field_is_among_the_names_that_nothing_else_may_have() {
        let serde_json::Value::Object(written) = serde_json::to_value(Device::default()).unwrap() else { panic!() };
        let mut written: Vec<&str> = written.keys().map(String::as_str).collect();
        let mut fields = FIELDS.to_vec();
        written.sort_unstable();
        fields.sort_unstable();
        assert_eq!(written, fields);
    }

    #[test]
    fn what_a_guest_says_again_stands_once_and_what_differs_is_kept() {
        let mut device = Device { cpus: 1, cpu: "QEMU".into(), ..Device::default() };
        [("cpus", "1"), ("cpu", "QEMU Virtual CPU"), ("kernel", "Linux 6.1"), ("start", "booted"), ("cpus", "two")]
            .iter()
            .for_each(|(name, text)| device.say(name, text));
        let more: Vec<(&str, &str)> = device.more.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(more, [("said_cpu", "QEMU Virtual CPU"), ("said_cpus", "two"), ("start", "booted")]);
        assert_eq!((device.kernel.as_str(), device.cpus), ("Linux 6.1", 1));
    }

    proptest! {
        #[test]
        fn whatever_a_device_says_it_is_read_back_equal(
            said in prop::collection::vec((prop::sample::select(&["kind", "kernel", "cpu", "cpus", "clock", "clock_hz", "preemption", "said_cpu", "x", ""][..]), "[ -~]{0,8}"), 0..24),
            cpus in 0_u32..3,
        ) {
            let mut device = Device { cpus, ..Device::default() };
            said.iter().for_each(|(name, text)| device.say(name, text));
            let text = serde_json::to_string(&device).unwrap();
            prop_assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), device);
        }
    }
}
