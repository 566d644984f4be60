// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a trace.dat, version 7: the parts of version 6 in sections that may be packed. trace-cmd.dat.v7(5).
use super::about::About;
use super::error::ReadError;
use super::head::{self, Head, OPTION_BUFFER, Packed};
use super::input::Input;
use super::layouts::Layouts;
use super::packed::unpack;
use super::rings::{CPUS_MAX, Extent, Ring, Rings};
use crate::ring::page::PageLayout;
use std::collections::BTreeSet;

const HEADER_INFO: u16 = 16;
const FTRACE_EVENTS: u16 = 17;
const EVENT_FORMATS: u16 = 18;
const FUNCTIONS: u16 = 19;
const NAMES: u16 = 21;
const DONE: u16 = 0;
const IS_PACKED: u16 = 1;
/// At most this many lists of options, each of which points to the next one. trace-cmd writes a few.
const LISTS_MAX: usize = 64;

struct Section {
    bytes: Vec<u8>,
    at: u64,
}

#[derive(Default)]
struct FileOptions {
    about: About,
    header_info: Option<u64>,
    ftrace_events: Option<u64>,
    event_formats: Option<u64>,
    functions: Option<u64>,
    names: Option<u64>,
    rings: Rings,
}

pub(super) fn head(mut input: Input<'_>) -> Result<Head, ReadError> {
    let name = input.name("the compression")?;
    input.name("the compressor's version")?;
    let packed = match name.as_str() {
        "none" => Packed::Not,
        "zlib" => Packed::Zlib,
        "zstd" => Packed::Zstd,
        other => return Err(ReadError::NotRead(format!("unknown compression {other:?}; expected zlib or zstd"))),
    };
    let first = input.long("the position of the options")?;
    let found = options(&input, first, packed)?;
    let page = page(&input, &found, packed)?;
    let layouts = layouts(&input, &found, packed)?;
    let mut about = found.about;
    (about.form, about.marks) = ("trace.dat version 7".to_string(), true);
    if let Some(at) = found.names {
        let section = section(&input, at, packed)?;
        head::saved_names(&mut Input::unpacked(&section.bytes, section.at), &mut about)?;
    }
    let (extents, packed) = chosen(&input, found.rings, packed, &mut about)?;
    about.cpus = extents.iter().map(|extent| extent.cpu + 1).max().unwrap_or(0);
    Ok(Head { about, layouts, page, extents, packed })
}

fn chosen(
    input: &Input<'_>,
    rings: Rings,
    packed: Packed,
    about: &mut About,
) -> Result<(Vec<Extent>, Packed), ReadError> {
    let ring = rings.chosen(about).ok_or_else(|| ReadError::NotRead("the file holds no records".to_string()))?;
    about.clock = ring.clock.or(about.clock.take());
    let extents = ring.extents.unwrap_or_default();
    head::all_within(input, &extents)?;
    let (flags, ..) = section_head(&mut input.at(ring.at, "the section of the records")?)?;
    Ok((extents, if flags & IS_PACKED != 0 { packed } else { Packed::Not }))
}

fn page(input: &Input<'_>, found: &FileOptions, packed: Packed) -> Result<PageLayout, ReadError> {
    let at = found.header_info.ok_or_else(|| missing("header_page"))?;
    let section = section(input, at, packed)?;
    head::header_info(&mut Input::unpacked(&section.bytes, section.at))
}

fn layouts(input: &Input<'_>, found: &FileOptions, packed: Packed) -> Result<Layouts, ReadError> {
    let at = found.event_formats.ok_or_else(|| missing("the layouts of the events"))?;
    let section = section(input, at, packed)?;
    let mut layouts = Layouts::default();
    head::event_formats(&mut Input::unpacked(&section.bytes, section.at), &mut layouts)?;
    if let Some(at) = found.ftrace_events {
        let section = self::section(input, at, packed)?;
        head::ftrace_events(&mut Input::unpacked(&section.bytes, section.at), &mut layouts)?;
    }
    if let Some(at) = found.functions {
        let section = self::section(input, at, packed)?;
        head::functions(&mut Input::unpacked(&section.bytes, section.at), &mut layouts)?;
    }
    Ok(layouts)
}

