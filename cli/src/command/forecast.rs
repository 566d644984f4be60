// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall forecast RUN`: the maximum of a longer run, or why it can't be estimated.
use crate::exit::{Exit, undecided, usage};
use crate::options::Printing;
use backwall_model::Series;
use backwall_model::units::{Nanoseconds, Unit, duration};
use backwall_os::console;
use backwall_report::forecast::{Estimate, Forecasts, Outcome, text};
use backwall_stats::forecast::record::Record;
use backwall_stats::forecast::{Refusal, Tail};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// A run: its folder, its run.json, or latest
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Length of the longer run, at most 100 times as long as the measured one
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration)]
    horizon: Nanoseconds,
    /// Also print both methods and the maxima of parts of the run
    #[arg(long, short, conflicts_with_all = ["json", "quiet"])]
    verbose: bool,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Forecasts each series; exits with 3 if a series cannot be forecast or the run is invalid.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let place = backwall_store::meant(&args.run)?;
    let run = backwall_store::read(&place)?;
    let in_time: Vec<&Series> = run.series.iter().filter(|series| series.unit == Unit::Ns).collect();
    if in_time.is_empty() {
        return Err(undecided(format!(
            "{}: this run has no latency in units of time; the lab's instruction counts are exact and need no forecast",
            place.display()
        )));
    }
    let outcomes: Vec<Outcome> =
        in_time.iter().map(|series| outcome(series, args.horizon.0)).collect::<anyhow::Result<_>>()?;
    let forecasts = Forecasts { horizon_ns: args.horizon.0, valid: run.valid, series: outcomes };
    args.printing.show(|| &forecasts, || text(&forecasts, args.verbose, console::columns()))?;
    let complete = run.valid && forecasts.series.iter().all(|series| series.estimate.is_ok());
    Ok(if complete { Exit::Done } else { Exit::Undecided })
}

fn outcome(series: &Series, horizon_ns: u64) -> anyhow::Result<Outcome> {
    let length_ns = Record::of(series).ok().and_then(|record| Some(record.period? * record.length as f64));
    if let Some(length_ns) = length_ns.filter(|length| *length > horizon_ns as f64) {
        return Err(usage(format!(
            "--horizon must be longer than the run ({:.0} s); backwall report shows the run itself",
            length_ns / 1e9
        )));
    }
    let estimate = estimate(series, length_ns, horizon_ns);
    let (samples, missed) = (series.counted(), series.without_response());
    let Series { key, unit, max, .. } = series;
    Ok(Outcome { key: key.clone(), unit: *unit, samples, missed, length_ns, maximum: *max, estimate })
}

fn estimate(series: &Series, length_ns: Option<f64>, horizon_ns: u64) -> Result<Estimate, Refusal> {
    let tail = Tail::of(series)?;
    // Samples from a file can have an order but no times. Then backwall cannot say how many times longer the horizon is.
    let length_ns = length_ns.ok_or(Refusal::NoOrder)?;
    Ok(Estimate { forecast: tail.maximum(horizon_ns as f64 / length_ns)?, tail })
}
