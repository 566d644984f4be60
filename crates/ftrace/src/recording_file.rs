// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens a recording of any tool, and analyses it.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::missing;
use crate::until::Until;
use backwall_model::units::Unit;
use backwall_os::refusal::{Result, usage};
use backwall_os::regular_file;
use backwall_trace::account::analysis::{Analysis, Listener};
use backwall_trace::account::summary::{Cpu, Summary};
use backwall_trace::late::lates::Lates;
use backwall_trace::read::about::About;
use backwall_trace::read::played::Played;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::read::tracer::Tracer;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub const FILE: &str = "trace.dat";
/// The output of a lab guest in its run's folder, with Detent's trail at the end.
const CONSOLE: &str = "console.txt";
const CPUS_MAX: u32 = 512;

#[derive(Clone, Debug, Serialize)]
pub struct RecordingSummary {
    pub file: String,
    pub form: String,
    pub clock: Option<String>,
    /// The unit of all times, also of values whose names end in `ns`.
    pub unit: Unit,
    pub system: Option<String>,
    pub events: u64,
    pub by_name: BTreeMap<String, u64>,
    pub lost: Option<u64>,
    pub gaps: u64,
    /// How many of `gaps` are before a CPU's first record, because the ring overwrote older events.
    #[serde(skip_serializing_if = "is_none")]
    pub wrapped: u64,
    pub silent: u64,
    pub summary: Summary,
    pub tracer: Option<Tracer>,
    /// Why the recording shows no CPU time of threads, and the command that would record it.
    pub missing: Option<String>,
    pub notes: Vec<String>,
}

/// If the unit is instructions, renames `ns` to `instructions` in the names of a value.
pub fn named_by_unit(value: Value, unit: Unit) -> Value {
    let renamed = |name: String| match name.strip_suffix("ns") {
        Some(stem) if unit == Unit::Instructions && (stem.is_empty() || stem.ends_with('_')) => {
            format!("{stem}instructions")
        }
        _ => name,
    };
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (renamed(name), named_by_unit(value, unit)));
            Value::Object(members.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| named_by_unit(item, unit)).collect()),
        other => other,
    }
}

pub fn open(place: &Path) -> Result<(PathBuf, OpenRecording)> {
    if let Some(folder) = folder_of_ctf(place) {
        let found =
            OpenRecording::of_folder(folder).map_err(|error| usage(format!("{}: {error}", folder.display())))?;
        if let Some(stored) = found {
            return Ok((folder.to_path_buf(), stored));
        }
    }
    let file = match place.is_dir() {
        true if !place.join(FILE).exists() && place.join(CONSOLE).exists() => place.join(CONSOLE),
        true => place.join(FILE),
        false => place.to_path_buf(),
    };
    let stored = regular_file::open(&file).map_err(Into::into).and_then(OpenRecording::of);
    let stored = stored.map_err(|error| usage(format!("{}: {error}", file.display())))?;
    Ok((file, stored))
}

/// The folder of a possible CTF trace: this folder if it has no backwall recording, or the folder of a file called metadata.
fn folder_of_ctf(place: &Path) -> Option<&Path> {
    if place.is_dir() {
        return (!place.join(FILE).exists() && !place.join(CONSOLE).exists()).then_some(place);
    }
    let parent = place.parent().filter(|_| place.file_name().is_some_and(|name| name == "metadata"))?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

pub fn told<L: Listener>(file: &Path, stored: &mut OpenRecording, mut listener: L) -> Result<(RecordingSummary, L)> {
    let told = told_by(file, stored, &mut listener as &mut dyn Listener, &|| false)?.map(|(told, _)| told);
    Ok((told.unwrap_or_else(|| unreachable!("nobody gives it up")), listener))
}

/// Like [`told`], but the caller may give up every few sub-buffers; the result is then `None`.
pub fn told_unless<L: Listener>(
    file: &Path,
    stored: &mut OpenRecording,
    mut listener: L,
    gives_up: impl Fn() -> bool,
) -> Result<Option<(RecordingSummary, L)>> {
    let told = told_by(file, stored, &mut listener as &mut dyn Listener, &gives_up)?.map(|(told, _)| told);
    Ok(told.map(|told| (told, listener)))
}

/// Like [`told`], but a twentieth faster: this listener has a copy of the analysis of its own, where the others share one.
pub fn blamed(file: &Path, stored: &mut OpenRecording, lates: Lates) -> Result<(RecordingSummary, Lates)> {
    let told = told_by(file, stored, lates, &|| false)?;
    Ok(told.unwrap_or_else(|| unreachable!("nobody gives it up")))
}

fn told_by<L: Listener>(
    file: &Path,
    stored: &mut OpenRecording,
    listener: L,
    gives_up: &dyn Fn() -> bool,
) -> Result<Option<(RecordingSummary, L)>> {
    let mut until = Until { receiver: Analysis::new(listener), gives_up };
    let played = stored.play(&mut until).map_err(|error| usage(format!("{}: {error}", file.display())))?;
    if gives_up() {
        return Ok(None);
    }
    let (mut summary, listener) = until.receiver.finish();
    let about = stored.about();
    summary.name(&about.names, &about.processes);
    let silent = add_silent(&mut summary, about.cpus);
    let mut told = of(file, about, played, summary, silent);
    told.missing = missing::for_account(&told);
    if !missing::has_switches(&told) {
        told.summary.forget_threads();
    }
    Ok(Some((told, listener)))
}

/// Adds the CPUs without events, whose activity is unknown, and returns their number.
fn add_silent(summary: &mut Summary, cpus: u32) -> u64 {
    let seen: BTreeSet<u32> = summary.cpus.iter().map(|cpu| cpu.cpu).collect();
    let silent: Vec<u32> = (0..cpus.min(CPUS_MAX)).filter(|cpu| !seen.contains(cpu)).collect();
    let unknown_ns = summary.span_ns;
    summary.cpus.extend(silent.iter().map(|cpu| Cpu { cpu: *cpu, unknown_ns, ..Cpu::default() }));
    summary.cpus.sort_by_key(|cpu| cpu.cpu);
    silent.len() as u64
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn of(file: &Path, about: &About, played: Played, summary: Summary, silent: u64) -> RecordingSummary {
    let events = played.events();
    let notes = about.notes.iter().chain(&played.notes).chain(&summary.notes).cloned().collect();
    RecordingSummary {
        file: file.display().to_string(),
        form: about.form.clone(),
        clock: about.clock.clone(),
        unit: about.unit,
        system: about.system.clone(),
        events,
        by_name: played.by_name,
        // The larger number counts: the ring and its sub-buffers state the same loss.
        lost: about.lost.max((played.missed > 0).then_some(played.missed)),
        gaps: played.gaps,
        wrapped: played.wrapped,
        silent,
        summary,
        tracer: about.tracer.clone(),
        missing: None,
        notes,
    }
}
