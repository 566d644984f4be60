// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns records into events, by the layouts of the kernel that wrote them, without allocation.
//!
//! A field is read in one of two ways, with the same result. `Plain` follows its layout, whatever that is. `Quick` is for
//! layouts that nearly all kernels have: each field of its usual size and near the start of the record, so that its place
//! is one byte, known to lie within a window of the sub-buffer, and its value is one load without a question.
use super::behind::judge_addresses;
use super::event::{CALL, Event, Group, Kind, Name, Section, Signal, Source, Stamped, Thread, slows};
use super::format::{EventFormat, FormatError, Place};
use super::function::{Function, Functions};
use super::symbols::Symbols;
use std::sync::Arc;

/// Most fields that one event needs.
const FIELDS_MAX: usize = 7;
/// Bits of `common_flags`: in an interrupt, in a softirq, in a non-maskable interrupt.
const ABOVE_THREAD: u8 = 0x08 | 0x10 | 0x40;
/// Bit of `common_flags`: the scheduler is to run as soon as it may.
const TO_SWITCH: u8 = 0x04;
/// A trip of a thermal zone at which a fan is to run; those above it slow the processors, or end all.
const ACTIVE: i32 = 0;
/// What the steps of a processor lead to that goes.
const OFF_LINE: i32 = 0;
/// No event has this index.
const UNKNOWN: u8 = u8::MAX;
/// Where a field that is read quickly begins, at most, and how far the largest of them reaches.
const BEGIN_MAX: u8 = 63;
const WINDOW: usize = BEGIN_MAX as usize + 17;

/// Takes events one by one.
pub trait Sink {
    /// The next event. Inlined, it is compiled for each kind of event alone.
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
    /// From `common_type` to an index into `plans`.
    index: Box<[u8; 1 << 16]>,
    /// That of an unknown event is one that no record is long enough for.
    plans: Box<[Plan; 1 << 8]>,
    /// What is read plainly, by the same index.
    layouts: Vec<Layout>,
    /// The functions of the kernel that wrote them, where they are known.
    functions: Functions,
}

/// How the records of one event are read: as little of it as nearly all of them need, so that a few lines of the cache hold all.
#[derive(Clone, Copy, Debug)]
struct Plan {
    kind: Kind,
    /// Whether all fields are fit for `begins`.
    quick: bool,
    /// Where they begin: the flags, the thread, and those of the kind.
    begins: [u8; 2 + FIELDS_MAX],
    /// Of a record that holds all its fields.
    bytes: u32,
    /// Of an interrupt's vector.
    name: Name,
}

/// Where the fields of one event lie, whatever they are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    flags: Place,
    thread: Place,
    fields: [Place; FIELDS_MAX],
}

impl Decoder {
    /// `formats` are the layouts of those sources that the kernel has.
    pub fn new<'a>(formats: impl IntoIterator<Item = (&'a Source, EventFormat)>) -> Result<Self, FormatError> {
        let index = vec![UNKNOWN; 1 << 16].into_boxed_slice().try_into();
        let index = index.unwrap_or_else(|_| unreachable!("as long as was asked for"));
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

    /// Names the functions of the kernel's stacks; without them no stack tells anything.
    pub fn name_functions_by(&mut self, symbols: Arc<Symbols>) {
        self.functions = Functions::of(symbols);
    }

    /// Whether records of this number are decoded.
    #[inline]
    pub fn knows(&self, id: u16) -> bool {
        self.index[id as usize] != UNKNOWN
    }

    /// `None` for an event that was not asked for, or a record too short for its layout.
    pub fn decode(&self, at_ns: u64, record: &[u8]) -> Option<Stamped> {
        let mut only = None;
        self.give(at_ns, record, &[], &mut only);
        only
    }

    /// The same into a sink; `false` where there is nothing to take. `ahead` begins with the record and goes on behind it, or is
    /// empty: where it is long enough no field needs to be looked at for lying within it.
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

    /// The last records of a sub-buffer are read quickly from a copy with room behind it, any others as their layout says.
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

    /// The addresses of functions in a record: those of the kernel's stack, and that of a timer's function.
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
        let verdict = judge_addresses(addresses(layout, record, count), self.functions.symbols());
        let (in_thread, to_switch) = (flags & ABOVE_THREAD == 0, flags & TO_SWITCH != 0);
        Some(Stamped { at_ns, thread, in_thread, to_switch, event: Event::Stack(verdict) })
    }
}

