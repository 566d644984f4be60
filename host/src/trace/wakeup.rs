// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one thread through its timed sleeps.
//!
//! The thread sets a timer (its expiry is the stimulus), an interrupt runs the
//! timer's function, which makes the thread ready, the scheduler switches to it,
//! its sleep returns. The timer's address joins the first two; the first waking of
//! the thread while the timer's function runs joins the rest.
use super::event::{Event, Name, Section, Stamped, Thread};
use super::processor::Processor;

/// A thread may set other timers on its way to sleep; the oldest are forgotten.
const ARMED_MAX: usize = 8;

/// One wake-up of the thread by its timer, every stamp by the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeUp {
    /// When the timer was to expire: the stimulus.
    pub expiry_at: u64,
    /// Start of the interrupt that ran the timer; of the timer's function where no interrupt was recorded.
    pub isr_at: u64,
    /// End of that interrupt, where it was recorded.
    pub isr_end_at: Option<u64>,
    /// The thread was made ready.
    pub waking_at: u64,
    /// The processor came to the thread; equal to `waking_at` when the thread still had it.
    pub switch_in_at: u64,
    /// Some event between waking and switch shows that the scheduler had run, or saw no reason to, and left the processor
    /// to the thread that had it.
    pub passed_over: bool,
    /// The sleep was about to return, where it was recorded.
    pub sleep_end_at: Option<u64>,
    /// The thread itself, as the switch to it named it, where there was one.
    pub thread: Option<Thread>,
    /// The thread that the interrupt interrupted, where it is known.
    pub interrupted: Option<Thread>,
    /// The interrupt's name; empty where none was recorded.
    pub line: Name,
}

impl WakeUp {
    /// The last of the kernel's stamps before the thread itself runs on.
    pub fn kernel_end(&self) -> u64 {
        self.sleep_end_at.unwrap_or(self.switch_in_at)
    }
}

#[derive(Clone, Copy, Debug)]
struct Fired {
    expiry_at: u64,
    isr_at: u64,
    interrupted: Option<Thread>,
    line: Name,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    fired: Fired,
    waking_at: u64,
    isr_end_at: Option<u64>,
    switch_in_at: Option<u64>,
    passed_over: bool,
    thread: Option<Thread>,
    sleep_end_at: Option<u64>,
}

/// Gathers the wake-ups of one thread on one processor.
#[derive(Clone, Debug)]
pub struct Follower {
    thread: i32,
    armed: Vec<(u64, u64)>,
    fired: Option<Fired>,
    pending: Option<Pending>,
}

impl Follower {
    /// Follows the thread of that number.
    pub fn new(thread: i32) -> Self {
        Self { thread, armed: Vec::with_capacity(ARMED_MAX), fired: None, pending: None }
    }

    /// Takes the next event, which `processor` has taken already; gives a wake-up when it is complete.
    pub fn push(&mut self, stamped: &Stamped, processor: &Processor) -> Option<WakeUp> {
        let at_ns = stamped.at_ns;
        self.see_scheduler(stamped);
        match stamped.event {
            Event::TimerStart { timer, expiry_ns } if stamped.thread == self.thread && stamped.in_thread => {
                self.arm(timer, expiry_ns);
                self.end()
            }
            Event::TimerExpire { timer } => {
                self.fired = self.disarm(timer).map(|expiry_at| fired(expiry_at, at_ns, processor));
                None
            }
            Event::Waking { thread } if thread == self.thread => {
                let running = processor.thread().filter(|thread| thread.id == self.thread);
                self.waking(at_ns, running)
            }
            Event::Leave(Section::Interrupt(_)) => {
                self.interrupt_end(at_ns, processor);
                None
            }
            Event::Switch { from, preempted, to } => self.switch(at_ns, from, preempted, to),
            Event::SleepEnd if stamped.thread == self.thread => {
                self.sleep_end(at_ns);
                None
            }
            _ => None,
        }
    }

    /// Events were lost: what was begun cannot be completed.
    pub fn forget(&mut self) {
        *self = Self::new(self.thread);
    }

    /// The last wake-up, if only the next one's start would have completed it.
    pub fn finish(&mut self) -> Option<WakeUp> {
        self.end()
    }

    fn arm(&mut self, timer: u64, expiry_ns: u64) {
        self.disarm(timer);
        if self.armed.len() == ARMED_MAX {
            self.armed.remove(0);
        }
        self.armed.push((timer, expiry_ns));
    }

