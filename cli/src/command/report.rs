// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report RUN...`: draws and prints stored runs again, also those of an older version.
use crate::deliver::{Delivery, page_line};
use crate::exit::{Exit, unable};
use crate::options::{Destination, Pictures, Printing, Verbose};
use crate::redraw::{StoredRun, draw};
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::refusal::Refusal;
use backwall_report::run_entry::RunEntry;
use backwall_report::{page, together};
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Runs: folders, run.json files, or a folder of runs
    ///
    /// Several runs share one page, side by side and overlaid.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

/// Draws a single run next to its file or into `--output`. Draws several runs, and a page of all, into a folder of their own.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let places: Vec<Vec<PathBuf>> =
        args.runs.iter().map(|place| backwall_store::runs_in(place)).collect::<Result<_, Refusal>>()?;
    let places = places.concat();
    let mut delivery = Delivery::of(args.printing, places.len() > 1);
    let shown = Activity::begin(args.printing.quiet, || "reading the run".to_string());
    let stored: Vec<StoredRun> = places.iter().map(|place| StoredRun::read(place)).collect::<anyhow::Result<_>>()?;
    match &stored[..] {
        [one] => alone(one, args, shown, &mut delivery)?,
        several => side_by_side(several, args, shown, &mut delivery)?,
    }
    delivery.finish()
}

fn alone(stored: &StoredRun, args: &Args, shown: Activity, delivery: &mut Delivery) -> anyhow::Result<()> {
    let elsewhere = args
        .destination
        .out
        .as_deref()
        .map(|out| RunFolder::create(Some(out), "report", Timestamp::now()))
        .transpose()?;
    let folder = elsewhere.as_ref().map_or(stored.home.as_path(), RunFolder::path);
    let drawn = match elsewhere {
        Some(_) => draw::write(folder, &draw::with_run(draw::files(&stored.run, args.pictures.png), &stored.run)?),
        None => draw::write(folder, &draw::files(&stored.run, args.pictures.png)),
    };
    drop(shown);
    let page = drawn.as_ref().map_or(String::new(), |()| page_line(folder));
    let name = args.runs[0].display().to_string();
    delivery.again(&stored.run, (&name, &format!("{}{page}", stored.said)), (true, args.verbose.verbose))?;
    undrawn(drawn.err(), delivery);
    Ok(())
}

/// Reports what backwall could not draw, and makes the command fail. The figures are already printed.
fn undrawn(error: Option<anyhow::Error>, delivery: &mut Delivery) {
    let told = |error| {
        let text = format!("{error:#}");
        let way = if text.contains("--output") { "" } else { "; name another folder with --output" };
        unable(format!("cannot write the page: {text}{way}"))
    };
    error.into_iter().for_each(|error| delivery.fail(told(error)));
}

/// Draws the page of all runs last: it links to the pages of the single runs, each in a numbered folder.
fn side_by_side(stored: &[StoredRun], args: &Args, shown: Activity, delivery: &mut Delivery) -> anyhow::Result<()> {
    let told = |(one, number): (_, u32)| {
        let StoredRun { name, run, .. }: &StoredRun = one;
        RunEntry { name: name.clone(), page: format!("{number}/{}", page::FILE), run }
    };
    let told: Vec<RunEntry> = stored.iter().zip(1..).map(told).collect();
    let folder = RunFolder::create(args.destination.out.as_deref(), "report", Timestamp::now());
    // If the user named the folder, fail at once. Otherwise print the runs first.
    let folder = if args.destination.out.is_some() { Ok(folder?) } else { folder };
    let drawn =
        folder.map_err(anyhow::Error::from).and_then(|folder| draw::all(&folder, stored, &told, args.pictures.png));
    drop(shown);
    stored.iter().try_for_each(|one| delivery.again(&one.run, (&one.name, &one.said), (true, args.verbose.verbose)))?;
    together::grids(&told).iter().try_for_each(|grid| delivery.say(&format!("{}\n", grid.text(console::columns()))))?;
    let page = drawn.as_ref().map_or(String::new(), |folder| page_line(folder));
    delivery.say(&page)?;
    undrawn(drawn.err(), delivery);
    Ok(())
}
