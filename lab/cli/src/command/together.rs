// SPDX-License-Identifier: MIT OR Apache-2.0
//! One page for all runs of a command, with a link to the page of each.
use backwall::deliver::Delivery;
use backwall::exit::unable;
use backwall::options::Destination;
use backwall_lab::shipped;
use backwall_model::Run;
use backwall_os::folder::Folder;
use backwall_report::run_entry::RunEntry;
use backwall_report::{page, together};
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// Draws the stored runs of these folders on one page: in `--output` if given, otherwise in a folder next to them.
pub(super) fn draw(
    names: &[String],
    folders: &[&RunFolder],
    (destination, started): (&Destination, Timestamp),
    delivery: &Delivery,
) -> anyhow::Result<()> {
    // Reads each run back, so that the page shows what is stored, with its requirements and warnings.
    let read = |folder: &&RunFolder| Ok((folder.path().to_path_buf(), backwall_store::read(folder.path())?));
    // A scenario that failed has left no run. A run that exists but cannot be read is an error.
    let ran = folders.iter().filter(|folder| folder.path().join(backwall_store::RUN_FILE).exists());
    let runs: Vec<(PathBuf, Run)> = ran.map(read).collect::<anyhow::Result<_>>()?;
    if runs.len() < 2 {
        return Ok(());
    }
    let name_of = |folder: &Path| folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The run folders are next to the page, or next to the folder that contains the page.
    let beside = if destination.out.is_some() { "" } else { "../" };
    let told = |folder: &Path, run| {
        let name = name_of(folder);
        RunEntry { page: format!("{beside}{name}/{}", page::FILE), name, run }
    };
    let told: Vec<RunEntry> = runs.iter().map(|(folder, run)| told(folder, run)).collect();
    let path =
        write(destination.out.as_deref(), names, started, &together::page(Some(&title(names, runs.len())), &told))?;
    delivery.say(&format!("page of all: {}\n", path.display()))
}

fn write(out: Option<&Path>, names: &[String], started: Timestamp, text: &str) -> anyhow::Result<PathBuf> {
    let Some(out) = out else {
        let folder = RunFolder::create(None, &kind(names), started)?;
        folder.write(page::FILE, text.as_bytes())?;
        return Ok(folder.path().join(page::FILE));
    };
    let path = out.join(page::FILE);
    let written = Folder::open(out).and_then(|folder| folder.write(page::FILE, text.as_bytes()));
    written.map(|()| path.clone()).map_err(|error| unable(format!("cannot write {}: {error}", path.display())))
}

fn title(names: &[String], count: usize) -> String {
    match names {
        [name] => shipped::group(name).map_or(name.clone(), |group| format!("{}: {}", group.name, group.about)),
        _ => format!("{count} runs of the lab side by side"),
    }
}

fn kind(names: &[String]) -> String {
    match names {
        [name] => format!("lab-{name}"),
        _ => "lab-together".to_string(),
    }
}
