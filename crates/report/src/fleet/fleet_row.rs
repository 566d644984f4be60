// SPDX-License-Identifier: MIT OR Apache-2.0
//! One device or run as a line and as JSON.
use crate::printable::printable;
use crate::{phrase, verdict};
use backwall_fleet::place;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Origin, Run};
use jiff::Timestamp;
use serde_json::{Value, json};

/// How far a device's clock may be off: the time that a run takes to arrive, plus a margin.
const OFF_SECONDS: i64 = 60;

#[derive(Clone, Debug)]
pub struct Outcome {
    pub device: String,
    pub earlier: bool,
    pub run: Result<FleetRow, String>,
}

#[derive(Clone, Debug)]
pub struct FleetRow {
    pub path: String,
    pub said: String,
    pub again: bool,
}

impl FleetRow {
    /// The row of a run that arrived now. If `since` is known, the run cannot have begun before it.
    pub fn of(run: &Run, kept: &place::RunFate, since: Option<Timestamp>, now: Timestamp) -> Self {
        let (path, again) = match kept {
            place::RunFate::New(path) => (path, false),
            place::RunFate::Same(path) => (path, true),
        };
        Self { path: path.display().to_string(), said: said(run, since, now), again }
    }
}

impl Outcome {
    pub fn line(&self) -> String {
        let device = match self.earlier {
            true => format!("{} (from an earlier call)", self.device),
            false => self.device.clone(),
        };
        printable(&match &self.run {
            Ok(FleetRow { said, again: true, .. }) => format!("{device}: {said}; already present"),
            Ok(FleetRow { said, path, again: false }) => format!("{device}: {said}; {path}"),
            Err(why) => format!("{device}: no run: {why}"),
        })
    }

    pub fn json(&self) -> Value {
        let Self { device, earlier, run } = self;
        match run {
            Ok(FleetRow { path, said, again }) => {
                json!({ "device": device, "earlier": earlier, "run": path, "said": said, "again": again })
            }
            Err(why) => json!({ "device": device, "earlier": earlier, "refused": why }),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Lately {
    pub device: String,
    /// The command and its process number on the device; `None` if the device returned nothing at all.
    pub of: Option<(String, u32)>,
    /// Path, length in nanoseconds, and number of events of the recording.
    pub came: Result<(String, u64, u64), String>,
}

impl Lately {
    pub fn none(device: &str, why: String) -> Self {
        Self { device: device.to_string(), of: None, came: Err(why) }
    }

    pub fn line(&self) -> String {
        let of = self.of.as_ref().map(|(command, process)| format!(" {command} {process}:")).unwrap_or_default();
        printable(&match &self.came {
            Ok((path, span_ns, events)) => {
                let (span, events) = (DisplayedValue(*span_ns, Unit::Ns), grouped(*events));
                format!("{}:{of} the last {span}, {events} events; {path}", self.device)
            }
            Err(why) => format!("{}:{of} no recording: {why}", self.device),
        })
    }

    pub fn json(&self) -> Value {
        let mut value = match &self.came {
            Ok((path, span_ns, events)) => json!({ "recording": path, "span_ns": span_ns, "events": events }),
            Err(why) => json!({ "refused": why }),
        };
        value["device"] = json!(self.device);
        if let Some((command, process)) = &self.of {
            (value["command"], value["process"]) = (json!(command), json!(process));
        }
        value
    }
}

fn said(run: &Run, since: Option<Timestamp>, now: Timestamp) -> String {
    let doubt = run.spoiled_line().map(|which| format!("NO EVIDENCE {which}: ")).unwrap_or_default();
    let figures = verdict::loaded(run).map_or("nothing was measured".to_string(), |series| {
        let max = series.max.map_or("none".to_string(), |max| phrase::value(max, series.unit));
        format!("{} max {max}, {} samples", series.key, grouped(series.counted()))
    });
    let origin = match run.origin {
        Origin::Measured => String::new(),
        origin => format!("{}: ", phrase::origin(origin)),
    };
    format!("{doubt}{origin}{figures}{}", off(run, since, now).unwrap_or_default())
}

/// Reports a clock that is off, because it would sort the device's history wrongly.
fn off(run: &Run, since: Option<Timestamp>, now: Timestamp) -> Option<String> {
    let started = run.began()?;
    let by = |from: Timestamp| started.duration_since(from).as_secs();
    let told = |which: &str, seconds: i64| format!("; its clock is {which} by {} s", grouped(seconds.unsigned_abs()));
    match since.map(by) {
        _ if by(now) > OFF_SECONDS => Some(told("ahead", by(now))),
        Some(seconds) if seconds < -OFF_SECONDS => Some(told("behind", seconds)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Plan;

    #[test]
    fn a_clock_that_is_off_is_told_where_it_can_be_known() {
        let at = |seconds: i64| Timestamp::from_second(seconds).unwrap();
        let run = |began: i64| Run::begin(Origin::Measured, Plan::default(), vec![], at(began));
        let off = |began: i64, since: Option<i64>| off(&run(began), since.map(at), at(10_000));
        assert_eq!(off(9_950, Some(9_940)), None);
        assert_eq!(off(13_600, Some(9_940)).unwrap(), "; its clock is ahead by 3,600 s");
        assert!(off(40, Some(9_940)).unwrap().contains("its clock is behind by 9"));
        assert_eq!(off(40, None), None, "it may have waited there");
    }
}
