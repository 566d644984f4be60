// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns records into events, by the layouts of the kernel that wrote them, without allocation.
//!
//! backwall reads a field in one of two ways, with the same result. `Plain` works with any layout. `Quick` is for layouts that
//! nearly all kernels have: each field has its usual size and is near the start of the record. Then the field's offset fits
//! into one byte and lies within a window of the sub-buffer, so its value is read with one load and no check.
mod fields;
mod plan;

pub(crate) use plan::waits_for_a_lock;

use crate::blame::behind::judge_addresses;
use crate::event::function::Functions;
use crate::event::symbols::Symbols;
use crate::event::{Event, Kind, Source, Stamped};
use crate::ring::format::{EventFormat, FormatError};
use fields::{Fields as _, Plain, Quick, WINDOW, function_field};
use plan::{ABOVE_THREAD, Layout, Plan, TO_SWITCH};
use std::sync::Arc;

const UNKNOWN: u8 = u8::MAX;

/// Takes events one by one.
pub trait Sink {
    /// Takes the next event. Inlined, so that it is compiled for each kind of event alone.
    fn take(&mut self, stamped: &Stamped);
}

impl Sink for Option<Stamped> {
    fn take(&mut self, stamped: &Stamped) {
        *self = Some(*stamped);
    }
}

/// Turns records into events.
#[derive(Clone, Debug)]
pub struct Decoder {
    index: Box<[u8; 1 << 16]>,
    /// The plan of an unknown event needs more bytes than any record has.
    plans: Box<[Plan; 1 << 8]>,
    layouts: Vec<Layout>,
    /// The functions of the recorded kernel, if known.
    functions: Functions,
}

impl Decoder {
    /// `formats`: the layouts of those sources that the kernel has.
    pub fn new<'a>(formats: impl IntoIterator<Item = (&'a Source, EventFormat)>) -> Result<Self, FormatError> {
        let index = vec![UNKNOWN; 1 << 16].into_boxed_slice().try_into();
        let index = index.unwrap_or_else(|_| unreachable!("the vector has exactly 65,536 elements"));
        let mut decoder =
            Self { index, plans: Box::new([Plan::NONE; 1 << 8]), layouts: Vec::new(), functions: Functions::default() };
        for (source, format) in formats.into_iter().take(UNKNOWN as usize) {
            let (place, layout) = (decoder.layouts.len(), Layout::new(source, &format)?);
            decoder.index[format.id as usize] = place as u8;
            decoder.plans[place] = Plan::new(source, &format, &layout);
            decoder.layouts.push(layout);
        }
        Ok(decoder)
    }

    /// Names the functions of kernel stacks; a stack without names shows nothing.
    pub fn name_functions_by(&mut self, symbols: Arc<Symbols>) {
        self.functions = Functions::of(symbols);
    }

    /// Whether records of this number are decoded.
    #[inline]
    pub fn knows(&self, id: u16) -> bool {
        self.index[id as usize] != UNKNOWN
    }

    /// The event of a record. `None` if the event was not requested, or if the record is shorter than its layout.
    pub fn decode(&self, at_ns: u64, record: &[u8]) -> Option<Stamped> {
        let mut only = None;
        self.give(at_ns, record, &[], &mut only);
        only
    }

    /// Gives the event of a record to `sink`; `false` where [`Self::decode`] returns `None`. `ahead` begins with the record and
    /// continues after it, or is empty. If `ahead` is long enough, fields need no bounds checks.
    #[inline(always)]
    pub fn give(&self, at_ns: u64, record: &[u8], ahead: &[u8], sink: &mut impl Sink) -> bool {
        let Some(id) = record.first_chunk() else { return false };
        let place = self.index[u16::from_le_bytes(*id) as usize];
        let plan = &self.plans[place as usize];
        if record.len() < plan.bytes as usize {
            return false;
        }
        match ahead.first_chunk() {
            Some(window) if plan.quick => {
                plan.give(at_ns, &Quick { begins: &plan.begins, window }, &self.functions, sink).is_some()
            }
            _ => self.give_otherwise(at_ns, place, record, ahead, sink),
        }
    }

    /// Reads the last records of a sub-buffer from a padded copy, and other records by their layout.
    #[cold]
    #[inline(never)]
    fn give_otherwise(&self, at_ns: u64, place: u8, record: &[u8], ahead: &[u8], sink: &mut impl Sink) -> bool {
        let (plan, mut only) = (&self.plans[place as usize], None);
        if let (Kind::Stack, Some(layout)) = (plan.kind, self.layouts.get(place as usize)) {
            only = self.stack(at_ns, layout, record);
        } else if plan.quick && !ahead.is_empty() {
            let (mut window, bytes) = ([0; WINDOW], ahead.len().min(WINDOW));
            window[..bytes].copy_from_slice(&ahead[..bytes]);
            plan.give(at_ns, &Quick { begins: &plan.begins, window: &window }, &self.functions, &mut only);
        } else if let Some(layout) = self.layouts.get(place as usize) {
            plan.give(at_ns, &Plain { layout, record }, &self.functions, &mut only);
        }
        only.iter().for_each(|stamped| sink.take(stamped));
        only.is_some()
    }

    /// The function addresses in a record: those of a stack, or a timer's function.
    pub fn addresses<'a>(&self, record: &'a [u8]) -> impl Iterator<Item = u64> + use<'a> {
        let id = record.first_chunk().map_or(0, |id| u16::from_le_bytes(*id));
        let place = self.index[id as usize];
        let kind = self.plans[place as usize].kind;
        let fields = self.layouts.get(place as usize).map(|layout| Plain { layout, record });
        let function = function_field(kind).and_then(|field| fields.as_ref()?.whole(field));
        let stack = fields.filter(|_| matches!(kind, Kind::Stack));
        let stack = stack.and_then(|fields| Some((*fields.layout, fields.half(0)?)));
        function.into_iter().chain(stack.into_iter().flat_map(move |(layout, count)| addresses(&layout, record, count)))
    }

    fn stack(&self, at_ns: u64, layout: &Layout, record: &[u8]) -> Option<Stamped> {
        let fields = Plain { layout, record };
        let (flags, thread, count) = (fields.flags()?, fields.thread()?, fields.half(0)?);
        let verdict = judge_addresses(addresses(layout, record, count), self.functions.symbols(), &|_| None);
        let (in_thread, to_switch) = (flags & ABOVE_THREAD == 0, flags & TO_SWITCH != 0);
        Some(Stamped { at_ns, thread, in_thread, to_switch, event: Event::Stack(verdict) })
    }
}