    fn disarm(&mut self, timer: u64) -> Option<u64> {
        let index = self.armed.iter().position(|(armed, _)| *armed == timer)?;
        Some(self.armed.remove(index).1)
    }

    /// `running`: the thread itself, when it had not yet left the processor.
    fn waking(&mut self, at_ns: u64, running: Option<Thread>) -> Option<WakeUp> {
        let fired = self.fired.take()?;
        let before = self.end();
        let switch_in_at = running.map(|_| at_ns);
        let thread = running;
        self.pending = Some(Pending {
            fired,
            waking_at: at_ns,
            isr_end_at: None,
            switch_in_at,
            passed_over: false,
            thread,
            sleep_end_at: None,
        });
        before
    }

    fn sleep_end(&mut self, at_ns: u64) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.switch_in_at.is_some()) {
            pending.sleep_end_at.get_or_insert(at_ns);
        }
    }

    /// A waking that is to take the processor leaves a mark until the scheduler runs; a switch is what it then does.
    fn see_scheduler(&mut self, stamped: &Stamped) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.switch_in_at.is_none()) {
            pending.passed_over |= !stamped.to_switch && !matches!(stamped.event, Event::Switch { .. });
        }
    }

    fn interrupt_end(&mut self, at_ns: u64, processor: &Processor) {
        let Some(pending) = self.pending.as_mut().filter(|pending| pending.isr_end_at.is_none()) else { return };
        let still_open = processor.interrupt().is_some_and(|open| open.since_ns >= pending.fired.isr_at);
        if !still_open {
            pending.isr_end_at = Some(at_ns);
        }
    }

    fn switch(&mut self, at_ns: u64, from: Thread, preempted: bool, to: Thread) -> Option<WakeUp> {
        if let Some(pending) = self.pending.as_mut().filter(|_| to.id == self.thread) {
            pending.switch_in_at.get_or_insert(at_ns);
            pending.thread.get_or_insert(to);
        }
        if from.id == self.thread && !preempted { self.end() } else { None }
    }

    /// Ends the pending wake-up; one that the processor never came to is no wake-up.
    fn end(&mut self) -> Option<WakeUp> {
        let Pending { fired, waking_at, isr_end_at, switch_in_at, passed_over, thread, sleep_end_at } =
            self.pending.take()?;
        Some(WakeUp {
            expiry_at: fired.expiry_at,
            isr_at: fired.isr_at,
            isr_end_at,
            waking_at,
            switch_in_at: switch_in_at?,
            passed_over,
            sleep_end_at,
            thread,
            interrupted: fired.interrupted,
            line: fired.line,
        })
    }
}

fn fired(expiry_at: u64, at_ns: u64, processor: &Processor) -> Fired {
    let (isr_at, line) = match processor.interrupt() {
        Some(open) => (open.since_ns, interrupt_name(open.section)),
        None => (at_ns, Name::default()),
    };
    Fired { expiry_at, isr_at, interrupted: processor.thread(), line }
}

