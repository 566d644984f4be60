// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON common to rt-tests' programs: the header, and classes of a microsecond.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported};
use super::lines::whole;
use backwall_model::Device;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) fn json<T: DeserializeOwned>(source: &mut dyn BufRead, tool: &str) -> Result<T, BadImport> {
    serde_json::from_str(&whole(source)?).map_err(|error| BadImport::whole(format!("not what {tool} writes: {error}")))
}

/// The head of the file. Two of its keys end with a colon.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Head {
    #[serde(rename = "cmdline:", alias = "cmdline")]
    cmdline: Option<String>,
    #[serde(rename = "rt_test_version:", alias = "rt_test_version")]
    version: Option<String>,
    start_time: Option<String>,
    end_time: Option<String>,
    resolution_in_ns: u64,
    sysinfo: System,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct System {
    sysname: String,
    release: String,
    version: String,
    machine: String,
    realtime: Option<i64>,
    cpus_online: u32,
    resolution_in_ns: u64,
}

impl Head {
    /// Nanoseconds per unit: 1,000, unless the tool ran in nanoseconds.
    pub(super) fn unit_ns(&self) -> u64 {
        let told = [self.resolution_in_ns, self.sysinfo.resolution_in_ns];
        told.into_iter().find(|resolution| *resolution > 0).unwrap_or(US)
    }

    pub(super) fn imported(&self, tool: &str) -> Imported {
        let version = self.version.as_ref().map_or(String::new(), |version| format!(" {version}"));
        let instant = |text: &Option<String>| text.as_deref().and_then(instant);
        let (started, ended) = (instant(&self.start_time), instant(&self.end_time));
        let seconds = started.zip(ended).map(|(from, to)| from.duration_until(to).as_secs_f64());
        Imported {
            tool: format!("{tool}{version}"),
            asked: self.cmdline.clone(),
            device: self.sysinfo.device(),
            started,
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            ..Imported::default()
        }
    }
}

impl System {
    fn device(&self) -> Device {
        let words = [&self.sysname, &self.release, &self.version].map(String::as_str);
        let preemption = match self.realtime {
            Some(0) => "not PREEMPT_RT",
            Some(_) => "PREEMPT_RT",
            None => "",
        };
        Device {
            kind: self.sysname.to_lowercase(),
            kernel: words.join(" ").trim().to_string(),
            cpu: self.machine.clone(),
            cpus: self.cpus_online,
            preemption: preemption.to_string(),
            ..Device::default()
        }
    }
}

fn instant(text: &str) -> Option<Timestamp> {
    rfc2822::parse(text).ok().map(|zoned| zoned.timestamp())
}

/// Counts, with the whole number of units as a text key: `"59": 4`.
pub(super) type Counts = BTreeMap<String, u64>;

pub(super) fn classes(counted: &mut Counted, counts: &Counts, unit_ns: u64) -> Result<(), BadImport> {
    let place = counted.key.label();
    for (value, count) in counts {
        let low = value.parse::<u64>().ok().and_then(|value| value.checked_mul(unit_ns));
        let class = low.and_then(|low| {
            counted.end = counted.end.max(low.checked_add(unit_ns)?);
            counted.value(low, *count)
        });
        class.ok_or_else(|| {
            BadImport::whole(format!("{place}: histogram: {value:?} is not a whole number, or is duplicate"))
        })?;
    }
    Ok(())
}

/// Converts a figure from units to nanoseconds.
pub(super) fn ns(value: u64, unit_ns: u64, what: &str) -> Result<u64, BadImport> {
    value.checked_mul(unit_ns).ok_or_else(|| BadImport::whole(format!("{what} of {value} is out of range")))
}