/// The addresses of a stack: as many as the stack states, but not beyond the record.
fn addresses<'a>(layout: &Layout, record: &'a [u8], count: i32) -> impl Iterator<Item = u64> + use<'a> {
    let words = record.get(layout.fields[1].offset..).unwrap_or_default().chunks_exact(8);
    let addresses = words.map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    addresses.take(usize::try_from(count).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Name, Thread, sources};
    use proptest::prelude::*;
    use std::path::Path;

    #[expect(clippy::disallowed_methods, reason = "the layouts of real kernels are files beside the tests")]
    fn formats_of(kernel: &str) -> Vec<(Source, EventFormat)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(kernel);
        let vectors = ["local_timer_entry", "local_timer_exit"].map(str::to_string);
        let known = sources(vectors).into_iter().filter_map(|source| {
            let text = std::fs::read_to_string(folder.join(format!("{}.format", source.event()))).ok()?;
            Some((source, EventFormat::parse(&text).unwrap()))
        });
        known.collect()
    }

    fn decoder_of(formats: &[(Source, EventFormat)]) -> Decoder {
        Decoder::new(formats.iter().map(|(source, format)| (source, format.clone()))).unwrap()
    }

    const KERNELS: [&str; 3] =
        ["linux_6.18", "android_hammerhead_MRA59G_3.4.0", "android_walleye_OPM5.171019.017.A1_4.4.88"];

    #[test]
    fn the_usual_events_of_today_are_read_quickly() {
        let quick = decoder_of(&formats_of("linux_6.18")).plans.iter().filter(|plan| plan.quick).count();
        // All events except six: the interrupt's, whose name is elsewhere in the record; two of control groups, with their
        // paths; and three of cooling, with their names.
        assert_eq!(quick, formats_of("linux_6.18").len() - 6);
    }

    #[test]
    fn two_plans_are_one_line_of_the_cache() {
        assert!(size_of::<Plan>() <= 32);
    }

    proptest! {
        #[test]
        fn both_ways_of_reading_give_the_same_event(
            kernel in 0..KERNELS.len(),
            event in any::<prop::sample::Index>(),
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 2..160),
            length in 2usize..100,
        ) {
            let formats = formats_of(KERNELS[kernel]);
            let decoder = decoder_of(&formats);
            let mut page = bytes;
            page[..2].copy_from_slice(&event.get(&formats).1.id.to_le_bytes());
            let record = &page[..length.min(page.len())];
            let mut given = None;
            let taken = decoder.give(7, record, &page, &mut given);
            prop_assert_eq!(given, decoder.decode(7, record));
            prop_assert_eq!(taken, given.is_some());
        }

        #[test]
        fn a_switch_is_what_its_layout_says(
            kernel in 0..KERNELS.len(),
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 160),
        ) {
            let formats = formats_of(KERNELS[kernel]);
            let format = &formats.iter().find(|(source, _)| source.event() == "sched_switch").unwrap().1;
            let mut page = bytes;
            page[..2].copy_from_slice(&format.id.to_le_bytes());
            let number = |name: &str| format.place(name).unwrap().number(&page).unwrap();
            let name = |name: &str| Name::new(format.place(name).unwrap().bytes(&page).unwrap());
            let thread = |which: &str| Thread {
                id: number(&format!("{which}_pid")) as i32,
                priority: number(&format!("{which}_prio")) as i32,
                name: name(&format!("{which}_comm")),
            };
            let flags = number("common_flags");
            let expected = Stamped {
                at_ns: 7,
                thread: number("common_pid") as i32,
                in_thread: flags & 0x58 == 0,
                to_switch: flags & 4 != 0,
                event: Event::Switch { from: thread("prev"), preempted: number("prev_state") & 0xff == 0, to: thread("next") },
            };
            let mut given = None;
            decoder_of(&formats).give(7, &page[..100], &page, &mut given);
            prop_assert_eq!(given, Some(expected));
        }
    }
}
