// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forecast maximum of a longer run as text and as JSON: the answer, then each phase, then how reliable it is.
use super::grid::Grid;
use super::phrase::{short_phase, value};
use super::table::Align;
use super::wrap::{narrow, wrapped};
use backwall_model::Key;
use backwall_model::units::{Unit, grouped};
use backwall_stats::forecast::{Forecast, Interval, Refusal, Tail};
use serde::{Serialize, Serializer};

#[derive(Debug, Serialize)]
pub struct Forecasts {
    pub horizon_ns: u64,
    pub valid: bool,
    pub series: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
pub struct Outcome {
    pub key: Key,
    pub unit: Unit,
    pub samples: u64,
    /// Stimuli without an answer; absent if not counted.
    pub missed: Option<u64>,
    pub length_ns: Option<f64>,
    pub maximum: Option<u64>,
    #[serde(flatten, serialize_with = "told")]
    pub estimate: Result<Estimate, Refusal>,
}

#[derive(Debug)]
pub struct Estimate {
    pub forecast: Forecast,
    pub tail: Tail,
}

/// Numbers of equal parts of the run whose maxima `-v` prints.
const PARTS: [u64; 4] = [8, 4, 2, 1];
/// Multiples of the run's length for which `-v` prints the forecast.
const LONGER: [f64; 4] = [2.0, 4.0, 12.0, 24.0];
const ROWS: usize = 9;

#[derive(Serialize)]
struct Told<'a> {
    forecast: Option<&'a Forecast>,
    threshold: Option<u64>,
    independent_peaks: Option<usize>,
    extremal_index: Option<f64>,
    shape: Option<[f64; 3]>,
    parts: Vec<Part>,
    refused: Option<Refused>,
}

#[derive(Serialize)]
struct Refused {
    kind: &'static str,
    text: String,
}

/// Maxima of equal parts of a run, next to the forecast for the length of a part.
#[derive(Serialize)]
struct Part {
    times: f64,
    forecast: Interval,
    observed: Vec<Option<u64>>,
}

fn told<S: Serializer>(estimate: &Result<Estimate, Refusal>, serializer: S) -> Result<S::Ok, S::Error> {
    let found = estimate.as_ref().ok();
    let tail = found.map(|found| &found.tail);
    let refused = estimate.as_ref().err();
    Told {
        forecast: found.map(|found| &found.forecast),
        threshold: tail.map(|tail| tail.clusters.threshold),
        independent_peaks: tail.map(|tail| tail.clusters.peaks.len()),
        extremal_index: tail.map(|tail| tail.clusters.extremal_index),
        shape: tail.map(Tail::shape),
        parts: tail.map(parts).unwrap_or_default(),
        refused: refused.map(|refusal| Refused { kind: refusal.kind(), text: refusal.to_string() }),
    }
    .serialize(serializer)
}

fn parts(tail: &Tail) -> Vec<Part> {
    let part = |parts: u64| {
        let times = 1.0 / parts as f64;
        let forecast = tail.maximum(times).ok()?.maximum;
        Some(Part { times, forecast, observed: tail.record.maxima(parts) })
    };
    PARTS.into_iter().filter_map(part).collect()
}

pub fn text(forecasts: &Forecasts, verbose: bool, columns: usize) -> String {
    let mut said = wrapped(&answer(forecasts), columns);
    said += &wrapped(
        "a prediction for the same conditions, not a bound: it cannot include events that never occurred in this run",
        columns,
    );
    said += "\n";
    said += &grid(forecasts).table_text(columns);
    let refused = |outcome: &Outcome| {
        let refusal = outcome.estimate.as_ref().err()?;
        Some(wrapped(&format!("why   {}: {refusal}", name(outcome)), columns))
    };
    said.extend(forecasts.series.iter().filter_map(refused).take(ROWS));
    let missed: u64 = forecasts.series.iter().filter_map(|outcome| outcome.missed).sum();
    if missed > 0 {
        let said_of = format!("warn  {} stimuli had no answer; the forecast covers the answered ones", grouped(missed));
        said += &wrapped(&said_of, columns);
    }
    if !forecasts.valid {
        said += &wrapped("warn  the run is invalid, and so is its forecast (backwall report says why)", columns);
    }
    if verbose {
        said.extend(forecasts.series.iter().filter_map(|outcome| Some(narrow(&details(outcome)?, columns))));
    }
    said
}

