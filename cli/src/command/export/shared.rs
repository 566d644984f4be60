// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export bundle|site RUN... -o FOLDER`: writes anonymized runs to a folder. A site also has an index and is committed
//! if the folder is a git work tree.
use super::Args;
use crate::exit::{Exit, unable, usage};
use crate::options::Printing;
use crate::publish::bundled::{bundled, names};
use crate::publish::repository::{self, Commit};
use crate::publish::site::Site;
use backwall_fleet::place::Place;
use backwall_formats::anonymize::SCENARIOS;
use backwall_os::console::complain;
use backwall_os::console::progress::Activity;
use backwall_os::parallel;
use backwall_os::refusal::Refusal;
use backwall_runner::request::names::LOADS;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shared {
    Bundle,
    /// Adds an index of all runs in the folder, and commits if the folder is a git work tree.
    Site,
}

/// Writes the runs that can be shared; exits with 3 if a run cannot be shared.
pub(super) fn run(args: &Args, to: &Path, form: Shared) -> anyhow::Result<Exit> {
    let places: Vec<PathBuf> =
        args.runs.iter().map(|place| runs_of(place)).collect::<anyhow::Result<Vec<_>>>()?.concat();
    let shown = Activity::begin(args.printing.quiet, || "reading the runs".to_string());
    let (known, names) = (known(), names());
    let site = OnceLock::new();
    let one = |place: &PathBuf| match bundled(place, &known, &names) {
        // Create the site only when there is a run to publish.
        Ok(bundle) => site.get_or_init(|| Site::create(to)).as_ref().map_err(Refusal::clone)?.add(&bundle).map(Ok),
        Err(error) => Ok(Err(format!("{error:#}"))),
    };
    let came: Vec<Result<bool, String>> =
        parallel::map(&places, parallel::jobs(None), one).into_iter().collect::<Result<_, Refusal>>()?;
    let refused: Vec<&String> = came.iter().filter_map(|one| one.as_ref().err()).collect();
    refused.iter().for_each(|line| complain(&format!("backwall: not published: {line}")));
    let Some(site) = site.get() else { return Err(usage("no run could be published")) };
    let new = came.iter().filter(|one| **one == Ok(true)).count();
    let there = came.len() - refused.len() - new;
    if form == Shared::Bundle {
        site.as_ref().map_err(Refusal::clone)?;
        drop(shown);
        tell((new, there, refused.len()), to, None, None, args.printing)?;
        return Ok(if refused.is_empty() { Exit::Done } else { Exit::Undecided });
    }
    let (index, damaged) = site
        .as_ref()
        .map_err(Refusal::clone)?
        .index(&known, backwall_os::cache::folder("published").ok().as_deref())?;
    damaged.iter().for_each(|line| complain(&format!("backwall: not in the index: {line}")));
    let mut foreign = Vec::new();
    let open = site.as_ref().map_err(Refusal::clone)?;
    let commit = repository::commit(to, open, (new, jiff::Timestamp::now()), |committed| {
        let (ours, others) = open.uncommitted(&known, committed)?;
        foreign = others;
        Ok(ours)
    })?;
    foreign.iter().for_each(|line| complain(&format!("backwall: not in the commit: {line}")));
    drop(shown);
    tell((new, there, refused.len()), to, Some(&index), commit, args.printing)?;
    Ok(if refused.is_empty() && damaged.is_empty() && foreign.is_empty() { Exit::Done } else { Exit::Undecided })
}

fn runs_of(place: &Path) -> anyhow::Result<Vec<PathBuf>> {
    match Place::open(place) {
        Ok(fleet) => {
            let found = fleet.runs().map_err(|error| unable(format!("{}: {error}", place.display())))?;
            Ok(found.into_iter().map(|found| found.path).collect())
        }
        Err(_) => Ok(backwall_store::runs_in(place)?),
    }
}

/// Names that anonymization keeps because they are the project's own: scenarios, loads of the probe, and the settings that
/// `check` reads.
fn known() -> BTreeSet<String> {
    let checks = backwall_tuning::check::names().map(str::to_string);
    SCENARIOS.iter().chain(&LOADS).map(|name| name.to_string()).chain(checks).collect()
}

fn tell(
    (new, again, refused): (usize, usize, usize),
    to: &Path,
    index: Option<&Path>,
    commit: Option<Commit>,
    printing: Printing,
) -> anyhow::Result<()> {
    printing.show(
        || {
            let (number, branch) = commit.as_ref().map(|made| (&made.number, made.branch.as_ref())).unzip();
            json!({ "new": new, "again": again, "refused": refused, "index": index, "commit": number, "branch": branch.flatten() })
        },
        || {
            let made = commit.as_ref().map(|made| {
                let none = "no branch (detached HEAD; create one with 'git switch -c NAME')";
                let branch = made.branch.as_deref().unwrap_or(none);
                format!("commit {} of {} on {branch}\n", made.number, to.display())
            });
            let made = made.unwrap_or_default();
            let place = index.map_or_else(|| format!("folder: {}", to.display()), |index| format!("index: {}", index.display()));
            format!("{new} new, {again} already present, {refused} refused\n{place}\n{made}")
        },
    )
}