/// Of a stack: as many as it says, and no more than the record holds.
fn addresses<'a>(layout: &Layout, record: &'a [u8], count: i32) -> impl Iterator<Item = u64> + use<'a> {
    let words = record.get(layout.fields[1].offset..).unwrap_or_default().chunks_exact(8);
    let addresses = words.map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    addresses.take(usize::try_from(count).unwrap_or(0))
}

impl Layout {
    fn new(source: &Source, format: &EventFormat) -> Result<Self, FormatError> {
        let mut fields = [Place::default(); FIELDS_MAX];
        for (place, name) in fields.iter_mut().zip(source.fields) {
            *place = format.place(name)?;
        }
        Ok(Self { flags: format.place("common_flags")?, thread: format.place("common_pid")?, fields })
    }

    /// What is read of a record, and what is wanted of it.
    fn shaped(&self, kind: Kind) -> impl Iterator<Item = (Shape, Place)> + Clone {
        let common = [(Shape::Byte, self.flags), (Shape::Half, self.thread)];
        common.into_iter().chain(shapes(kind).iter().copied().zip(self.fields))
    }
}

impl Plan {
    /// Of an event that is not decoded.
    const NONE: Self =
        Self { kind: Kind::SleepEnd, quick: false, begins: [0; 2 + FIELDS_MAX], bytes: u32::MAX, name: Name::NONE };

    fn new(source: &Source, format: &EventFormat, layout: &Layout) -> Self {
        let vector = format.name.trim_end_matches("_entry").trim_end_matches("_exit");
        let (kind, all) = (source.kind, layout.shaped(source.kind));
        let bytes = all.clone().map(|(_, place)| place.end()).max().unwrap_or(0);
        let mut begins = [0; 2 + FIELDS_MAX];
        begins.iter_mut().zip(all.clone()).for_each(|(begin, (_, place))| *begin = place.offset as u8);
        let quick = all.clone().all(|(shape, place)| shape.fits(place)) && !matches!(kind, Kind::Stack);
        let name = if vector == "ipi" { CALL } else { Name::new(vector.as_bytes()) };
        Self { kind, quick, begins, bytes: bytes as u32, name }
    }