fn answer(forecasts: &Forecasts) -> String {
    let horizon = length(forecasts.horizon_ns as f64);
    let largest = |outcome: &'_ Outcome| Some(outcome.estimate.as_ref().ok()?.forecast.maximum);
    let worst = forecasts.series.iter().filter_map(|outcome| Some((outcome, largest(outcome)?)));
    let refused = forecasts.series.iter().filter(|outcome| outcome.estimate.is_err()).count();
    let all = forecasts.series.len();
    match worst.max_by_key(|(_, maximum)| maximum.high) {
        None if all == 1 => format!("no forecast for {horizon}"),
        None => format!("no forecast for {horizon}: none of the {all} series can be forecast"),
        Some((outcome, maximum)) => {
            let [low, high] = [maximum.low, maximum.high].map(|limit| value(limit, outcome.unit));
            let rest =
                if refused == 0 { String::new() } else { format!("; {refused} of {all} series cannot be forecast") };
            format!("maximum in {horizon}: probably {low} to {high} (95 %), {}{rest}", name(outcome))
        }
    }
}

fn name(outcome: &Outcome) -> String {
    let phase = short_phase(&outcome.key);
    if outcome.key.name == "wakeup" { phase } else { format!("{} {phase}", outcome.key.name) }
}

fn grid(forecasts: &Forecasts) -> Grid {
    let right = ["samples", "measured", "max", "low", "median", "high"].map(|name| (name, Align::Right));
    let columns = [("phase", Align::Left)].into_iter().chain(right).collect();
    let row = |outcome: &Outcome| {
        let shown = |limit: Option<u64>| limit.map_or("-".to_string(), |limit| value(limit, outcome.unit));
        let maximum = outcome.estimate.as_ref().ok().map(|found| found.forecast.maximum);
        let limits = match maximum {
            Some(Interval { low, median, high }) => [low, median, high].map(|limit| shown(Some(limit))),
            None => ["-".to_string(), "refused".to_string(), "-".to_string()],
        };
        let measured = outcome.length_ns.map_or("-".to_string(), length);
        [name(outcome), grouped(outcome.samples), measured, shown(outcome.maximum)].into_iter().chain(limits).collect()
    };
    let mut series: Vec<&Outcome> = forecasts.series.iter().collect();
    series.sort_by_key(|outcome| std::cmp::Reverse(outcome.maximum));
    let rows = series.into_iter().take(ROWS).map(row).collect();
    Grid { title: "", intro: String::new(), columns, dispensable: vec!["samples", "measured"], rows }
}

fn details(outcome: &Outcome) -> Option<String> {
    let Estimate { forecast, tail } = outcome.estimate.as_ref().ok()?;
    let shown = |limit: u64| value(limit, outcome.unit);
    let limits = |interval: Interval| format!("{} to {}", shown(interval.low), shown(interval.high));
    let [low, middle, high] = tail.shape();
    let mut said = format!("\n{}\n", name(outcome));
    said += &format!("  block maxima          {}\n", limits(forecast.by_blocks));
    said += &format!("  peaks over threshold  {}\n", limits(forecast.by_peaks));
    said += &format!(
        "  {} independent peaks above {}, extremal index {:.2}, shape {middle:.2} ({low:.2} to {high:.2})\n",
        tail.clusters.peaks.len(),
        shown(tail.clusters.threshold),
        tail.clusters.extremal_index
    );
    for times in LONGER {
        let Ok(longer) = tail.maximum(times) else { break };
        let of = outcome.length_ns.map_or(format!("{times} times the run"), |whole| length(whole * times));
        said += &format!("  in {of}: {}, median {}\n", limits(longer.maximum), shown(longer.maximum.median));
    }
    for part in parts(tail) {
        let observed: Vec<String> = part.observed.iter().map(|most| most.map_or("-".to_string(), shown)).collect();
        let of = outcome.length_ns.map_or(String::new(), |whole| length(whole * part.times));
        said += &format!("  parts of {of}: forecast {}; observed {}\n", limits(part.forecast), observed.join(", "));
    }
    Some(said)
}

/// A length of time, short: `24 h`, `15 s`.
pub fn length(ns: f64) -> String {
    let seconds = ns / 1e9;
    match seconds {
        86_400.0.. if seconds % 86_400.0 == 0.0 && seconds > 86_400.0 => format!("{:.0} days", seconds / 86_400.0),
        7_200.0.. => format!("{:.1} h", seconds / 3_600.0).replace(".0 ", " "),
        120.0.. => format!("{:.1} min", seconds / 60.0).replace(".0 ", " "),
        _ => format!("{seconds:.1} s").replace(".0 ", " "),
    }
}
