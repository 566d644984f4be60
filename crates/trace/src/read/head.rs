// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of the head that both versions of trace.dat have.
use super::about::About;
use super::error::ReadError;
use super::input::Input;
use super::layouts::Layouts;
use super::rings::{Extent, Rings};
use crate::ring::page::PageLayout;
use crate::write::trace_dat::{PROCESSES, QUOTAS, QuotaRow, SMI};
use backwall_model::units;

const COUNT_MAX: u32 = 1 << 16;
const OPTION_STATISTICS: u16 = 2;
pub(super) const OPTION_CLOCK: u16 = 4;
const OPTION_SYSTEM: u16 = 5;
/// The option that describes a trace instance. In version 6, the main instance has none.
pub(super) const OPTION_BUFFER: u16 = 3;
const PAGE_BYTES_MAX: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Head {
    pub(super) about: About,
    pub(super) layouts: Layouts,
    pub(super) page: PageLayout,
    pub(super) extents: Vec<Extent>,
    pub(super) packed: Packed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    Not,
    Zlib,
    Zstd,
}

pub(super) fn header_info(input: &mut Input<'_>) -> Result<PageLayout, ReadError> {
    expected(input, "header_page")?;
    let length = input.long("the length of header_page")?;
    let place = input.place();
    let text = input.text(length, "header_page")?;
    let bad = |what: String| ReadError::Bad { at: place, what };
    let page = PageLayout::parse(&text).map_err(|error| bad(format!("header_page: {error}")))?;
    if !(64..=PAGE_BYTES_MAX).contains(&page.bytes()) {
        return Err(bad(format!("unknown sub-buffer size of {} bytes", page.bytes())));
    }
    expected(input, "header_event")?;
    let length = input.long("the length of header_event")?;
    input.skip(length, "header_event")?;
    Ok(page)
}

fn expected(input: &mut Input<'_>, name: &'static str) -> Result<(), ReadError> {
    let place = input.place();
    let found = input.name(name)?;
    if found != name {
        let what = format!("expected {name}, found {:?}", found.chars().take(20).collect::<String>());
        return Err(ReadError::Bad { at: place, what });
    }
    Ok(())
}

/// Takes the layouts of ftrace's own events. backwall decodes only the stack's events; of the others it needs the names.
pub(super) fn ftrace_events(input: &mut Input<'_>, layouts: &mut Layouts) -> Result<(), ReadError> {
    for _ in 0..counted(input, "ftrace's own events")? {
        let length = input.long("the length of a layout")?;
        layouts.take("ftrace", &input.text(length, "a layout")?);
    }
    Ok(())
}

pub(super) fn event_formats(input: &mut Input<'_>, layouts: &mut Layouts) -> Result<(), ReadError> {
    for _ in 0..counted(input, "systems")? {
        let system = input.name("the name of a system")?;
        for _ in 0..counted(input, "events of a system")? {
            let length = input.long("the length of a layout")?;
            let text = input.text(length, "a layout")?;
            // A format that backwall cannot parse is not decoded, but its records are counted.
            layouts.take(&system, &text);
        }
    }
    Ok(())
}

pub(super) fn functions(input: &mut Input<'_>, layouts: &mut Layouts) -> Result<(), ReadError> {
    let length = input.word("the length of the list of functions")?;
    layouts.take_functions(&input.text(length.into(), "the list of functions")?);
    Ok(())
}

pub(super) fn saved_names(input: &mut Input<'_>, about: &mut About) -> Result<(), ReadError> {
    let length = input.long("the length of the threads' names")?;
    about.name_threads(&input.text(length, "the threads' names")?);
    Ok(())
}

pub(super) fn counted(input: &mut Input<'_>, what: &'static str) -> Result<u32, ReadError> {
    let count = input.word(what)?;
    if count > COUNT_MAX { Err(input.bad(format!("{count} {what}: too many for a kernel"))) } else { Ok(count) }
}

/// Refuses records of several CPUs that together are longer than the file.
pub(super) fn all_within(input: &Input<'_>, extents: &[Extent]) -> Result<(), ReadError> {
    extents.iter().try_for_each(|extent| within(input, extent.at, extent.bytes))?;
    let all = extents.iter().fold(0u64, |sum, extent| sum.saturating_add(extent.bytes));
    if all > input.length() {
        let what = format!("the CPUs' records would need {all} bytes, more than the file has");
        return Err(ReadError::Bad { at: input.place(), what });
    }
    Ok(())
}

pub(super) fn within(input: &Input<'_>, at: u64, bytes: u64) -> Result<(), ReadError> {
    let end = at.saturating_add(bytes);
    if end > input.length() {
        let left = input.length().saturating_sub(at);
        return Err(ReadError::Cut { at, what: "a CPU's records", wanted: bytes, left });
    }
    Ok(())
}

pub(super) fn is_text(option: u16) -> bool {
    [OPTION_STATISTICS, OPTION_CLOCK, OPTION_SYSTEM, PROCESSES, SMI, QUOTAS].contains(&option)
}

pub(super) fn said(option: u16, text: &str, about: &mut About, rings: &mut Rings) {
    let text = text.trim_end_matches('\0').trim();
    match option {
        OPTION_STATISTICS => rings.count_lost(text),
        OPTION_CLOCK => about.clock = chosen(text).or(about.clock.take()),
        OPTION_SYSTEM => about.system = Some(text.to_string()),
        PROCESSES => about.place_threads(text),
        SMI => about.notes.extend(smi(text)),
        QUOTAS => text.lines().filter_map(QuotaRow::read).for_each(|row| about.limit_threads(row)),
        _ => {}
    }
}

fn smi(count: &str) -> Option<String> {
    match count.parse::<u64>() {
        Ok(0) => None,
        Ok(count) => Some(format!(
            "{} during the recording: firmware held the CPUs, and that time counts for the interrupted thread",
            units::counted(count, "system management interrupt", "system management interrupts")
        )),
        Err(_) => Some(
            "system management interrupts: cannot read their count (Intel only, with the module msr, and not in a VM)"
                .to_string(),
        ),
    }
}

/// `mono` from `local global [mono]`; `None` if the text is empty.
pub(super) fn chosen(clocks: &str) -> Option<String> {
    let clocks = clocks.trim_end_matches('\0').trim();
    let marked = clocks.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let name = marked.map_or(clocks, |(name, _)| name);
    (!name.is_empty()).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_used_up_their_quota_are_told_with_their_threads() {
        let row = "3 2500000 7,9 /sys/fs/cgroup/a box\nnonsense\n1 x 8 /b\n";
        let mut about = About::default();
        said(QUOTAS, row, &mut about, &mut Rings::default());
        let group = crate::event::Group::named("/sys/fs/cgroup/a box");
        assert_eq!(about.quotas, [(7, group), (9, group)].into());
        let told =
            "a cgroup's CPU quota kept its threads off the CPUs 3 times for 2,500.0 us in all: /sys/fs/cgroup/a box";
        assert_eq!(about.notes, [told]);
    }

    #[test]
    fn firmwares_interrupts_are_told_where_there_were_any_or_nobody_could_look() {
        assert_eq!(smi("0"), None);
        assert!(smi("3").unwrap().starts_with("3 system management interrupts during the recording: "));
        assert!(smi("1").unwrap().starts_with("1 system management interrupt during"));
        assert!(smi("not readable").unwrap().starts_with("system management interrupts: cannot read"));
    }
}
