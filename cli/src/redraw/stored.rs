// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stored run, and messages about reading it.
use crate::exit::usage;
use backwall_model::Run;
use backwall_model::units::grouped;
use backwall_report::phrase;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

#[derive(Clone, Debug)]
pub struct StoredRun {
    pub name: String,
    pub home: PathBuf,
    pub run: Run,
    pub said: String,
}

impl StoredRun {
    /// Reads a run with the files next to it.
    ///
    /// # Errors
    /// The run cannot be read, or the samples belong to another run.
    pub fn read(place: &Path) -> anyhow::Result<Self> {
        let place = &backwall_store::meant(place)?;
        let home = folder_of(place);
        let run = backwall_store::read(place)?;
        let going = unfinished(&run, &home);
        let reread = reread(&run, &home.join(backwall_store::samples::FILE_NAME))?;
        let said = going.into_iter().chain(reread).collect();
        Ok(Self { name: place.display().to_string(), home, run, said })
    }
}

fn unfinished(run: &Run, home: &Path) -> Option<String> {
    let stretch = run.unfinished()?;
    let resume = run.resume_command(&home.display().to_string());
    let resume = resume.map_or("cannot resume: measure again".to_string(), |command| format!("finish it: {command}"));
    Some(format!("unfinished: {} measured, until {}; {resume}\n", phrase::measured(run), stretch.until))
}

/// Counts the kept samples again; they must give the figures of the run. `None` if the run kept none.
fn reread(run: &Run, file: &Path) -> anyhow::Result<Option<String>> {
    if !file.exists() {
        return Ok(None);
    }
    let series = backwall_store::samples::read(file, available_parallelism().unwrap_or(NonZero::<usize>::MIN))?;
    match backwall_store::samples::disagreement(&run.series, &series) {
        Some(what) => Err(usage(format!("{}: these samples do not belong to this run: {what}", file.display()))),
        None => Ok(Some(format!(
            "samples: {} stimuli read again, same figures\n",
            grouped(series.iter().map(|s| s.due.unwrap_or(s.done)).sum())
        ))),
    }
}

fn folder_of(place: &Path) -> PathBuf {
    if place.is_dir() { place.to_path_buf() } else { place.parent().unwrap_or(Path::new("")).to_path_buf() }
}
