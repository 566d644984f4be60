// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report RUN...`: stored runs drawn and told again, by a newer tool too.
mod redraw;

use super::deliver::Delivery;
use crate::console;
use crate::exit::{Exit, unable, usage};
use crate::folder::Folder;
use crate::options::Global;
use crate::progress::Activity;
use crate::record::attached::ATTACHED;
use crate::report::told::Told;
use crate::report::{page, phrase, picture, together};
use crate::run::Run;
use crate::samples;
use crate::store::{self, RunFolder};
use crate::units::grouped;
use jiff::Timestamp;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// Arguments of `backwall report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a run, its run.json, or a folder of runs; of several, one page shows all side by side and over each other
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Also write the scope's pictures as PNG files
    #[arg(long)]
    png: bool,
}

/// Draws one run beside its file or into `--out`; several, with the page of all, into a folder of their own.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let places: Vec<Vec<PathBuf>> =
        args.runs.iter().map(|place| store::runs_in(place)).collect::<anyhow::Result<_>>()?;
    let places = places.concat();
    let mut delivery = Delivery::of(global, places.len() > 1);
    let shown = Activity::begin(global.quiet, || "reading the run".to_string());
    let stored: Vec<Stored> = places.iter().map(|place| read(place)).collect::<anyhow::Result<_>>()?;
    match &stored[..] {
        [one] => alone(one, args, global, shown, &mut delivery)?,
        several => side_by_side(several, args, global, shown, &mut delivery)?,
    }
    delivery.finish()
}

/// A run that was read.
struct Stored {
    /// As it was named.
    name: String,
    home: PathBuf,
    run: Run,
    /// What is to be said of reading it; whole lines.
    said: String,
}

fn read(place: &Path) -> anyhow::Result<Stored> {
    let place = &store::meant(place)?;
    let home = folder_of(place);
    let mut run = store::read(place)?;
    let going = unfinished(&run, &home);
    let reread = reread(&run, &home.join(samples::FILE_NAME))?;
    let redrawn = redraw::complete(&mut run, &home);
    let said = going.into_iter().chain(reread).chain(redrawn).collect();
    Ok(Stored { name: place.display().to_string(), home, run, said })
}

fn alone(
    stored: &Stored,
    args: &Args,
    global: &Global,
    shown: Activity,
    delivery: &mut Delivery<'_>,
) -> anyhow::Result<()> {
    let elsewhere =
        global.out.as_deref().map(|out| RunFolder::create(Some(out), "report", Timestamp::now())).transpose()?;
    let folder = elsewhere.as_ref().map_or(stored.home.as_path(), RunFolder::path);
    let drawn = match elsewhere {
        Some(_) => write(folder, &with_run(files(&stored.run, args.png), &stored.run)?),
        None => write(folder, &files(&stored.run, args.png)),
    };
    drop(shown);
    let page = drawn.as_ref().map_or(String::new(), |()| format!("page: {}\n", folder.join(page::FILE).display()));
    delivery.again(&stored.run, &format!("{}{page}", stored.said), true)?;
    undrawn(drawn.err(), delivery);
    Ok(())
}

/// What could not be drawn is told, and has failed; the figures were printed all the same.
fn undrawn(error: Option<anyhow::Error>, delivery: &mut Delivery<'_>) {
    let told = |error| unable(format!("no page is written: {error:#}; --out names a folder for it"));
    error.into_iter().for_each(|error| delivery.fail(told(error)));
}

/// The page of all comes last: it leads to the others, each of which stands in a folder with its number.
fn side_by_side(
    stored: &[Stored],
    args: &Args,
    global: &Global,
    shown: Activity,
    delivery: &mut Delivery<'_>,
) -> anyhow::Result<()> {
    let told = |(one, number): (_, u32)| {
        let Stored { name, run, .. }: &Stored = one;
        Told { name: name.clone(), page: format!("{number}/{}", page::FILE), run }
    };
    let told: Vec<Told> = stored.iter().zip(1..).map(told).collect();
    let folder = RunFolder::create(global.out.as_deref(), "report", Timestamp::now());
    // A folder that was typed and is refused is a mistake of the command line.
    let folder = if global.out.is_some() { Ok(folder?) } else { folder };
    let drawn = folder.and_then(|folder| draw_all(&folder, stored, &told, args));
    drop(shown);
    stored.iter().try_for_each(|one| delivery.again(&one.run, &one.said, global.verbose))?;
    together::grids(&told).iter().try_for_each(|grid| delivery.say(&format!("{}\n", grid.text(console::columns()))))?;
    let page = drawn.as_ref().map_or(String::new(), |folder| format!("page: {}\n", folder.join(page::FILE).display()));
    delivery.say(&page)?;
    undrawn(drawn.err(), delivery);
    Ok(())
}

/// Each page in a folder of its number, and the page of all.
fn draw_all(folder: &RunFolder, stored: &[Stored], told: &[Told], args: &Args) -> anyhow::Result<PathBuf> {
    for (one, number) in stored.iter().zip(1..) {
        let files = with_run(files(&one.run, args.png), &one.run)?;
        write(&folder.path().join(format!("{number}")), &files)?;
    }
    folder.write(page::FILE, together::page(None, told).as_bytes())?;
    Ok(folder.path().to_path_buf())
}

/// The page of a run, and its pictures where they are wanted.
fn files(run: &Run, png: bool) -> Vec<(String, Vec<u8>)> {
    let mut files = if png { picture::files(run) } else { Vec::new() };
    files.push((page::FILE.to_string(), page::page(run).into_bytes()));
    files
}

/// With the run itself, to which the page leads.
fn with_run(mut files: Vec<(String, Vec<u8>)>, run: &Run) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    files.push((store::RUN_FILE.to_string(), store::json(run)?.into_bytes()));
    Ok(files)
}

/// Until when a run goes that goes on or was cut off, and the words that go on with it.
fn unfinished(run: &Run, home: &Path) -> Option<String> {
    let stretch = run.unfinished()?;
    let resume = match run.plan.measures.iter().any(|measure| measure == ATTACHED) {
        true => "it cannot go on: what the thread did since was not seen".to_string(),
        false => format!("to go on: {}", resume(&run.command, home)),
    };
    Some(format!("unfinished: {} measured, until {}; {resume}\n", phrase::measured(run), stretch.until))
}

/// The words of a run, with those that let it go on where it was.
fn resume(command: &[String], home: &Path) -> String {
    let mut words = command.to_vec();
    if !words.iter().any(|word| word == "--out" || word.starts_with("--out=")) {
        words.extend(["--out".to_string(), home.display().to_string()]);
    }
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_string());
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
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
            grouped(series.iter().map(|s| s.due.unwrap_or(s.done)).sum())
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
