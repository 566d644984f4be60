// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a trace.dat, version 6: trace-cmd.dat.v6(5).
use super::about::About;
use super::error::ReadError;
use super::head::{self, COUNT_MAX, Extent, Head, OPTION_BUFFER, OPTION_CLOCK, Packed};
use super::input::Input;
use super::layouts::Layouts;

/// Reads on behind the page size.
pub(super) fn head(mut input: Input<'_>) -> Result<Head, ReadError> {
    let page = head::header_info(&mut input)?;
    let mut layouts = Layouts::default();
    head::ftrace_events(&mut input, &mut layouts)?;
    head::event_formats(&mut input, &mut layouts)?;
    let functions = input.word("the length of the list of functions")?;
    input.skip(functions.into(), "the list of functions")?;
    let formats = input.word("the length of the formats of printk")?;
    input.skip(formats.into(), "the formats of printk")?;
    let mut about = About { form: "trace.dat version 6".to_string(), ..About::default() };
    head::saved_names(&mut input, &mut about)?;
    about.cpus = input.word("the number of processors")?;
    if about.cpus > COUNT_MAX {
        return Err(input.bad(format!("{} processors are more than any machine has", about.cpus)));
    }
    let extents = options_and_extents(&mut input, &mut about)?;
    Ok(Head { about, layouts, page, extents, packed: Packed::Not })
}

fn options_and_extents(input: &mut Input<'_>, about: &mut About) -> Result<Vec<Extent>, ReadError> {
    const SECTION: u64 = 10;
    let mut clock_follows = false;
    loop {
        let place = input.place();
        let section = input.text(SECTION, "the name of a section")?;
        match section.trim_end_matches(['\0', ' ']) {
            "options" => clock_follows |= options(input, about)?,
            "flyrecord" => return extents(input, clock_follows, about),
            "latency" => return Err(ReadError::NotRead("a recording of a latency tracer, as text".into())),
            _ => return Err(ReadError::Bad { at: place, what: format!("the section {section:?} is not known") }),
        }
    }
}

/// Where each processor's records lie, and behind that the clock, which the option for it only announces.
fn extents(input: &mut Input<'_>, clock_follows: bool, about: &mut About) -> Result<Vec<Extent>, ReadError> {
    let extents = (0..about.cpus).map(|cpu| extent(input, cpu)).collect::<Result<Vec<_>, _>>()?;
    head::all_within(input, &extents)?;
    if clock_follows {
        let length = input.long("the length of the clock")?;
        about.clock = head::chosen(&input.text(length, "the clock")?).or(about.clock.take());
    }
    Ok(extents)
}

fn extent(input: &mut Input<'_>, cpu: u32) -> Result<Extent, ReadError> {
    let at = input.long("where a processor's records begin")?;
    let bytes = input.long("the length of a processor's records")?;
    Ok(Extent { cpu, at, bytes })
}

/// Whether the clock is announced, whose text then stands elsewhere.
fn options(input: &mut Input<'_>, about: &mut About) -> Result<bool, ReadError> {
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
                input.skip(length.into(), "an option")?;
                about.notes.push("another trace instance is in the file, which is not read".to_string());
            }
            _ if head::is_text(option) => {
                let text = input.text(length.into(), "an option")?;
                head::said(option, &text, about);
            }
            _ => input.skip(length.into(), "an option")?,
        }
    }
}