    /// Every kind of event is given from a place of its own, so that what takes it is compiled for that kind alone.
    #[inline(always)]
    fn give(&self, at_ns: u64, fields: &impl Fields, functions: &Functions, sink: &mut impl Sink) -> Option<()> {
        let (flags, thread) = (fields.flags()?, fields.thread()?);
        let (in_thread, to_switch) = (flags & ABOVE_THREAD == 0, flags & TO_SWITCH != 0);
        macro_rules! take {
            ($event:expr) => {
                sink.take(&Stamped { at_ns, thread, in_thread, to_switch, event: $event })
            };
        }
        match self.kind {
            Kind::Switch => take!(Event::Switch {
                from: Thread { id: fields.half(1)?, priority: fields.half(2)?, name: fields.name(0)? },
                // All kernels keep the states other than ready in the lowest byte of `prev_state`; higher bits differ.
                preempted: fields.byte(3)? == 0,
                to: Thread { id: fields.half(5)?, priority: fields.half(6)?, name: fields.name(4)? },
            }),
            Kind::Waking => take!(Event::Waking { thread: fields.half(0)? }),
            Kind::Woken { new } => take!(Event::Woken { thread: fields.half(0)?, new }),
            Kind::TimerStart => take!(Event::TimerStart { timer: fields.whole(0)?, expiry_ns: fields.whole(1)? }),
            Kind::TimerExpire => {
                take!(Event::TimerExpire { timer: fields.whole(0)?, function: functions.named(fields.whole(1)?) })
            }
            Kind::CoarseTimer => take!(Event::CoarseTimer { function: functions.named(fields.whole(0)?) }),
            Kind::Work { begins: true } => take!(Event::Work { function: functions.named(fields.whole(0)?) }),
            Kind::Work { begins: false } => take!(Event::WorkEnd),
            Kind::Interrupt { enter: true } => take!(Event::Enter(Section::Interrupt(fields.name(0)?))),
            Kind::Interrupt { enter: false } => take!(Event::Leave(Section::Interrupt(Name::default()))),
            Kind::Vector { enter: true } => take!(Event::Enter(Section::Interrupt(self.name))),
            Kind::Vector { enter: false } => take!(Event::Leave(Section::Interrupt(self.name))),
            Kind::Softirq { enter: true } => take!(Event::Enter(Section::Softirq(fields.byte(0)?))),
            Kind::Softirq { enter: false } => take!(Event::Leave(Section::Softirq(fields.byte(0)?))),
            Kind::SleepEnd => take!(Event::SleepEnd),
            Kind::Futex { enter: true } => {
                take!(Event::Futex { locks: waits_for_a_lock(fields.half(0)?, fields.half(1)?) })
            }
            Kind::Futex { enter: false } => take!(Event::FutexEnd),
            Kind::PageFault => take!(Event::PageFault),
            Kind::Inherit => {
                take!(Event::Inherit { thread: fields.half(0)?, from: fields.half(1)?, to: fields.half(2)? })
            }
            Kind::Signalled => {
                take!(Event::Signalled { thread: fields.half(0)?, signal: Signal::numbered(fields.half(1)?) })
            }
            Kind::Freezes { on } => take!(Event::Freezes { group: Group(fields.text(0)?), on }),
            Kind::Frequency { limit: false } => {
                take!(Event::Frequency { khz: fields.half(0)? as u32, cpu: fields.half(1)? as u32 })
            }
            Kind::Frequency { limit: true } => {
                take!(Event::FrequencyLimit { khz: fields.half(0)? as u32, cpu: fields.half(1)? as u32 })
            }
            Kind::Cools => {
                let what = fields.text(0)?;
                take!(Event::Cools { what, on: slows(what.name(), fields.whole(1)?) })
            }
            Kind::Temperature => take!(Event::Cools { what: fields.text(0)?, on: false }),
            Kind::Trip => take!(Event::Cools { what: fields.text(0)?, on: fields.half(1)? > ACTIVE }),
            Kind::Plugs { begins: true } => {
                take!(Event::Plugs { cpu: fields.half(0)? as u32, down: Some(fields.half(1)? == OFF_LINE) })
            }
            Kind::Plugs { begins: false } => take!(Event::Plugs { cpu: fields.half(0)? as u32, down: None }),
            // It needs more than its fields: it is given elsewhere.
            Kind::Stack => return None,
            Kind::Migrate => take!(Event::Migrate { thread: fields.half(0)?, to: fields.half(1)? as u32 }),
        }
        Some(())
    }
}

/// Whether a call of `futex` with this operation and value waits for a lock: those with inheritance are for nothing else;
/// of the others a lock's waiters expect 2 in its word, by the convention of Drepper, Futexes Are Tricky, section 6, which
/// glibc and Rust follow.
pub(super) fn waits_for_a_lock(operation: i32, value: i32) -> bool {
    const PRIVATE_OR_REAL_TIME_CLOCK: i32 = 128 | 256;
    match operation & !PRIVATE_OR_REAL_TIME_CLOCK {
        libc::FUTEX_LOCK_PI | libc::FUTEX_LOCK_PI2 | libc::FUTEX_WAIT_REQUEUE_PI => true,
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => value == 2,
        _ => false,
    }
}

/// What is wanted of a field.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// The lowest byte of a number.
    Byte,
    /// The lower half of a number.
    Half,
    /// A number.
    Whole,
    /// A name.
    Name,
}

impl Shape {
    /// Whether one load within the window gives it.
    fn fits(self, place: Place) -> bool {
        let size = match self {
            Shape::Byte => (1..=8).contains(&place.size),
            Shape::Half => [4, 8].contains(&place.size),
            Shape::Whole => place.size == 8,
            Shape::Name => place.size == 16,
        };
        size && !place.dynamic && place.offset <= BEGIN_MAX as usize
    }
}

/// Which field of a record is the address of a function.
fn function_field(kind: Kind) -> Option<usize> {
    match kind {
        Kind::TimerExpire => Some(1),
        Kind::CoarseTimer | Kind::Work { begins: true } => Some(0),
        _ => None,
    }
}

