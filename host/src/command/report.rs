// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report RUN`: a stored run drawn again, by a newer tool too.
mod redraw;

use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::folder::Folder;
use crate::options::Global;
use crate::progress::Activity;
use crate::report::{page, phrase, picture};
use crate::run::Run;
use crate::samples;
use crate::store;
use crate::units::grouped;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// Arguments of `backwall report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a run, or its run.json
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Also write the scope's pictures as PNG files
    #[arg(long)]
    png: bool,
}

/// Reads the run and writes its page beside it, or into `--out`.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() {
        return Err(usage("report judges nothing: it takes no --require"));
    }
    let home = folder_of(&args.run);
    let shown = Activity::begin(global.quiet, || "reading the run".to_string());
    let mut run = store::read(&args.run)?;
    let going = unfinished(&run, &home);
    let reread = reread(&run, &home.join(samples::FILE_NAME))?;
    let redrawn = redraw::complete(&mut run, &home);
    let folder = global.out.clone().unwrap_or(home);
    let mut files = if args.png { picture::files(&run) } else { Vec::new() };
    files.push((page::FILE.to_string(), page::page(&run).into_bytes()));
    write(&folder, &files)?;
    drop(shown);
    if global.json {
        print(&store::json(&run)?)?;
    } else if !global.quiet {
        let said = going.into_iter().chain(reread).chain(redrawn).collect::<String>();
        print(&format!("{said}page: {}\n", folder.join(page::FILE).display()))?;
    }
    Ok(Exit::Done)
}

/// Until when a run goes that goes on or was cut off, and the words that go on with it.
fn unfinished(run: &Run, home: &Path) -> Option<String> {
    let stretch = run.unfinished()?;
    let mut words = run.command.clone();
    if !words.iter().any(|word| word == "--out" || word.starts_with("--out=")) {
        words.extend(["--out".to_string(), home.display().to_string()]);
    }
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_string());
    }
    let resume = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    Some(format!("unfinished: {} measured, until {}; to go on: {resume}\n", phrase::measured(run), stretch.until))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./:,@+%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Counts the kept samples anew; they must give the figures of the run. `None`: none were kept.
fn reread(run: &Run, file: &Path) -> anyhow::Result<Option<String>> {
    if !file.exists() {
        return Ok(None);
    }
    let series = samples::read(file, available_parallelism().unwrap_or(NonZero::<usize>::MIN))?;
    match samples::disagreement(&run.series, &series) {
        Some(what) => Err(usage(format!("{}: these are not the samples of this run: {what}", file.display()))),
        None => Ok(Some(format!(
            "samples: {} stimuli read back, same figures\n",
            grouped(series.iter().map(|s| s.due).sum())
        ))),
    }
}

/// The folder that holds a run, given the folder or its file.
fn folder_of(place: &Path) -> PathBuf {
    if place.is_dir() { place.to_path_buf() } else { place.parent().unwrap_or(Path::new("")).to_path_buf() }
}

/// Whose folder it is may be somebody else: a link planted there leads nowhere.
fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    let failed = |place: &Path, error| unable(format!("{}: {error}", place.display()));
    let made = if folder.as_os_str().is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    let open = made.and_then(|()| Folder::open(folder)).map_err(|error| failed(folder, error))?;
    files
        .iter()
        .try_for_each(|(name, bytes)| open.write(name, bytes).map_err(|error| failed(&folder.join(name), error)))
}
