// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of the kernel's events in a CTF trace, by the names of events and fields: LTTng's, and those of backwall's export.
//! LTTng counts priorities from the first ordinary one.
//! Source: lttng-modules, instrumentation/events.
use super::fields::{Bits, DecodedFields};
use super::layout;
use crate::event::{CALL, Event, Name, ORDINARY, Section, Signal, Thread};
use crate::ring::decoder::waits_for_a_lock;

#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    id: usize,
    priority: usize,
    name: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Nothing,
    Switch {
        from: Who,
        state: usize,
        to: Who,
    },
    Waking(usize),
    Woken {
        thread: usize,
        new: bool,
        on: Option<usize>,
    },
    Migrate {
        thread: usize,
        to: usize,
    },
    Inherit {
        thread: usize,
        from: usize,
        to: usize,
    },
    TimerStart {
        timer: usize,
        hard: usize,
        soft: usize,
    },
    TimerExpire(usize),
    CoarseTimer,
    Signalled {
        thread: usize,
        signal: usize,
    },
    Interrupt {
        name: usize,
    },
    InterruptEnd,
    Softirq(usize),
    SoftirqEnd(usize),
    Vector {
        name: Name,
        enter: bool,
    },
    SleepEnd,
    Futex {
        operation: usize,
        value: usize,
    },
    FutexEnd,
    PageFault,
    Frequency {
        khz: usize,
        cpu: usize,
    },
    Work,
    WorkEnd,
    /// The name and process of a thread that existed before the trace.
    Names {
        thread: usize,
        process: usize,
        name: usize,
    },
    Zephyr(super::zephyr::Step),
}

impl Meaning {
    pub(super) fn of(event: &layout::Event) -> Self {
        Self::found(event).unwrap_or(Self::Nothing)
    }

    pub(super) fn must_be_read(name: &str) -> bool {
        ["sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new"].contains(&name)
    }

    fn found(event: &layout::Event) -> Option<Self> {
        let slot = |name: &str| event.slots.get(name).copied();
        let either = |one: &str, other: &str| slot(one).or(slot(other));
        let who = |which: &str| {
            Some(Who {
                id: either(&format!("{which}_tid"), &format!("{which}_pid"))?,
                priority: slot(&format!("{which}_prio"))?,
                name: slot(&format!("{which}_comm"))?,
            })
        };
        // perf writes the kernel's subsystem before the name.
        let name = event.name.rsplit_once(':').filter(|(system, _)| !system.contains("lttng"));
        let name = name.map_or(event.name.as_str(), |(_, name)| name);
        Some(match name {
            "sched_switch" => Self::Switch { from: who("prev")?, state: slot("prev_state")?, to: who("next")? },
            "sched_waking" => Self::Waking(either("tid", "pid")?),
            "sched_wakeup" | "sched_wakeup_new" => {
                Self::Woken { thread: either("tid", "pid")?, new: name == "sched_wakeup_new", on: slot("target_cpu") }
            }
            "sched_migrate_task" => Self::Migrate { thread: either("tid", "pid")?, to: slot("dest_cpu")? },
            "sched_pi_setprio" => {
                Self::Inherit { thread: either("tid", "pid")?, from: slot("oldprio")?, to: slot("newprio")? }
            }
            "hrtimer_start" | "timer_hrtimer_start" => {
                let soft = slot("softexpires")?;
                Self::TimerStart { timer: slot("hrtimer")?, hard: slot("expires").unwrap_or(soft), soft }
            }
            "hrtimer_expire_entry" | "timer_hrtimer_expire_entry" => Self::TimerExpire(slot("hrtimer")?),
            "timer_expire_entry" => Self::CoarseTimer,
            "signal_generate" => Self::Signalled { thread: either("tid", "pid")?, signal: slot("sig")? },
            "irq_handler_entry" => Self::Interrupt { name: slot("name")? },
            "irq_handler_exit" => Self::InterruptEnd,
            "softirq_entry" | "irq_softirq_entry" => Self::Softirq(slot("vec")?),
            "softirq_exit" | "irq_softirq_exit" => Self::SoftirqEnd(slot("vec")?),
            "ipi_entry" => Self::Vector { name: CALL, enter: true },
            "ipi_exit" => Self::Vector { name: CALL, enter: false },
            "syscall_exit_clock_nanosleep" => Self::SleepEnd,
            "syscall_entry_futex" => Self::Futex { operation: slot("op")?, value: slot("val")? },
            "syscall_exit_futex" => Self::FutexEnd,
            "page_fault_user" | "x86_exceptions_page_fault_user" => Self::PageFault,
            "page_fault_kernel" | "x86_exceptions_page_fault_kernel" => Self::PageFault,
            "power_cpu_frequency" => Self::Frequency { khz: slot("state")?, cpu: slot("cpu_id")? },
            "workqueue_execute_start" => Self::Work,
            "workqueue_execute_end" => Self::WorkEnd,
            "lttng_statedump_process_state" => {
                Self::Names { thread: slot("tid")?, process: slot("pid")?, name: slot("name")? }
            }
            "sched_process_fork" => Self::Names {
                thread: slot("child_tid")?,
                process: either("child_pid", "child_tid")?,
                name: slot("child_comm")?,
            },
            "isr_enter" => Self::Vector { name: Name::new(b"ISR"), enter: true },
            "isr_exit" | "isr_exit_to_scheduler" => Self::Vector { name: Name::new(b"ISR"), enter: false },
            other if other.starts_with("thread_") => Self::Zephyr(super::zephyr::Step::of(other, slot)?),
            other => {
                let vector = other.strip_prefix("x86_irq_vectors_")?;
                let name = |name: &str| Name::new(&name.as_bytes()[..name.len().min(16)]);
                match (vector.strip_suffix("_entry"), vector.strip_suffix("_exit")) {
                    (Some(vector), _) => Self::Vector { name: name(vector), enter: true },
                    (_, Some(vector)) => Self::Vector { name: name(vector), enter: false },
                    _ => return None,
                }
            }
        })
    }