/// What is wanted of the fields of a source, in their order.
fn shapes(kind: Kind) -> &'static [Shape] {
    use Shape::{Byte, Half, Name, Whole};
    match kind {
        Kind::Switch => &[Name, Half, Half, Byte, Name, Half, Half],
        Kind::TimerStart | Kind::TimerExpire => &[Whole, Whole],
        Kind::CoarseTimer | Kind::Work { begins: true } => &[Whole],
        Kind::Interrupt { enter: true } => &[Name],
        Kind::Softirq { .. } => &[Byte],
        Kind::Waking | Kind::Woken { .. } | Kind::Stack => &[Half],
        Kind::Inherit => &[Half, Half, Half],
        Kind::Freezes { .. } | Kind::Temperature => &[Name],
        Kind::Cools => &[Name, Whole],
        Kind::Trip => &[Name, Half],
        Kind::Frequency { .. } | Kind::Plugs { begins: true } => &[Half, Half],
        Kind::Plugs { begins: false } => &[Half],
        Kind::Migrate | Kind::Futex { enter: true } | Kind::Signalled => &[Half, Half],
        Kind::Interrupt { enter: false } | Kind::Vector { .. } | Kind::SleepEnd | Kind::Futex { enter: false } => &[],
        Kind::PageFault | Kind::Work { begins: false } => &[],
    }
}

/// The fields of one record, by their number among those of its source.
trait Fields {
    fn flags(&self) -> Option<u8>;
    fn thread(&self) -> Option<i32>;
    fn byte(&self, field: usize) -> Option<u8>;
    fn half(&self, field: usize) -> Option<i32>;
    fn whole(&self, field: usize) -> Option<u64>;
    fn name(&self, field: usize) -> Option<Name>;
    /// Of a text of any length, which no layout has in a fixed place.
    fn text(&self, field: usize) -> Option<Function>;
}

/// By the layout, whatever it is.
struct Plain<'a> {
    layout: &'a Layout,
    record: &'a [u8],
}

impl Fields for Plain<'_> {
    fn flags(&self) -> Option<u8> {
        self.layout.flags.number(self.record).map(|number| number as u8)
    }

    fn thread(&self) -> Option<i32> {
        self.layout.thread.number(self.record).map(|number| number as i32)
    }

    fn byte(&self, field: usize) -> Option<u8> {
        self.whole(field).map(|number| number as u8)
    }

    fn half(&self, field: usize) -> Option<i32> {
        self.whole(field).map(|number| number as i32)
    }

    fn whole(&self, field: usize) -> Option<u64> {
        self.layout.fields[field].number(self.record).map(|number| number as u64)
    }

    fn name(&self, field: usize) -> Option<Name> {
        self.layout.fields[field].bytes(self.record).map(Name::new)
    }

    fn text(&self, field: usize) -> Option<Function> {
        let text = self.layout.fields[field].bytes(self.record)?;
        let text = text.split(|letter| *letter == 0).next().unwrap_or_default();
        Some(Function::named(&String::from_utf8_lossy(text)))
    }
}

/// One load each. That the record is long enough was seen before.
struct Quick<'a> {
    begins: &'a [u8; 2 + FIELDS_MAX],
    window: &'a [u8; WINDOW],
}

impl Quick<'_> {
    /// The mask changes nothing, but it tells the compiler that the bytes lie within the window.
    #[inline(always)]
    fn bytes<const BYTES: usize>(&self, place: usize) -> [u8; BYTES] {
        let begin = (self.begins[place] & BEGIN_MAX) as usize;
        *self.window[begin..].first_chunk().expect("BYTES is 16 at most")
    }
}

impl Fields for Quick<'_> {
    #[inline(always)]
    fn flags(&self) -> Option<u8> {
        Some(self.bytes::<1>(0)[0])
    }

    #[inline(always)]
    fn thread(&self) -> Option<i32> {
        Some(i32::from_le_bytes(self.bytes(1)))
    }

    #[inline(always)]
    fn byte(&self, field: usize) -> Option<u8> {
        Some(self.bytes::<1>(2 + field)[0])
    }

    #[inline(always)]
    fn half(&self, field: usize) -> Option<i32> {
        Some(i32::from_le_bytes(self.bytes(2 + field)))
    }

    #[inline(always)]
    fn whole(&self, field: usize) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(2 + field)))
    }

    #[inline(always)]
    fn name(&self, field: usize) -> Option<Name> {
        Some(Name::new(&self.bytes::<16>(2 + field)))
    }

    fn text(&self, _: usize) -> Option<Function> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::sources;
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    /// The events of a kernel whose layouts are in the test data.
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
        // All but the interrupt's, whose name lies elsewhere in the record, the two of control groups with their paths, and the three of
        // cooling with their names.
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
