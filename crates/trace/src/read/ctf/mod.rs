// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces in the Common Trace Format: a folder with metadata and streams, as LTTng, barectf, Zephyr and ros2_tracing write it.
//! Source: Common Trace Format v1.8.3, and CTF2-SPEC-2.0.
//!
//! `description_file` reads the metadata in either language (`tokens` and `tsdl`, or `fragments`) into one form (`description`).
//! `layout` gives each number a slot, and `meaning` chooses the events that backwall follows. `cursor` reads a stream packet by
//! packet and decodes its `fields`. `zephyr` makes switches from Zephyr's events.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads the files of a folder")]
mod cursor;
mod description;
mod description_file;
mod fields;
mod fragments;
mod layout;
mod meaning;
#[cfg(test)]
mod tests;
mod tokens;
mod tsdl;
mod zephyr;

use super::about::About;
use super::error::ReadError;
use super::merged;
use super::played::Played;
use super::receiver::Receiver;
use super::tracked::Tracked;
use cursor::{Class, Cursor, Head, NamedSource, StreamFile, cpu_of};
use meaning::Meaning;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(super) use description_file::begins;

pub(super) const METADATA: &str = "metadata";
const STREAMS_MAX: usize = 4_096;
const ALL_BYTES: usize = 128 << 20;
const WINDOW_BYTES_MIN: usize = 4 << 10;
const DEPTH_MAX: usize = 6;
const FOLDERS_MAX: usize = 4_096;

#[derive(Debug)]
pub(super) struct Ctf {
    chains: Vec<Chain>,
    about: About,
    names: BTreeMap<u64, Vec<String>>,
}

/// The files of one stream, in order of time.
#[derive(Debug)]
struct Chain {
    class: Rc<Class>,
    class_id: u64,
    cpu: u32,
    files: Rc<Vec<StreamFile>>,
}

/// The folder of the trace: this folder, the only trace below it, or the kernel's trace among several. Also the other traces,
/// which are not read.
pub(super) fn folder(place: &Path) -> Result<Option<(PathBuf, Vec<PathBuf>)>, ReadError> {
    if place.join(METADATA).is_file() {
        return Ok(Some((place.to_path_buf(), Vec::new())));
    }
    let mut found = Vec::new();
    let mut left = FOLDERS_MAX;
    look(place, DEPTH_MAX, &mut left, &mut found)?;
    found.sort();
    let kernel = found.iter().position(|trace| trace.file_name().is_some_and(|name| name == "kernel"));
    let which = match (found.len(), kernel) {
        (0, _) => return Ok(None),
        (1, _) => 0,
        (_, Some(kernel)) => kernel,
        (count, None) => {
            let first: Vec<String> = found.iter().take(3).map(|trace| trace.display().to_string()).collect();
            return Err(ReadError::NotRead(format!(
                "contains {count} CTF traces; name one of them: {}",
                first.join(", ")
            )));
        }
    };
    let trace = found.remove(which);
    Ok(Some((trace, found)))
}

fn look(place: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        if depth == 0 || *left == 0 || !entry.file_type()?.is_dir() {
            continue;
        }
        *left -= 1;
        let path = entry.path();
        if path.join(METADATA).is_file() {
            found.push(path);
        } else {
            look(&path, depth - 1, left, found)?;
        }
    }
    Ok(())
}

impl Ctf {
    pub(super) fn of(place: &Path) -> Result<Self, ReadError> {
        let found = description_file::read(&File::open(place.join(METADATA))?)?;
        let (streams, slots) = layout::layout(&found).map_err(ReadError::NotRead)?;
        let lttng = found.constant("tracer_name") == Some("lttng-modules");
        let with_offset = found.clocks.len() > 1;
        let mut names = BTreeMap::new();
        let mut classes: BTreeMap<u64, Rc<Class>> = BTreeMap::new();
        let mut unread = Vec::new();
        for (id, layout) in streams {
            names.insert(id, layout.events.values().map(|event| event.name.clone()).collect());
            let meanings: BTreeMap<_, _> = layout
                .events
                .iter()
                .enumerate()
                .map(|(number, (id, event))| (*id, (Meaning::of(event), number)))
                .collect();
            let lacking = layout.events.values().filter(|event| Meaning::must_be_read(&event.name));
            unread.extend(
                lacking.filter(|event| matches!(Meaning::of(event), Meaning::Nothing)).map(|event| event.name.clone()),
            );
            let has_switches = meanings.values().any(|(meaning, _)| matches!(meaning, Meaning::Switch { .. }));
            classes.insert(id, Rc::new(Class { layout, meanings, lttng, with_offset, slots, has_switches }));
        }
        if let Some(name) = unread.first() {
            return Err(ReadError::NotRead(format!(
                "its {name} events lack the number, priority or name of the thread"
            )));
        }
        let chains = chains(place, &classes)?;
        let about = about(&found, &classes, &chains);
        Ok(Self { chains, about, names })
    }

    pub(super) fn about(&self) -> About {
        self.about.clone()
    }

