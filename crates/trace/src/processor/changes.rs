// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes of the machine itself, if the kernel records them: a CPU's frequency, cooling, CPUs that go offline and come back.
//!
//! A stretch gets the state of the machine at the stretch's middle. The kernel records only changes of a frequency, so the
//! frequency before the first change is unknown.
use crate::blame::{Cause, Culprit, More};
use crate::event::function::Function;
use crate::event::{Event, Stamped};
use crate::processor::Holder;
use crate::processor::stretch::Stretch;
use std::collections::{BTreeSet, VecDeque};

const KEPT: usize = 256;
// Steps further apart than this belong to different hotplug operations.
const STEPS_NS: u64 = 100_000_000;
// A step without a recorded end counts for at most this time.
const STEP_MAX_NS: u64 = 1_000_000_000;
/// At most this many threads are kept for one hotplug operation: the requester, a kernel worker, and the CPU's own thread.
const AT_STEPS: usize = 4;
/// Prefixes of the names of kernel threads that stop a CPU or carry out the steps of hotplug.
const THREADS: [&str; 2] = ["migration/", "cpuhp/"];
/// The function in which all CPUs wait until one of them is offline.
const STANDS_STILL: &str = "multi_cpu_stop";

/// A frequency far below the CPU's highest one in the recording, in whole hundreds of MHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slowed {
    /// The frequency.
    pub mhz: u32,
    /// The CPU's highest frequency in the recording.
    pub of_mhz: u32,
    /// The frequency was the highest that was allowed.
    pub limited: bool,
}

/// A CPU going offline or coming back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plugged {
    /// The CPU.
    pub cpu: u32,
    /// The CPU goes offline.
    pub down: bool,
}

/// A hotplug operation, and the threads that carried out its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plugging {
    /// The CPU, and whether it goes offline or comes back.
    pub what: Plugged,
    by: [i32; AT_STEPS],
}

impl Plugging {
    fn is_by(&self, thread: i32) -> bool {
        thread != 0 && self.by.contains(&thread)
    }

