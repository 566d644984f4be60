// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet report FLEET`: every device by itself: its history, its worst, what its kernels changed; as text, as a page, for
//! Prometheus, and as rows that any reader of Parquet takes.
use crate::command::compare::percent;
use crate::compare::Question;
use crate::console::{self, complain, print};
use crate::exit::{Exit, unable, usage};
use crate::export::prometheus_fleet;
use crate::folder::Folder;
use crate::lab::parallel;
use crate::options::Global;
use crate::progress::Activity;
use crate::report::{fleet as faces, page};
use crate::store;
use ::fleet::figures;
use ::fleet::history::{self, Device, Entry};
use ::fleet::place::{Found, HISTORY, Place};
use ::fleet::steps::Step;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What Prometheus' node_exporter reads.
const METRICS: &str = "metrics.prom";

/// Arguments of `backwall fleet report`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folder of a fleet
    #[arg(value_name = "FLEET")]
    folder: PathBuf,
    /// How far apart the runs of a device should be; one that comes much later leaves a gap [default: as far as they usually are]
    #[arg(long, value_name = "TIME")]
    every: Option<String>,
    /// The smallest relative change between two kernels, or of a figure, that matters
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    effect: f64,
}

/// Writes the page and the metrics into the folder of the fleet; 3 where a run cannot be read.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let name = args.folder.display();
    let every = args.every.as_deref().map(crate::units::duration).transpose();
    let every = every.map_err(|error| usage(format!("--every: {error}")))?.map(|every| Duration::from_nanos(every.0));
    let place = Place::open(&args.folder).map_err(|error| {
        usage(format!("{name}: {error}; `backwall fleet run` and `backwall fleet import` make one"))
    })?;
    let found = place.runs().map_err(|error| unable(format!("{name}: {error}")))?;
    if found.is_empty() {
        return Err(usage(format!("{name}: the fleet has no run yet")));
    }
    let shown = Activity::begin(global.quiet, || "reading the runs".to_string());
    let question = Question { effect: args.effect, seed: global.seed() };
    let fleet: Vec<&[Found]> = found.chunk_by(|a, b| a.device == b.device).collect();
    let read = parallel::map(&fleet, parallel::jobs(None), |runs| device(place.path(), runs, every, &question));
    drop(shown);
    let (devices, refused): (Vec<Device>, Vec<Vec<String>>) = read.into_iter().unzip();
    let refused = refused.concat();
    refused.iter().for_each(|line| complain(&format!("backwall: {line}")));
    let devices: Vec<Device> = devices.into_iter().filter(|device| !device.entries.is_empty()).collect();
    write(place.path(), &devices)?;
    tell(place.path(), &devices, &refused, global)?;
    Ok(if refused.is_empty() { Exit::Done } else { Exit::Undecided })
}

/// One device, and a line for each of its runs that cannot be read.
fn device(fleet: &Path, runs: &[Found], every: Option<Duration>, question: &Question) -> (Device, Vec<String>) {
    let (mut entries, mut refused) = (Vec::new(), Vec::new());
    for found in runs {
        let history = found.path.join(HISTORY);
        // A run that somebody put there by hand has none.
        match store::read(if history.is_file() { &history } else { &found.path }) {
            Ok(run) => entries.push(Entry {
                began: run.started.parse().ok(),
                kernel: found.kernel.clone(),
                key: found.key.clone(),
                place: found.path.strip_prefix(fleet).unwrap_or(&found.path).display().to_string(),
                run: history::slim(run),
            }),
            Err(error) => refused.push(format!("{}: {error:#}", found.device)),
        }
    }
    let name = runs.first().map_or("", |found| &found.device);
    let device = history::device(name, entries, every, question);
    let key = faces::headline(&device).map(|(_, series)| series.key.clone());
    (
        match key {
            Some(key) => device.with_steps(&key, question),
            None => device,
        },
        refused,
    )
}

fn write(folder: &Path, devices: &[Device]) -> anyhow::Result<()> {
    let last: Vec<_> = devices.iter().filter_map(|one| Some((one.name.as_str(), &one.last()?.run))).collect();
    let failed = |error: std::io::Error| unable(format!("{}: {error}", folder.display()));
    let open = Folder::open(folder).map_err(failed)?;
    let figures = figures::parquet(devices).map_err(|error| unable(format!("{}: {error}", figures::FILE)))?;
    open.write(figures::FILE, &figures).map_err(failed)?;
    open.write(METRICS, prometheus_fleet::fleet(&last).as_bytes()).map_err(failed)?;
    open.write(page::FILE, faces::page(devices).as_bytes()).map_err(failed)
}

fn tell(folder: &Path, devices: &[Device], refused: &[String], global: &Global) -> anyhow::Result<()> {
    if global.json {
        let devices: Vec<Value> = devices.iter().map(json).collect();
        return print(&format!("{:#}\n", json!({ "devices": devices, "refused": refused })));
    }
    if !global.quiet {
        let place = |file: &str| folder.join(file).display().to_string();
        let places = [("page", page::FILE), ("for Prometheus", METRICS), ("figures", figures::FILE)];
        let places: String = places.iter().map(|(what, file)| format!("{what}: {}\n", place(file))).collect();
        print(&(faces::text(devices, console::columns()) + &places))?;
    }
    Ok(())
}

fn json(device: &Device) -> Value {
    let headline = faces::headline(device);
    let worst = headline.and_then(|(_, series)| device.worst(&series.key));
    let gaps: Vec<Value> =
        device.gaps.iter().map(|gap| json!({ "from": gap.from.to_string(), "until": gap.until.to_string() })).collect();
    let steps: Vec<Value> = device.steps.iter().map(step).collect();
    let changes: Vec<Value> = device
        .changes
        .iter()
        .map(|change| json!({ "before": change.before, "after": change.after, "verdict": change.comparison.verdict }))
        .collect();
    json!({
        "device": device.name,
        "runs": device.entries.len(),
        "last": device.last().map(|last| json!({ "run": last.place, "started": last.run.started, "kernel": last.kernel })),
        "series": headline.map(|(_, series)| series.key.to_string()),
        "max": headline.and_then(|(_, series)| series.max),
        "unit": headline.map(|(_, series)| series.unit),
        "evidence": headline.map(|(last, series)| faces::evidence(&last.run, &series.key)),
        "worst": worst.map(|(entry, series)| json!({
            "run": entry.place, "max": series.max, "cause": faces::cause(&entry.run, &series.key),
        })),
        "gaps": gaps,
        "steps": steps,
        "changes": changes,
    })
}

fn step(step: &Step) -> Value {
    json!({
        "from": step.started, "before": step.before, "after": step.after, "unit": step.unit, "chance": step.chance,
        "with_kernel": step.with_kernel,
    })
}
