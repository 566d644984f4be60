// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our runs next to the tables of the 2002 papers. Each keeps its own unit; nothing is converted.
mod completions;
mod event_figures;
mod event_limit;
mod event_sections;
mod event_tables;
mod frequencies;
mod latencies;
mod marks;
mod modes;
pub mod operations;
mod operations_beside;
pub mod polygons;
pub mod published;
pub mod systems;
pub mod timing;

pub use completions::completions;
pub use event_sections::{
    foremost as event_foremost, sections as event_sections, sentence as event_sentence, text as event_text,
};
pub use event_tables::{is_of as is_of_experiments, is_of_events};
pub use frequencies::{frequencies, published as published_frequencies, text as saturation_text};
pub use latencies::{
    latencies, phase_text, published as published_latencies, section as latency_section, shows as shows_latencies,
};
pub use marks::{figure_11 as marks_of_figure_11, table_1 as marks_of_table_1};
pub use modes::by_mode;
pub use operations_beside::operations_beside;

use super::table::Align;
use backwall_model::Run;

const WORDS: Align = Align::Left;
const FIGURE: Align = Align::Right;
const ABSENT: &str = "-";

fn polygons(loaded: bool) -> String {
    if loaded { "polygons" } else { "none" }.to_string()
}

pub fn name(run: &Run) -> &str {
    let measure = run.plan.measures.first().map_or("", String::as_str);
    measure.strip_prefix("lab ").unwrap_or(measure)
}

/// Whether to show the papers' figures for whole systems: only for runs of Detent, which is compared with those systems.
pub fn is_beside_systems(runs: &[&Run]) -> bool {
    runs.iter().any(|run| run.device.kind.starts_with("lab:detent"))
}

fn load(run: &Run) -> &str {
    run.plan.loads.first().map_or("none", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use backwall_model::{Key, Origin, Plan, Series, Span};
    use backwall_stats::SeriesBuilder;

    pub(super) fn run_of(guest: &str, load: &str) -> Run {
        let plan = Plan { measures: vec!["lab x".into()], loads: vec![load.into()], ..Plan::default() };
        let mut run = Run::begin(Origin::Emulated, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.device.kind = "lab:detent".into();
        run.device.kernel = guest.into();
        run
    }

    pub(super) fn series(name: &str, values: &[u64]) -> Series {
        let span = Span::new("stimulus_a", name, Unit::Instructions);
        let mut builder = SeriesBuilder::new(Key::new(name, "none", "as-is"), span);
        for (seq, value) in values.iter().enumerate() {
            builder.sample(seq as u64, seq as u64 * 1_000, *value, false);
        }
        builder.missed(9_000, 1);
        builder.build()
    }
}