    pub(super) fn play(&mut self, about: &mut About, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let window = (ALL_BYTES / self.chains.len().max(1)).max(WINDOW_BYTES_MIN);
        let about = RefCell::new(about);
        let mut sources = Vec::new();
        for chain in &self.chains {
            let mut cursor = Cursor::new(chain.files.clone(), chain.class.clone(), chain.cpu, window);
            cursor.begin()?;
            sources.push(NamedSource { cursor, about: &about });
        }
        let mut tracked = Tracked::new(receiver);
        merged::play(&mut sources, &mut tracked)?;
        let notes = tracked.notes()?;
        let mut played = Played { notes, ..Played::default() };
        for (source, chain) in sources.iter().zip(&self.chains) {
            played.missed = played.missed.saturating_add(source.cursor.missed);
            played.gaps += source.cursor.places;
            for (name, count) in self.names[&chain.class_id].iter().zip(&source.cursor.counts).filter(|row| *row.1 > 0)
            {
                *played.by_name.entry(name.clone()).or_insert(0) += count;
            }
        }
        drop(sources);
        about.borrow_mut().lost = Some(played.missed);
        Ok(played)
    }
}

fn about(found: &description::Description, classes: &BTreeMap<u64, Rc<Class>>, chains: &[Chain]) -> About {
    let tracer = ["tracer_name", "tracer_major", "tracer_minor"].map(|name| found.constant(name).unwrap_or_default());
    let by = match tracer {
        ["", ..] => String::new(),
        [name, "", _] => format!(" by {name}"),
        [name, major, minor] => format!(" by {name} {major}.{minor}"),
    };
    let of = |name| found.constant(name);
    let system = match (of("sysname"), of("kernel_release"), of("kernel_version")) {
        (Some(system), Some(release), version) => {
            Some(format!("{system} {release} {}", version.unwrap_or_default()).trim().to_string())
        }
        _ => None,
    };
    let clock = classes.values().next().map(|class| class.layout.clock.name.clone()).filter(|name| !name.is_empty());
    // LTTng's clock `monotonic` is CLOCK_MONOTONIC. Without its offset it is the clock that timers are set by.
    let clock =
        clock.map(|name| if name == "monotonic" && found.clocks.len() == 1 { "mono".to_string() } else { name });
    let is_zephyr =
        |class: &Rc<Class>| class.meanings.values().any(|(meaning, _)| matches!(meaning, Meaning::Zephyr(_)));
    let is_zephyr = classes.values().any(is_zephyr);
    let cpus = chains.iter().map(|chain| chain.cpu + 1).max().unwrap_or(0);
    let mut notes = Vec::new();
    if is_zephyr {
        notes.push(
            "backwall shows Zephyr's priority N as real-time 49 - N, and an unrecorded priority as 49".to_string(),
        );
    }
    if found.clocks.is_empty() {
        notes.push("the trace describes no clock; backwall takes its times as nanoseconds".to_string());
    }
    About { form: format!("CTF {}{by}", found.version), clock, system, cpus, notes, ..About::default() }
}

/// The streams of a folder. If the tracer rotated the files of a stream, they are joined.
fn chains(place: &Path, classes: &BTreeMap<u64, Rc<Class>>) -> Result<Vec<Chain>, ReadError> {
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The file of a stream may be a link.
        if name != METADATA && !name.starts_with('.') && entry.path().is_file() {
            names.push(name);
        }
        if names.len() > STREAMS_MAX {
            return Err(ReadError::NotRead(format!("more than {STREAMS_MAX} files of streams")));
        }
    }
    names.sort();
    let mut found: Vec<(Head, StreamFile)> = Vec::new();
    for name in names {
        let file = File::open(place.join(&name))?;
        let bytes = file.metadata()?.len();
        let file = StreamFile { name, file, bytes };
        found.extend(Cursor::head(&file, classes)?.map(|head| (head, file)));
    }
    if found.is_empty() {
        return Err(ReadError::NotRead(
            "a CTF trace without a stream: its folder has no file with packets".to_string(),
        ));
    }
    let mut together: BTreeMap<(u64, u64, u64), Vec<(Head, StreamFile)>> = BTreeMap::new();
    for (number, (head, file)) in found.into_iter().enumerate() {
        let alone = (head.stream.is_none() && head.cpu.is_none()).then_some(number as u64 + 1);
        let key = (head.class, head.stream.unwrap_or(0), head.cpu.map_or(alone.unwrap_or(0), |cpu| cpu + 1));
        together.entry(key).or_default().push((head, file));
    }
    let mut chains = Vec::new();
    for (number, mut files) in together.into_values().enumerate() {
        files.sort_by_key(|(head, _)| head.cycles);
        let head = files[0].0;
        let cpu = cpu_of(&head, number, &files[0].1.name)?;
        let class = classes[&head.class].clone();
        let files = Rc::new(files.into_iter().map(|(_, file)| file).collect());
        chains.push(Chain { class, class_id: head.class, cpu, files });
    }
    Ok(chains)
}
