// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timer each thread waits for, with its expiry.
use crate::event::function::Function;
use crate::event::{Event, Name, Section, Stamped};
use crate::processor::{Processor, Stay};
use crate::thread::wakeup::{interrupt_name, is_of_sleep};

/// Slots for timers, as a power of two. If a timer finds no free slot, backwall forgets the timer in its slots that was set
/// first. The response to the forgotten timer then starts at the wakeup.
const PLACES_BITS: u32 = 13;
// Number of slots that one timer may take. A program with a thousand timers pushes out only timers that share slots with its
// own.
const PLACES_OF_ONE: usize = 4;
/// A timer that fires later than this after its expiry uses another clock than the recording's.
const CREDIBLE_NS: u64 = 10_000_000_000;

#[derive(Clone, Copy, Debug)]
struct Armed {
    timer: u64,
    thread: i32,
    expiry_at: u64,
    slack_ns: u64,
    armed_at: u64,
    /// Number of losses when the timer was set: a timer from before a loss may have been set again during it.
    losses: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fired {
    pub(crate) thread: i32,
    pub(crate) expiry_at: u64,
    pub(crate) slack_ns: u64,
    pub(crate) armed_at: u64,
    pub(crate) isr_at: u64,
    pub(crate) line: Option<Name>,
    pub(crate) stay: Option<Stay>,
    /// The timer's function will make ready the thread that set the timer, but has not done so yet.
    pub(crate) owes_waking: bool,
    /// Number of losses when the timer fired: a later wakeup may have been lost.
    losses: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Timers {
    armed: Box<[Option<Armed>]>,
    fired: Vec<Option<Fired>>,
    losses: u64,
    /// Events are being lost: a timer may be set again unseen.
    dark: bool,
}

impl Default for Timers {
    fn default() -> Self {
        Self { armed: vec![None; 1 << PLACES_BITS].into_boxed_slice(), fired: Vec::new(), losses: 0, dark: false }
    }
}

impl Timers {
    /// Takes the next event, which `processor` has already taken. Returns a sleep timer whose function ended without waking the
    /// timer's thread.
    #[inline(always)]
    pub(crate) fn push(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<Fired> {
        match stamped.event {
            Event::TimerStart { timer, expiry_ns, slack_ns } => {
                self.arm(timer, expiry_ns, slack_ns, stamped);
                None
            }
            Event::TimerExpire { timer, function } => {
                let before = self.ended(cpu);
                self.fire(cpu, (timer, function), stamped.at_ns, processor);
                before
            }
            Event::Waking { thread } => {
                let fired = self.fired.get_mut(cpu as usize).and_then(Option::as_mut);
                let fired = fired.filter(|fired| fired.thread == thread);
                fired.into_iter().for_each(|fired| fired.owes_waking = false);
                None
            }
            Event::Leave(Section::Interrupt(_)) | Event::Switch { .. } => self.ended(cpu),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) fn ended(&mut self, cpu: u32) -> Option<Fired> {
        let fired = self.fired.get_mut(cpu as usize)?.take()?;
        (fired.owes_waking && fired.losses == self.losses).then_some(fired)
    }

    /// The loss of events begins or ends: forgets all timers. `dark`: events are being lost, so timers set now are not kept.
    pub(crate) fn gap(&mut self, dark: bool) {
        self.losses += 1;
        self.dark = dark;
    }

    #[cfg(test)]
    pub(super) fn clear(&mut self) {
        self.losses += 1;
        self.fired.clear();
    }

    #[inline(always)]
    pub(crate) fn of(&self, cpu: u32, thread: i32) -> Option<&Fired> {
        self.fired.get(cpu as usize)?.as_ref().filter(|fired| fired.thread == thread && fired.losses == self.losses)
    }

    /// The timer whose function now runs on this CPU, if a thread had set it.
    #[inline(always)]
    pub(crate) fn fired(&self, cpu: u32) -> Option<&Fired> {
        self.fired.get(cpu as usize)?.as_ref().filter(|fired| fired.losses == self.losses)
    }

    /// Only a timer that a thread sets for itself is that thread's stimulus.
    fn arm(&mut self, timer: u64, expiry_at: u64, slack_ns: u64, stamped: &Stamped) {
        let (found, losses) = (self.place_of(timer), self.losses);
        if stamped.in_thread && stamped.thread != 0 && !self.dark {
            let (Ok(place) | Err(place)) = found;
            self.armed[place] =
                Some(Armed { timer, thread: stamped.thread, expiry_at, slack_ns, armed_at: stamped.at_ns, losses });
        } else if let Ok(place) = found {
            self.armed[place] = None;
        }
    }

    // The place of a timer. If the timer has none: an empty place, or the place of the timer that was set first, which may have
    // been cancelled long ago.
    #[inline(always)]
    fn place_of(&self, timer: u64) -> Result<usize, usize> {
        let (mut free, mut oldest_ns) = (0, u64::MAX);
        for place in places(timer) {
            let set_ns = match &self.armed[place] {
                Some(armed) if armed.timer == timer => return Ok(place),
                Some(armed) if armed.losses == self.losses => armed.armed_at,
                _ => 0,
            };
            if set_ns < oldest_ns {
                (free, oldest_ns) = (place, set_ns);
            }
        }
        Err(free)
    }

    fn fire(&mut self, cpu: u32, (timer, function): (u64, Option<Function>), at_ns: u64, processor: &Processor) {
        if self.fired.len() <= cpu as usize {
            self.fired.resize(cpu as usize + 1, None);
        }
        self.fired[cpu as usize] = None;
        let armed = self.place_of(timer).ok().and_then(|place| self.armed[place].take());
        let armed = armed.filter(|armed| armed.losses == self.losses);
        let Some(Armed { thread, expiry_at, slack_ns, armed_at, .. }) = armed else { return };
        if expiry_at > at_ns || at_ns - expiry_at > CREDIBLE_NS {
            return;
        }
        let (isr_at, line) = match processor.interrupt() {
            Some(open) => (open.since_ns, interrupt_name(open.section)),
            None => (at_ns, None),
        };
        let (stay, losses) = (processor.stay().0, self.losses);
        let owes_waking = is_of_sleep(function);
        self.fired[cpu as usize] =
            Some(Fired { thread, expiry_at, slack_ns, armed_at, isr_at, line, stay, owes_waking, losses });
    }
}

/// Fibonacci hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
fn places(timer: u64) -> impl Iterator<Item = usize> {
    let first = (timer.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES_BITS)) as usize;
    (first..first + PLACES_OF_ONE).map(|place| place & ((1 << PLACES_BITS) - 1))
}
