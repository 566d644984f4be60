// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet import SPOOL...`: imports the runs that devices have pushed, each only once. For anything else backwall
//! prints a line and continues.
use super::{Folder, create};
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_fleet::spool::{Pushed, keep, pushed};
use backwall_os::console::complain;
use backwall_os::parallel;
use backwall_report::fleet::{FleetRow, Outcome};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Number of runs written at a time: each run waits for the disk, and a disk handles several writes at once.
const WRITERS: usize = 8;

#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folders that contain one folder per device with the device's runs
    #[arg(value_name = "SPOOL", required = true)]
    spools: Vec<PathBuf>,
    /// Remove a run from the spool once the fleet has stored it
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Stores new runs; exits with 3 if something was not a run.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut found = Vec::new();
    for spool in &args.spools {
        found.extend(pushed(spool).map_err(|error| usage(format!("{}: {error}", spool.display())))?);
    }
    let place = create(&args.folder)?;
    let (coming, found): (Vec<Pushed>, Vec<Pushed>) = found.into_iter().partition(|pushed| pushed.is_coming());
    let one = |pushed: &Pushed| {
        let kept = keep(pushed, &place, args.remove);
        let run = kept.map(|(run, kept)| FleetRow::of(&run, &kept, None, Timestamp::now()));
        Outcome { device: pushed.device.clone(), earlier: false, run }
    };
    let told = parallel::map(&found, parallel::jobs(None).max(WRITERS), one);
    tell(&told, coming.len(), args.printing)
}

fn tell(told: &[Outcome], coming: usize, printing: Printing) -> anyhow::Result<Exit> {
    let count = |wanted: fn(&Result<FleetRow, String>) -> bool| told.iter().filter(|one| wanted(&one.run)).count();
    let new = count(|run| run.as_ref().is_ok_and(|kept| !kept.again));
    let again = count(|run| run.as_ref().is_ok_and(|kept| kept.again));
    let refused = count(Result::is_err);
    told.iter().filter(|one| one.run.is_err()).for_each(|one| complain(&format!("backwall: {}", one.line())));
    let runs = || told.iter().map(Outcome::json).collect::<Vec<Value>>();
    printing.show(
        || json!({ "new": new, "again": again, "refused": refused, "coming": coming, "runs": runs() }),
        || format!("{new} new, {again} already present, {refused} refused, {coming} still arriving\n"),
    )?;
    Ok(if refused > 0 { Exit::Undecided } else { Exit::Done })
}
