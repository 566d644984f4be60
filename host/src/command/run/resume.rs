// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--resume`: the unfinished run in a folder, and whether what is asked for now is what it was begun with.
use crate::exit::usage;
use crate::run::{Plan, Run};
use crate::session::resumable::resumable;
use crate::store::RunFolder;
use jiff::Timestamp;
use std::path::Path;

/// The folder, with what was measured of its run; nothing where none was begun there.
pub(super) fn folder(out: &Path, plan: &Plan, started: Timestamp) -> anyhow::Result<(RunFolder, Option<Run>)> {
    let refused = |why: String| usage(format!("--resume {}: {why}", out.display()));
    RunFolder::resume(out, "run", started, |before| resumable(before, plan).map_err(refused))
}
