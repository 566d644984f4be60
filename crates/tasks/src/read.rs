// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of task sets, and how a file's format is recognised.
use super::fault::{BadSet, Fault};
use super::format::Format;
use super::set::Set;
use super::xml;
use super::{cheddar, mast, mast_xml, rt_app, schedcat, simso, toml_set};
use backwall_model::wrapped::wrapped;
use std::io::Read;
use std::path::Path;

const LONGEST: u64 = 16 << 20;

/// In the order in which they are tried.
pub static FORMATS: &[Format] = &[
    schedcat::FORMAT,
    simso::FORMAT,
    cheddar::FORMAT,
    rt_app::FORMAT,
    mast::FORMAT,
    mast_xml::FORMAT,
    toml_set::FORMAT,
];

/// Reads the set from an opened file, or reports why it could not be opened. `place` is the file's name.
pub fn read(place: &Path, opened: std::io::Result<impl Read>) -> Result<Set, BadSet> {
    let io = |source| BadSet::Io { place: place.to_path_buf(), source };
    let mut bytes = Vec::new();
    opened.and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(io)?;
    let no_text = |text| BadSet::NoText { place: place.to_path_buf(), text };
    if bytes.len() as u64 > LONGEST {
        return Err(no_text("longer than 16 MiB; a task set must be shorter"));
    }
    if let Some(what) = wrapped(&bytes) {
        return Err(no_text(what));
    }
    let text = String::from_utf8(bytes).map_err(|_| no_text("not UTF-8 text, so not a task set"))?;
    parse(&text).map_err(|fault| BadSet::Fault { place: place.to_path_buf(), fault })
}

/// Parses a set and checks that it is complete and consistent.
pub fn parse(text: &str) -> Result<Set, Fault> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let known = FORMATS.iter().any(|format| format.name != toml_set::FORMAT.name && (format.begins)(start));
    if let Some(name) = xml::root_of(start).filter(|_| !known) {
        let text = "unsupported XML; expected XML of SchedCAT, SimSo, Cheddar or MAST";
        return Err(Fault::of(format!("<{name}>"), text));
    }
    let format = FORMATS.iter().find(|format| (format.begins)(start)).unwrap_or(&toml_set::FORMAT);
    let set = (format.read)(text)?;
    set.fault().map_or(Ok(set), Err)
}
