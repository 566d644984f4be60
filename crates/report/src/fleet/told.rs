// SPDX-License-Identifier: MIT OR Apache-2.0
//! One device or run as a line and as JSON.
use crate::printable::printable;
use crate::{phrase, verdict};
use fleet::place;
use jiff::{Span, Timestamp};
use run::{Origin, Run};
use serde_json::{Value, json};
use units::grouped;

/// A clock may be ahead by the time that a run takes to arrive, and some.
const AHEAD_SECONDS: i64 = 60;

/// What came of a device: a run, or why there is none.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device.
    pub device: String,
    /// Where its run is and what it says, or the line that says why there is none.
    pub run: Result<Kept, String>,
}

/// A run that is with the fleet.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where it is.
    pub path: String,
    /// What is said of it.
    pub said: String,
    /// It was there already.
    pub again: bool,
}

impl Kept {
    /// Of a run that arrived now.
    pub fn of(run: &Run, kept: &place::Kept, now: Timestamp) -> Self {
        let (path, again) = match kept {
            place::Kept::New(path) => (path, false),
            place::Kept::Same(path) => (path, true),
        };
        Self { path: path.display().to_string(), said: said(run, now), again }
    }
}

impl Outcome {
    /// As a line.
    pub fn line(&self) -> String {
        let device = &self.device;
        printable(&match &self.run {
            Ok(Kept { said, again: true, .. }) => format!("{device}: {said}; it was there already"),
            Ok(Kept { said, path, again: false }) => format!("{device}: {said}; {path}"),
            Err(why) => format!("{device}: no run: {why}"),
        })
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        match &self.run {
            Ok(Kept { path, said, again }) => {
                json!({ "device": self.device, "run": path, "said": said, "again": again })
            }
            Err(why) => json!({ "device": self.device, "refused": why }),
        }
    }
}

/// The figures of a run in a few words, behind what makes them doubtful and what they come from.
fn said(run: &Run, now: Timestamp) -> String {
    let doubt = run.spoiled_line().map(|which| format!("NO EVIDENCE {which}: ")).unwrap_or_default();
    let figures = verdict::headline(run).map_or("nothing was measured".to_string(), |series| {
        let max = series.max.map_or("none".to_string(), |max| phrase::value(max, series.unit));
        format!("{} max {max}, {} samples", series.key, grouped(series.counted()))
    });
    let origin = match run.origin {
        Origin::Measured => String::new(),
        origin => format!("{}: ", phrase::origin(origin)),
    };
    format!("{doubt}{origin}{figures}{}", ahead(run, now).unwrap_or_default())
}

/// A clock that is off sorts the device's history wrongly.
fn ahead(run: &Run, now: Timestamp) -> Option<String> {
    let started: Timestamp = run.started.parse().ok()?;
    let limit = now.checked_add(Span::new().seconds(AHEAD_SECONDS)).ok()?;
    let seconds = started.duration_since(now).as_secs();
    (started > limit).then(|| format!("; its clock is ahead by {} s", grouped(seconds.unsigned_abs())))
}
