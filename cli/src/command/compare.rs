// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall compare A... -- B...`: do two sets of runs differ, and in which part?
use super::export;
use crate::exit::{Exit, usage};
use crate::options::{PageFile, Printing, Seed, SmallestEffect};
use backwall_formats::export::junit_comparison;
use backwall_judge::compare::{PlacedRun, Question, Verdict, compare};
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::refusal::Refusal;
use backwall_report::{comparison, comparison_page};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Runs before the change: folders, or run.json files
    #[arg(value_name = "A", required = true)]
    before: Vec<PathBuf>,
    /// Runs after the change, typed after --; with two runs in all, -- is optional
    #[arg(value_name = "B", last = true)]
    after: Vec<PathBuf>,
    #[command(flatten)]
    smallest: SmallestEffect,
    /// Also write the answer as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    page: PageFile,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

/// Reads all runs and prints the answer. Exits with 1 for a regression and 3 for an undecided comparison.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    export::refuse_unwritable("--page", args.page.page.as_deref())?;
    let shown = Activity::begin(args.printing.quiet, || "reading the runs".to_string());
    let meant = |places: &[PathBuf]| {
        places.iter().map(|place| backwall_store::meant(place)).collect::<Result<Vec<_>, Refusal>>()
    };
    let (before, after) = sides(args)?;
    let (before, after) = (meant(before)?, meant(after)?);
    refuse_twice(&before)?;
    refuse_twice(&after)?;
    let (before, after) = (read(&before)?, read(&after)?);
    let comparison = compare(&before, &after, &Question { effect: args.smallest.effect, seed: args.seed.seed });
    drop(shown);
    if comparison.rows.is_empty() {
        return Err(usage(
            "the two sides have no series in common: compare runs of the same measure, load and idle state",
        ));
    }
    if let Some(file) = &args.junit {
        export::write(file, &junit_comparison::comparison(&comparison))?;
    }
    if let Some(file) = &args.page.page {
        export::write(file, &comparison_page::page(&comparison, &crate::invocation::words()))?;
    }
    args.printing.show(|| &comparison, || comparison::text(&comparison, console::columns()))?;
    Ok(match comparison.verdict {
        Verdict::Regressed => Exit::Failed,
        Verdict::CannotTell => Exit::Undecided,
        Verdict::Improved | Verdict::Equivalent => Exit::Done,
    })
}

/// Two runs without `--` are one before and one after the change.
fn sides(args: &Args) -> anyhow::Result<(&[PathBuf], &[PathBuf])> {
    match (args.before.as_slice(), args.after.as_slice()) {
        ([before, after], []) => Ok((std::slice::from_ref(before), std::slice::from_ref(after))),
        (before, []) => Err(usage(format!(
            "{}: put -- between the runs before and after the change: backwall compare A1 A2 -- B1 B2",
            if before.len() == 1 {
                "one run has nothing to be compared with"
            } else {
                "it is not clear which runs are from before the change"
            }
        ))),
        sides => Ok(sides),
    }
}

fn read(places: &[PathBuf]) -> anyhow::Result<Vec<PlacedRun>> {
    let option = places.iter().find(|place| name_of(place).starts_with('-') && !place.exists());
    if let Some(option) = option {
        return Err(usage(format!("{}: put options before --; only runs may come after it", option.display())));
    }
    places.iter().map(|place| Ok(PlacedRun { place: name_of(place), run: backwall_store::read(place)? })).collect()
}

/// Refuses a run that is named twice: it would make the spread between runs look too small.
fn refuse_twice(places: &[PathBuf]) -> anyhow::Result<()> {
    let mut seen = BTreeMap::new();
    for place in places {
        let Ok(found) = place.canonicalize() else { continue }; // reading the run reports the error
        if let Some(first) = seen.insert(backwall_store::home(&found), place) {
            let (place, first) = (place.display(), first.display());
            return Err(usage(format!("duplicate run {place} on one side (same as {first}); name each run once")));
        }
    }
    Ok(())
}

fn name_of(place: &Path) -> String {
    place.display().to_string()
}