    /// Adds a thread. If no place is free, the thread replaces the one in the last place.
    fn learn(&mut self, thread: i32) {
        if !self.is_by(thread) {
            let place = self.by.iter().position(|by| *by == 0).unwrap_or(AT_STEPS - 1);
            self.by[place] = thread;
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Steps {
    of: Plugging,
    from_ns: u64,
    last_ns: u64,
    open: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    speeds: VecDeque<(u64, u32)>,
    highest_khz: u32,
    limits: VecDeque<(u64, u32)>,
    cooling: BTreeSet<Function>,
    /// When the first device began to cool, and when the last one stopped.
    cooled: VecDeque<(u64, bool)>,
    steps: VecDeque<Steps>,
}

impl Changes {
    #[cold]
    pub(crate) fn push(&mut self, own: u32, stamped: &Stamped) {
        let at_ns = stamped.at_ns;
        match stamped.event {
            Event::Frequency { cpu, khz } if cpu == own => {
                self.highest_khz = self.highest_khz.max(khz);
                push(&mut self.speeds, (at_ns, khz));
            }
            Event::FrequencyLimit { cpu, khz } if cpu == own => push(&mut self.limits, (at_ns, khz)),
            Event::Cools { what, on } => self.cools(at_ns, what, on),
            Event::Plugs { cpu, down: Some(down) } => self.step(at_ns, Plugged { cpu, down }, stamped.thread),
            Event::Plugs { cpu, down: None } => {
                let of_cpu = self.steps.iter_mut().rev().find(|steps| steps.of.what.cpu == cpu);
                of_cpu.into_iter().for_each(|steps| (steps.last_ns, steps.open) = (at_ns, false));
            }
            _ => {}
        }
    }

    fn cools(&mut self, at_ns: u64, what: Function, on: bool) {
        let before = !self.cooling.is_empty();
        match on {
            true if self.cooling.len() < KEPT => drop(self.cooling.insert(what)),
            true => {}
            false => drop(self.cooling.remove(&what)),
        }
        let cools = !self.cooling.is_empty();
        if cools != before {
            push(&mut self.cooled, (at_ns, cools));
        }
    }

    fn step(&mut self, at_ns: u64, what: Plugged, by: i32) {
        match self.steps.iter_mut().rev().find(|steps| steps.of.what == what) {
            Some(steps) if at_ns.saturating_sub(steps.last_ns) <= STEPS_NS => {
                (steps.last_ns, steps.open) = (at_ns, true);
                steps.of.learn(by);
            }
            _ => {
                let of = Plugging { what, by: [by, 0, 0, 0] };
                push(&mut self.steps, Steps { of, from_ns: at_ns, last_ns: at_ns, open: true });
            }
        }
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.speeds.is_empty() || !self.steps.is_empty()
    }

    pub(crate) fn within(&self, stretch: Stretch) -> Stretch {
        let at_ns = stretch.from_ns + (stretch.to_ns - stretch.from_ns) / 2;
        let cooled = last(&self.cooled, at_ns).unwrap_or(false);
        Stretch { slowed: self.slowed(at_ns), cooled, plugged: self.plugged(at_ns), ..stretch }
    }

    /// Reports a frequency only at two thirds of the highest one or less: higher ones are what a governor usually chooses.
    fn slowed(&self, at_ns: u64) -> Option<Slowed> {
        let khz = last(&self.speeds, at_ns).filter(|khz| u64::from(*khz) * 3 <= u64::from(self.highest_khz) * 2)?;
        let limited = last(&self.limits, at_ns).is_some_and(|limit| limit <= khz);
        let mhz = |khz: u32| (khz / 1_000 + 50) / 100 * 100;
        Some(Slowed { mhz: mhz(khz), of_mhz: mhz(self.highest_khz), limited })
    }

    fn plugged(&self, at_ns: u64) -> Option<Plugging> {
        let until = |steps: &Steps| steps.last_ns + if steps.open { STEP_MAX_NS } else { 0 };
        let now = self.steps.iter().rev().find(|steps| (steps.from_ns..=until(steps)).contains(&at_ns));
        now.map(|steps| steps.of)
    }

    pub(crate) fn forget(&mut self) {
        *self = Self { highest_khz: self.highest_khz, ..Self::default() };
    }
}

/// The cause of a part of a response, if a change of the machine explains it.
pub(crate) fn accuse_change(cause: Cause, culprit: Option<Culprit>, stretch: &Stretch) -> Option<(Cause, Culprit)> {
    let because = |more| Culprit { holder: stretch.holder(), more };
    if let Some(plugging) = stretch.plugged.filter(|plugging| is_of_plugging(cause, culprit, plugging)) {
        return Some((Cause::Hotplug, because(More::Plugged(plugging.what))));
    }
    let slowed = stretch.slowed.filter(|_| matches!(cause, Cause::Dispatch | Cause::OwnRun | Cause::Backlog))?;
    Some((if stretch.cooled { Cause::Cooling } else { Cause::Frequency }, because(More::Slowed(slowed))))
}

/// Whether the culprit stops every CPU for hotplug, or carries out steps of hotplug.
fn is_of_plugging(cause: Cause, culprit: Option<Culprit>, plugging: &Plugging) -> bool {
    let Some(Culprit { holder, more }) = culprit else { return false };
    match (cause, holder, more) {
        (Cause::Interference | Cause::Blocking, Holder::Thread(thread), _) => {
            plugging.is_by(thread.id) || THREADS.iter().any(|name| thread.name.starts_with(name))
        }
        (Cause::Masked, _, More::Masking { function, .. }) => function.name().starts_with(STANDS_STILL),
        (Cause::Late, _, More::Untold(backwall_model::Untold::Moment(function))) => {
            function.name().starts_with(STANDS_STILL)
        }
        _ => false,
    }
}

fn last<T: Copy>(all: &VecDeque<(u64, T)>, at_ns: u64) -> Option<T> {
    let count = all.partition_point(|(from_ns, _)| *from_ns <= at_ns);
    count.checked_sub(1).map(|place| all[place].1)
}

fn push<T>(kept: &mut VecDeque<T>, next: T) {
    if kept.len() == KEPT {
        kept.pop_front();
    }
    kept.push_back(next);
}
