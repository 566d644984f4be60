// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our runs side by side with the tables of the 2002 paper, each with its own unit, never converted.
mod frequencies;
mod latencies;
pub mod operations;
mod published;

pub use frequencies::{frequencies, text as saturation_text};
pub use latencies::{latencies, phase_text, section as latency_section, shows as shows_latencies};

use super::table::Align;
use crate::run::Run;

const WORDS: Align = Align::Left;
const FIGURE: Align = Align::Right;
const ABSENT: &str = "-";

/// The load of the paper's rows.
fn polygons(loaded: bool) -> String {
    if loaded { "polygons" } else { "none" }.to_string()
}

/// The load of a run of the lab, which has one phase.
fn load(run: &Run) -> &str {
    run.plan.loads.first().map_or("none", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Origin, Plan};

    /// A run of the lab without figures.
    pub(super) fn run_of(guest: &str, load: &str) -> Run {
        let plan = Plan { measures: vec!["lab x".into()], loads: vec![load.into()], ..Plan::default() };
        let mut run = Run::begin(Origin::Emulated, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.device.kind = "lab:x".into();
        run.device.kernel = guest.into();
        run
    }
}
