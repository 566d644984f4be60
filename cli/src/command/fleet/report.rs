// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet report FLEET`: reports each device separately, with its history, its maximum and the effect of its kernel
//! changes. Writes text, a page, metrics for Prometheus, and Parquet.
use crate::exit::{Exit, unable, usage};
use crate::options::{Printing, Seed, SmallestEffect};
use backwall_fleet::figures;
use backwall_fleet::history::Device;
use backwall_fleet::place::{FleetRun, Place};
use backwall_fleet::stored;
use backwall_formats::export::prometheus_fleet;
use backwall_judge::compare::Question;
use backwall_os::console::progress::Activity;
use backwall_os::console::{self, complain};
use backwall_os::folder::Folder;
use backwall_os::parallel;
use backwall_report::{fleet as faces, page};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const METRICS: &str = "metrics.prom";

#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folder of a fleet
    #[arg(value_name = "FLEET")]
    folder: PathBuf,
    /// Expected interval between runs [default: the median interval]
    ///
    /// backwall shows a much longer interval as a gap.
    #[arg(long, value_name = "TIME")]
    every: Option<String>,
    #[command(flatten)]
    smallest: SmallestEffect,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

/// Writes the page and the metrics into the folder of the fleet; exits with 3 if a run cannot be read.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let name = args.folder.display();
    let every = args.every.as_deref().map(backwall_model::units::duration).transpose();
    let every = every.map_err(|error| usage(format!("--every: {error}")))?.map(|every| Duration::from_nanos(every.0));
    let place = Place::open(&args.folder).map_err(|error| {
        usage(format!("{name}: {error}; backwall fleet run and backwall fleet import create a fleet"))
    })?;
    let found = place.runs().map_err(|error| unable(format!("{name}: {error}")))?;
    if found.is_empty() {
        return Err(usage(format!("{name}: the fleet has no run yet")));
    }
    let shown = Activity::begin(args.printing.quiet, || "reading the runs".to_string());
    let question = Question { effect: args.smallest.effect, seed: args.seed.seed };
    let fleet: Vec<&[FleetRun]> = found.chunk_by(|a, b| a.device == b.device).collect();
    let read = parallel::map(&fleet, parallel::jobs(None), |runs| {
        let (device, refused) = stored::history(place.path(), runs, every, &question);
        let key = faces::headline(&device).map(|(_, series)| series.key.clone());
        let device = match key {
            Some(key) => device.with_steps(&key, &question),
            None => device,
        };
        (device, refused)
    });
    drop(shown);
    let (devices, refused): (Vec<Device>, Vec<Vec<String>>) = read.into_iter().unzip();
    let refused = refused.concat();
    refused.iter().for_each(|line| complain(&format!("backwall: {line}")));
    let devices: Vec<Device> = devices.into_iter().filter(|device| !device.entries.is_empty()).collect();
    write(place.path(), &devices)?;
    tell(place.path(), &devices, &refused, args.printing)?;
    Ok(if refused.is_empty() { Exit::Done } else { Exit::Undecided })
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

fn tell(folder: &Path, devices: &[Device], refused: &[String], printing: Printing) -> anyhow::Result<()> {
    printing.show(
        || json!({ "devices": devices.iter().map(faces::json).collect::<Vec<Value>>(), "refused": refused }),
        || {
            let place = |file: &str| folder.join(file).display().to_string();
            let places = [("page", page::FILE), ("for Prometheus", METRICS), ("figures", figures::FILE)];
            let places: String = places.iter().map(|(what, file)| format!("{what}: {}\n", place(file))).collect();
            faces::text(devices, console::columns()) + &places
        },
    )
}