    /// The event. `lttng`: priorities count from the first ordinary one.
    pub(super) fn event(self, seen: &DecodedFields, bits: &Bits<'_>, lttng: bool) -> Option<Event> {
        let value = |slot: usize| seen.slots[slot];
        let half = |slot: usize| seen.slots[slot] as i32;
        let name = |slot: usize| {
            let text = bits.text(seen.slots[slot]);
            Name::new(&text[..text.len().min(16)])
        };
        let priority = |slot: usize| if lttng { half(slot).saturating_add(ORDINARY) } else { half(slot) };
        let thread = |who: Who| Thread { id: half(who.id), priority: priority(who.priority), name: name(who.name) };
        Some(match self {
            Self::Nothing | Self::Names { .. } | Self::Zephyr(_) => return None,
            Self::Switch { from, state, to } => {
                Event::Switch { from: thread(from), preempted: value(state) & 0xff == 0, to: thread(to) }
            }
            Self::Waking(thread) => Event::Waking { thread: half(thread) },
            Self::Woken { thread, new, on } => {
                Event::Woken { thread: half(thread), new, on: on.map(|on| value(on) as u32) }
            }
            Self::Migrate { thread, to } => Event::Migrate { thread: half(thread), to: value(to) as u32 },
            Self::Inherit { thread, from, to } => {
                Event::Inherit { thread: half(thread), from: priority(from), to: priority(to) }
            }
            Self::TimerStart { timer, hard, soft } => Event::TimerStart {
                timer: value(timer),
                expiry_ns: value(soft),
                slack_ns: value(hard).saturating_sub(value(soft)),
            },
            Self::TimerExpire(timer) => Event::TimerExpire { timer: value(timer), function: None },
            Self::CoarseTimer => Event::CoarseTimer { function: None },
            Self::Signalled { thread, signal } => {
                Event::Signalled { thread: half(thread), signal: Signal::numbered(half(signal)) }
            }
            Self::Interrupt { name: slot } => Event::Enter(Section::Interrupt(name(slot))),
            Self::InterruptEnd => Event::Leave(Section::Interrupt(Name::default())),
            Self::Softirq(slot) => Event::Enter(Section::Softirq(value(slot) as u8)),
            Self::SoftirqEnd(slot) => Event::Leave(Section::Softirq(value(slot) as u8)),
            Self::Vector { name, enter: true } => Event::Enter(Section::Interrupt(name)),
            Self::Vector { name, enter: false } => Event::Leave(Section::Interrupt(name)),
            Self::SleepEnd => Event::SleepEnd,
            Self::Futex { operation, value: slot } => {
                Event::Futex { locks: waits_for_a_lock(half(operation), half(slot)) }
            }
            Self::FutexEnd => Event::FutexEnd,
            Self::PageFault => Event::PageFault,
            Self::Frequency { khz, cpu } => Event::Frequency { cpu: value(cpu) as u32, khz: value(khz) as u32 },
            Self::Work => Event::Work { function: None },
            Self::WorkEnd => Event::WorkEnd,
        })
    }

    pub(super) fn name<'a>(self, seen: &DecodedFields, bits: &Bits<'a>) -> Option<(i32, i32, &'a [u8])> {
        let Self::Names { thread, process, name } = self else { return None };
        Some((seen.slots[thread] as i32, seen.slots[process] as i32, bits.text(seen.slots[name])))
    }
}
