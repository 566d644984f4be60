// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune undo` and `backwall tune status`: restore the changed settings, and list them.
use super::{chosen, journal, unusable};
use crate::exit::Exit;
use crate::options::Printing;
use backwall_os::console::columns;
use backwall_report::tune as words;
use backwall_report::tune::boot;
use backwall_report::tune::status::{ChangedPlace, Status};
use backwall_tuning::settings::Machine;
use backwall_tuning::settings::boot::BootTrial;
use backwall_tuning::settings::journal::{Entry, Glance, Journal, RestoreResult};
use backwall_tuning::settings::trial::{SLICES, Side};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Settings to undo, by name [default: all kept settings, and a trial of boot options]
    #[arg(value_name = "SETTING")]
    settings: Vec<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    #[command(flatten)]
    pub(super) printing: Printing,
}

/// Restores all settings and reports each; exits with 4 if one could not be restored.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let names: Vec<&str> = chosen(&args.settings)?.iter().map(|setting| setting.name).collect();
    let machine = Machine::this(0);
    if !Journal::is_there(&machine) && !BootTrial::is_there(&machine) {
        return nothing(args.printing);
    }
    let mut journal = journal(&machine, !args.printing.is_text())?;
    let trial = BootTrial::read(&journal, &machine).map_err(unusable)?.filter(|_| args.settings.is_empty());
    let over = trial.map(|trial| boot::ended(&trial.options)).unwrap_or_default();
    if !over.is_empty() {
        BootTrial::end(&journal);
    }
    let restored = journal.restore(&machine, |entry| names.contains(&entry.setting.as_str())).map_err(unusable)?;
    let rows = || restored.iter().map(|(entry, what)| words::restored_row(entry, what)).collect::<Vec<_>>();
    let said =
        || if restored.is_empty() && !over.is_empty() { over.clone() } else { words::restored(&restored) + &over };
    args.printing.show(rows, said)?;
    let left = restored.iter().any(|(_, what)| matches!(what, RestoreResult::Refused(_)));
    Ok(if left { Exit::Unable } else { Exit::Done })
}

/// Prints the changed settings. While another `backwall tune` is active, or without the rights to restore, backwall only reads
/// the journal.
pub fn status(printing: Printing) -> anyhow::Result<Exit> {
    let machine = Machine::this(0);
    let glance = Glance::at(&machine).map_err(unusable)?;
    let (entries, boot) = match glance.active {
        None if has_rights() => restored(&machine, printing)?,
        _ => (glance.entries, None),
    };
    let now = |entry: &Entry| entry.change.place.read(&machine).map_err(|why| why.to_string());
    let changes = entries.iter().map(|entry| ChangedPlace::of(entry, now(entry))).collect();
    let status = Status::of(changes, glance.active, boot);
    printing.show(|| &status, || status.text(columns()))?;
    Ok(Exit::Done)
}

fn has_rights() -> bool {
    rustix::process::geteuid().is_root()
}

/// Undoes an interrupted trial. Returns what is still changed, and the progress of a trial of boot parameters.
fn restored(machine: &Machine, printing: Printing) -> anyhow::Result<(Vec<Entry>, Option<String>)> {
    if !Journal::is_there(machine) && !BootTrial::is_there(machine) {
        return Ok((Vec::new(), None));
    }
    let journal = journal(machine, !printing.is_text())?;
    let counts = |trial: &BootTrial| [Side::Without, Side::With].map(|side| trial.count(side));
    let trial = BootTrial::read(&journal, machine).map_err(unusable)?;
    let boot = trial.map(|trial| boot::under_way(&trial.options, counts(&trial), SLICES));
    Ok((journal.entries().to_vec(), boot))
}

fn nothing(printing: Printing) -> anyhow::Result<Exit> {
    let none: [(); 0] = [];
    printing.show(|| none, || "nothing is changed: backwall tune has nothing to restore here\n".to_string())?;
    Ok(Exit::Done)
}
