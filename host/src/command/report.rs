// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report RUN`: the page for a run.
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::options::Global;
use crate::report::html;
use crate::report::section::{self, Section};
use crate::run::Run;
use crate::samples;
use crate::store;
use crate::units::grouped;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// Arguments of `backwall report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a run, or its run.json
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

/// Reads the run and writes its page beside it, or into `--out`.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() {
        return Err(usage("report judges nothing: it takes no --require"));
    }
    let run = store::read(&args.run)?;
    let reread = reread(&run, &folder_of(&args.run).join(samples::FILE_NAME))?;
    let folder = global.out.clone().unwrap_or_else(|| folder_of(&args.run));
    let page = folder.join(html::FILE);
    let text = html::page(&run, &pictures(&folder_of(&args.run))?);
    write(&folder, text.as_bytes()).map_err(|error| unable(format!("{}: {error}", page.display())))?;
    if global.json {
        print(&store::json(&run)?)?;
    } else if !global.quiet {
        print(&format!("{}page: {}\n", reread.unwrap_or_default(), page.display()))?;
    }
    Ok(Exit::Done)
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

/// The pictures that were kept beside the run; none is the ordinary case.
fn pictures(folder: &Path) -> anyhow::Result<Vec<Section>> {
    let file = folder.join(section::FILE);
    match std::fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(usage(format!("{}: {error}", file.display()))),
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| usage(format!("{}: {error}", file.display()))),
    }
}

fn write(folder: &Path, page: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(html::FILE), page)
}
