// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a record becomes an event: where its fields are, and what they mean.
use super::Sink;
use super::fields::{FIELDS_MAX, Fields, Shape, shapes};
use crate::event::function::Functions;
use crate::event::{CALL, Event, Group, Kind, MarkText, Name, Section, Signal, Source, Stamped, Thread, slows};
use crate::ring::format::{EventFormat, FormatError, Place};

/// Bits of `common_flags`: in an interrupt, in a softirq, in an NMI.
pub(super) const ABOVE_THREAD: u8 = 0x08 | 0x10 | 0x40;
/// Bit of `common_flags`: a reschedule is pending.
pub(super) const TO_SWITCH: u8 = 0x04;
/// The thermal trip that starts a fan; trips after it slow or stop the CPUs.
const ACTIVE: i32 = 0;
const OFF_LINE: i32 = 0;

/// How to read the records of one event: only what nearly all records need, so that it fits into a few cache lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) quick: bool,
    pub(super) begins: [u8; 2 + FIELDS_MAX],
    pub(super) bytes: u32,
    name: Name,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) flags: Place,
    pub(super) thread: Place,
    pub(super) fields: [Place; FIELDS_MAX],
}

impl Layout {
    pub(super) fn new(source: &Source, format: &EventFormat) -> Result<Self, FormatError> {
        let mut fields = [Place::default(); FIELDS_MAX];
        for (place, name) in fields.iter_mut().zip(source.fields) {
            *place = format.place(name)?;
        }
        Ok(Self { flags: format.place("common_flags")?, thread: format.place("common_pid")?, fields })
    }

    fn shaped(&self, kind: Kind) -> impl Iterator<Item = (Shape, Place)> + Clone {
        let common = [(Shape::Byte, self.flags), (Shape::Half, self.thread)];
        common.into_iter().chain(shapes(kind).iter().copied().zip(self.fields))
    }
}

impl Plan {
    pub(super) const NONE: Self =
        Self { kind: Kind::SleepEnd, quick: false, begins: [0; 2 + FIELDS_MAX], bytes: u32::MAX, name: Name::NONE };

    pub(super) fn new(source: &Source, format: &EventFormat, layout: &Layout) -> Self {
        let vector = format.name.trim_end_matches("_entry").trim_end_matches("_exit");
        let vector = vector.strip_prefix("sys_enter_").unwrap_or(vector);
        let (kind, all) = (source.kind, layout.shaped(source.kind));
        let bytes = all.clone().map(|(_, place)| place.end()).max().unwrap_or(0);
        let mut begins = [0; 2 + FIELDS_MAX];
        begins.iter_mut().zip(all.clone()).for_each(|(begin, (_, place))| *begin = place.offset as u8);
        let quick = all.clone().all(|(shape, place)| shape.fits(place)) && !matches!(kind, Kind::Stack);
        let name = if vector == "ipi" { CALL } else { Name::new(vector.as_bytes()) };
        Self { kind, quick, begins, bytes: bytes as u32, name }
    }

    /// Each kind of event has its own call, so that the receiver is compiled for each kind alone.
    #[inline(always)]
    pub(super) fn give(
        &self,
        at_ns: u64,
        fields: &impl Fields,
        functions: &Functions,
        sink: &mut impl Sink,
    ) -> Option<()> {
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
                // All kernels have the states other than ready in the lowest byte of `prev_state`; the higher bits differ.
                preempted: fields.byte(3)? == 0,
                to: Thread { id: fields.half(5)?, priority: fields.half(6)?, name: fields.name(4)? },
            }),
            Kind::Waking => take!(Event::Waking { thread: fields.half(0)? }),
            Kind::Woken { new } => {
                take!(Event::Woken { thread: fields.half(0)?, new, on: fields.half(1).map(|on| on as u32) })
            }
            Kind::TimerStart => {
                let (expiry_ns, latest_ns) = (fields.whole(1)?, fields.whole(2)?);
                let slack_ns = latest_ns.saturating_sub(expiry_ns);
                take!(Event::TimerStart { timer: fields.whole(0)?, expiry_ns, slack_ns })
            }
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
            Kind::Call => take!(Event::Call { name: self.name }),
            Kind::Mark => take!(Event::Mark { text: MarkText::new(fields.rest(0)?) }),
            Kind::Packet { sent } => take!(Event::Packet { device: fields.name(0)?, sent }),
            Kind::Futex { enter: true } => {
                take!(Event::Futex { locks: waits_for_a_lock(fields.half(0)?, fields.half(1)?) })
            }
            Kind::Futex { enter: false } => take!(Event::FutexEnd),
            Kind::PageFault => take!(Event::PageFault),
            Kind::Masks { preemption, on } => take!(Event::Masks { preemption, on }),
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
            // The decoder handles stacks elsewhere, because a stack needs more than these fields.
            Kind::Stack => return None,
            Kind::Migrate => take!(Event::Migrate { thread: fields.half(0)?, to: fields.half(1)? as u32 }),
        }
        Some(())
    }
}

/// Whether a `futex` call with this operation and value waits for a lock. Operations with priority inheritance always do. For
/// others, waiters for a lock expect the value 2 (Drepper, Futexes Are Tricky, section 6; glibc and Rust follow it).
pub(crate) fn waits_for_a_lock(operation: i32, value: i32) -> bool {
    const PRIVATE_OR_REAL_TIME_CLOCK: i32 = 128 | 256;
    match operation & !PRIVATE_OR_REAL_TIME_CLOCK {
        libc::FUTEX_LOCK_PI | libc::FUTEX_LOCK_PI2 | libc::FUTEX_WAIT_REQUEUE_PI => true,
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => value == 2,
        _ => false,
    }
}