fn interrupt_name(section: Section) -> Name {
    match section {
        Section::Interrupt(name) => name,
        Section::Softirq(_) => Name::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBE: i32 = 7;

    fn thread(id: i32) -> Thread {
        Thread { id, priority: 4, name: Name::default() }
    }

    fn timer_interrupt() -> Section {
        Section::Interrupt(Name::new(b"local_timer"))
    }

    fn by(thread: i32, at_ns: u64, event: Event) -> Stamped {
        let in_thread = !matches!(event, Event::TimerExpire { .. } | Event::Waking { .. });
        Stamped { at_ns, thread, in_thread, to_switch: true, event }
    }

    fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
        by(from, at_ns, Event::Switch { from: thread(from), preempted, to: thread(to) })
    }

    fn follow(events: &[Stamped]) -> Vec<WakeUp> {
        let (mut processor, mut follower) = (Processor::default(), Follower::new(PROBE));
        let mut found = Vec::new();
        for event in events {
            processor.push(event);
            found.extend(follower.push(event, &processor));
        }
        found.extend(follower.finish());
        found
    }

    /// The probe sleeps until 1000; thread 3 runs; the interrupt comes at 1010.
    fn until_waking() -> Vec<Stamped> {
        vec![
            switch(400, 3, true, PROBE),
            by(PROBE, 500, Event::TimerStart { timer: 0xa, expiry_ns: 1000 }),
            switch(510, PROBE, false, 3),
            by(3, 1010, Event::Enter(timer_interrupt())),
            by(3, 1015, Event::TimerExpire { timer: 0xa }),
            by(3, 1020, Event::Waking { thread: PROBE }),
        ]
    }

    #[test]
    fn a_wake_up_carries_every_stamp_and_what_was_interrupted() {
        let mut events = until_waking();
        events.extend([
            by(3, 1030, Event::Leave(timer_interrupt())),
            switch(1100, 3, true, PROBE),
            by(PROBE, 1105, Event::SleepEnd),
        ]);
        let expected = WakeUp {
            expiry_at: 1000,
            isr_at: 1010,
            isr_end_at: Some(1030),
            waking_at: 1020,
            switch_in_at: 1100,
            passed_over: false,
            sleep_end_at: Some(1105),
            thread: Some(thread(PROBE)),
            interrupted: Some(thread(3)),
            line: Name::new(b"local_timer"),
        };
        assert_eq!(follow(&events), [expected]);
    }

    #[test]
    fn a_scheduler_that_ran_and_did_not_switch_passed_the_thread_over() {
        for (mark, passed_over) in [(true, false), (false, true)] {
            let mut events = until_waking();
            events.push(by(3, 1030, Event::Leave(timer_interrupt())));
            events.push(Stamped { to_switch: mark, ..by(3, 1060, Event::Enter(timer_interrupt())) });
            events.extend([switch(1100, 3, true, PROBE), by(PROBE, 1105, Event::SleepEnd)]);
            assert_eq!(follow(&events)[0].passed_over, passed_over);
        }
    }

    #[test]
    fn without_the_sleep_end_the_next_sleep_completes_the_wake_up() {
        let mut events = until_waking();
        events.extend([switch(1100, 3, true, PROBE), switch(1200, PROBE, false, 3)]);
        let found = follow(&events);
        assert_eq!((found.len(), found[0].switch_in_at, found[0].sleep_end_at), (1, 1100, None));
    }

    #[test]
    fn a_preemption_before_the_sleep_returns_does_not_end_the_wake_up() {
        let mut events = until_waking();
        events.extend([
            switch(1100, 3, true, PROBE),
            switch(1101, PROBE, true, 9),
            switch(1150, 9, false, PROBE),
            by(PROBE, 1155, Event::SleepEnd),
        ]);
        let found = follow(&events);
        assert_eq!((found[0].switch_in_at, found[0].sleep_end_at), (1100, Some(1155)));
    }

    #[test]
    fn a_timer_that_fires_before_the_thread_slept_needs_no_switch() {
        let events = [
            switch(400, 3, true, PROBE),
            by(PROBE, 500, Event::TimerStart { timer: 0xa, expiry_ns: 450 }),
            by(PROBE, 510, Event::Enter(timer_interrupt())),
            by(PROBE, 515, Event::TimerExpire { timer: 0xa }),
            by(PROBE, 520, Event::Waking { thread: PROBE }),
            by(PROBE, 525, Event::Leave(timer_interrupt())),
            by(PROBE, 530, Event::SleepEnd),
        ];
        let found = follow(&events);
        assert_eq!((found[0].waking_at, found[0].switch_in_at), (520, 520));
    }

    #[test]
    fn timers_and_wakings_of_others_are_no_wake_up() {
        let mut events = until_waking();
        events[4] = by(3, 1015, Event::TimerExpire { timer: 0xb });
        events.push(switch(1100, 3, true, PROBE));
        assert_eq!(follow(&events), []);
        let mut other = until_waking();
        other[5] = by(3, 1020, Event::Waking { thread: 9 });
        other.push(switch(1100, 3, true, PROBE));
        assert_eq!(follow(&other), []);
    }

    #[test]
    fn a_timer_set_by_an_interrupt_above_the_thread_is_not_the_threads() {
        let mut events = until_waking();
        events[1].in_thread = false;
        events.push(switch(1100, 3, true, PROBE));
        assert_eq!(follow(&events), []);
    }

    #[test]
    fn a_wake_up_begun_before_a_loss_is_given_up() {
        let (mut processor, mut follower) = (Processor::default(), Follower::new(PROBE));
        for event in until_waking() {
            processor.push(&event);
            follower.push(&event, &processor);
        }
        follower.forget();
        processor.forget();
        assert_eq!(follower.push(&switch(1100, 3, true, PROBE), &processor), None);
        assert_eq!(follower.finish(), None);
    }
}
