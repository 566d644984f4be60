// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall campaign status CAMPAIGN`: how far it is.
use super::open;
use crate::exit::Exit;
use crate::options::Global;
use backwall_lab::batch::counts::Counts;
use serde_json::json;
use std::path::Path;

/// Says it, whatever it is.
pub(super) fn run(folder: &Path, global: &Global) -> anyhow::Result<Exit> {
    let (place, units) = open(folder)?;
    let counts = Counts::of(&place, &units);
    let Counts { done, running, missing } = counts;
    global.show(
        || json!({ "planned": units.len(), "done": done, "running": running, "missing": missing }),
        || format!("{}: {}\n", folder.display(), counts.sentence()),
    )?;
    Ok(Exit::Done)
}