fn missing(what: &str) -> ReadError {
    ReadError::NotRead(format!("the file does not say where {what} is"))
}

fn options(input: &Input<'_>, first: u64, packed: Packed) -> Result<FileOptions, ReadError> {
    let (mut found, mut next) = (FileOptions::default(), first);
    let mut visited = BTreeSet::new();
    while visited.len() < LISTS_MAX {
        if !visited.insert(next) {
            return Err(ReadError::Bad { at: next, what: "a list of options refers back to itself".to_string() });
        }
        let section = section(input, next, packed)?;
        next = list(&mut Input::unpacked(&section.bytes, section.at), &mut found)?;
        if next == 0 {
            return Ok(found);
        }
    }
    Err(input.bad(format!("more than {LISTS_MAX} lists of options")))
}

/// Reads one list; returns the place of the next one, or 0.
fn list(input: &mut Input<'_>, found: &mut FileOptions) -> Result<u64, ReadError> {
    loop {
        let option = input.short("an option")?;
        let length = input.word("the length of an option")?;
        match option {
            DONE => return input.long("the position of the next options"),
            HEADER_INFO => found.header_info = Some(input.long("the position of header_page")?),
            FTRACE_EVENTS => found.ftrace_events = Some(input.long("the position of ftrace's own layouts")?),
            EVENT_FORMATS => found.event_formats = Some(input.long("the position of the layouts")?),
            FUNCTIONS => found.functions = Some(input.long("the position of the list of functions")?),
            NAMES => found.names = Some(input.long("the position of the threads' names")?),
            OPTION_BUFFER => {
                let bytes = input.bytes(length.into(), "a trace instance")?;
                let ring = ring(&mut Input::unpacked(&bytes, input.place()), &mut found.rings)?;
                found.rings.push(ring, input)?;
            }
            _ if head::is_text(option) => {
                let text = input.text(length.into(), "an option")?;
                head::said(option, &text, &mut found.about, &mut found.rings);
            }
            _ => input.skip(length.into(), "an option")?,
        }
    }
}

fn ring(input: &mut Input<'_>, rings: &mut Rings) -> Result<Ring, ReadError> {
    let at = input.long("the position of a trace instance's records")?;
    let (name, clock) = (input.name("the name of a trace instance")?, input.name("the clock of a trace instance")?);
    input.word("the size of a sub-buffer")?;
    let count = head::counted(input, "CPUs")?;
    rings.admit(count, input)?;
    let mut extents = Vec::new();
    for _ in 0..count {
        let cpu = input.word("the number of a CPU")?;
        let (at, bytes) =
            (input.long("the position of a CPU's records")?, input.long("the length of a CPU's records")?);
        if cpu >= CPUS_MAX {
            return Err(input.bad(format!("CPU {cpu} is out of range")));
        }
        extents.push(Extent { cpu, at, bytes });
    }
    let clock = Some(clock).filter(|clock| !clock.is_empty());
    Ok(Ring { name, clock, at, extents: Some(extents) })
}

fn section_head(input: &mut Input<'_>) -> Result<(u16, u64), ReadError> {
    input.short("the number of a section")?;
    let flags = input.short("the flags of a section")?;
    input.word("the description of a section")?;
    Ok((flags, input.long("the length of a section")?))
}

fn section(input: &Input<'_>, at: u64, packed: Packed) -> Result<Section, ReadError> {
    let mut input = input.at(at, "a section")?;
    let (flags, length) = section_head(&mut input)?;
    if flags & IS_PACKED == 0 {
        let at = input.place();
        return Ok(Section { bytes: input.bytes(length, "a section")?, at });
    }
    let (piece, bytes) = (input.word("a packed length")?, input.word("an unpacked length")?);
    input.charge(bytes.into(), "an unpacked section")?;
    let at = input.place();
    let piece = input.bytes(piece.into(), "a packed section")?;
    Ok(Section { bytes: unpack(packed, &piece, bytes, at)?, at })
}
