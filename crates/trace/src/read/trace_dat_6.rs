// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a trace.dat, version 6: trace-cmd.dat.v6(5).
use super::about::About;
use super::error::ReadError;
use super::head::{self, Head, OPTION_BUFFER, OPTION_CLOCK, Packed};
use super::input::Input;
use super::layouts::Layouts;
use super::rings::{Extent, Ring, Rings};

pub(super) fn head(mut input: Input<'_>) -> Result<Head, ReadError> {
    let page = head::header_info(&mut input)?;
    let mut layouts = Layouts::default();
    head::ftrace_events(&mut input, &mut layouts)?;
    head::event_formats(&mut input, &mut layouts)?;
    head::functions(&mut input, &mut layouts)?;
    let formats = input.word("the length of the formats of printk")?;
    input.skip(formats.into(), "the formats of printk")?;
    let mut about = About { form: "trace.dat version 6".to_string(), marks: true, ..About::default() };
    head::saved_names(&mut input, &mut about)?;
    about.cpus = input.word("the number of CPUs")?;
    let ring = rings(&mut input, &mut about)?;
    about.clock = ring.clock.or(about.clock.take());
    let extents = ring.extents.unwrap_or_default();
    Ok(Head { about, layouts, page, extents, packed: Packed::Not })
}

const SECTION: u64 = 10;

/// Reads the options and the top instance. If the top instance has no records, reads the other instances too.
fn rings(input: &mut Input<'_>, about: &mut About) -> Result<Ring, ReadError> {
    let (mut rings, mut clock_follows) = (Rings::default(), false);
    loop {
        let place = input.place();
        let section = input.text(SECTION, "the name of a section")?;
        match section.trim_end_matches(['\0', ' ']) {
            "options" => clock_follows |= options(input, about, &mut rings)?,
            "flyrecord" => break,
            "latency" => {
                return Err(ReadError::NotRead("not supported: a latency tracer's recording, stored as text".into()));
            }
            _ => return Err(ReadError::Bad { at: place, what: format!("unknown section {section:?}") }),
        }
    }
    rings.admit(about.cpus, input)?;
    let mut top = Ring { extents: Some(extents(input, about.cpus)?), ..Ring::default() };
    if clock_follows {
        top.clock = clock(input)?;
    }
    if !top.holds_records() {
        look_at_others(input, about.cpus, &mut rings)?;
    }
    rings.push(top, input)?;
    rings.chosen(about).ok_or_else(|| input.bad("the file holds no records"))
}

/// Reads the extents of the other trace instances. Each has its own place in the file and begins like the top instance.
fn look_at_others(input: &Input<'_>, cpus: u32, rings: &mut Rings) -> Result<(), ReadError> {
    let others = rings.all_mut().len() as u32;
    rings.admit(cpus.saturating_mul(others), input)?;
    for ring in rings.all_mut() {
        let mut input = input.at(ring.at, "a trace instance")?;
        let section = input.text(SECTION, "the name of a section")?;
        if section != "flyrecord\0" {
            let what = format!("expected the trace instance {:?}, found the section {section:?}", ring.name);
            return Err(ReadError::Bad { at: ring.at, what });
        }
        ring.extents = Some(extents(&mut input, cpus)?);
        // The file does not state whether an instance's own clock follows.
        ring.clock = clock(&mut input).unwrap_or(None);
    }
    Ok(())
}

fn extents(input: &mut Input<'_>, cpus: u32) -> Result<Vec<Extent>, ReadError> {
    let extents = (0..cpus).map(|cpu| extent(input, cpu)).collect::<Result<Vec<_>, _>>()?;
    head::all_within(input, &extents)?;
    Ok(extents)
}

fn clock(input: &mut Input<'_>) -> Result<Option<String>, ReadError> {
    let length = input.long("the length of the trace clock's name")?;
    Ok(head::chosen(&input.text(length, "the trace clock's name")?))
}

fn extent(input: &mut Input<'_>, cpu: u32) -> Result<Extent, ReadError> {
    let at = input.long("the position of a CPU's records")?;
    let bytes = input.long("the length of a CPU's records")?;
    Ok(Extent { cpu, at, bytes })
}

/// Reads the options. Returns whether one of them announces that the clock's name comes later in the file.
fn options(input: &mut Input<'_>, about: &mut About, rings: &mut Rings) -> Result<bool, ReadError> {
    let mut clock_follows = false;
    loop {
        let option = input.short("an option")?;
        if option == 0 {
            return Ok(clock_follows);
        }
        let length = input.word("the length of an option")?;
        clock_follows |= (option, length) == (OPTION_CLOCK, 0);
        match option {
            OPTION_BUFFER => {
                let bytes = input.bytes(length.into(), "a trace instance")?;
                let mut option = Input::unpacked(&bytes, input.place());
                let at = option.long("the position of a trace instance's records")?;
                let name = option.name("the name of a trace instance")?;
                rings.push(Ring { name, at, ..Ring::default() }, input)?;
            }
            _ if head::is_text(option) => {
                let text = input.text(length.into(), "an option")?;
                head::said(option, &text, about, rings);
            }
            _ => input.skip(length.into(), "an option")?,
        }
    }
}
