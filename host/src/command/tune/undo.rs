// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune undo` and `backwall tune status`: what was kept, and how it goes back.
use super::{chosen, journal, unusable};
use crate::exit::Exit;
use crate::options::Global;
use crate::report::tune as words;
use settings::Machine;
use settings::journal::{Entry, Journal, Restored};

/// Arguments of `backwall tune undo`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Names of settings [default: everything that was kept]
    #[arg(value_name = "SETTING")]
    settings: Vec<String>,
}

/// Sets back, and says of each place what became of it; exits with 4 where one could not be set back.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let names: Vec<&str> = chosen(&args.settings)?.iter().map(|setting| setting.name).collect();
    let machine = Machine::this(0);
    if !Journal::is_there(&machine) {
        return nothing(global);
    }
    let mut journal = journal(&machine, global.quiet || global.json)?;
    let restored = journal.restore(&machine, |entry| names.contains(&entry.setting.as_str())).map_err(unusable)?;
    let rows = || restored.iter().map(|(entry, what)| words::restored_row(entry, what)).collect::<Vec<_>>();
    global.show(rows, || words::restored(&restored))?;
    let left = restored.iter().any(|(_, what)| matches!(what, Restored::Refused(_)));
    Ok(if left { Exit::Unable } else { Exit::Done })
}

/// What was kept, and whether it still holds.
pub fn status(global: &Global) -> anyhow::Result<Exit> {
    let machine = Machine::this(0);
    if !Journal::is_there(&machine) {
        return nothing(global);
    }
    let journal = journal(&machine, global.quiet || global.json)?;
    let now = |entry: &Entry| entry.change.place.read(&machine).map_err(|why| why.to_string());
    let rows: Vec<words::Kept> = journal.entries().iter().map(|entry| words::Kept::of(entry, now(entry))).collect();
    global.show(|| &rows, || words::status(&rows))?;
    Ok(Exit::Done)
}

fn nothing(global: &Global) -> anyhow::Result<Exit> {
    let none: [(); 0] = [];
    global.show(|| none, || "nothing was changed by backwall tune since this machine started\n".to_string())?;
    Ok(Exit::Done)
}
