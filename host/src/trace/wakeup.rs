// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one thread through its timed sleeps.
//!
//! The thread sets a timer (its expiry is the stimulus), an interrupt runs the
//! timer's function, which makes the thread ready, the scheduler switches to it,
//! its sleep returns. The timer's address joins the first two; the first waking of
//! the thread while the timer's function runs joins the rest. A switch that the
//! kernel did not record is inferred from the first event on the thread's own time.
use super::event::{Event, Name, Section, Stamped, Thread};
use super::processor::Processor;

/// A thread may set other timers on its way to sleep; the oldest are forgotten.
const ARMED_MAX: usize = 8;

/// One wake-up of the thread by its timer, every stamp by the trace's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WakeUp {
    /// When the timer was to expire: the stimulus.
    pub expiry_at: u64,
    /// When the thread set the timer; before that it was not waiting.
    pub armed_at: u64,
    /// Until when the thread's earlier wake-up took; 0 where it had none.
    pub earlier_until: u64,
    /// Start of the interrupt that ran the timer; of the timer's function where no interrupt was recorded.
    pub isr_at: u64,
    /// End of that interrupt, where it was recorded.
    pub isr_end_at: Option<u64>,
    /// Whether that end carried the mark that asks for the scheduler: without it, who ran had no lower priority.
    pub asked: Option<bool>,
    /// The thread was made ready.
    pub waking_at: u64,
    /// The processor came to the thread; equal to `waking_at` when the thread still had it.
    pub switch_in_at: u64,
    /// The kernel recorded no switch to the thread; `switch_in_at` is the first event on the thread's time.
    pub inferred: bool,
    /// The sleep was about to return, where it was recorded.
    pub sleep_end_at: Option<u64>,
    /// From when to when the thread had left the processor of its own accord between its wake-up and its next timer: a
    /// signal stopped it, or it waited for something else. Both 0 where it did not.
    pub held_up: [u64; 2],
    /// The event that completed it: up to here the holders of the processor are known.
    pub ended_at: u64,
    /// The thread itself, where a switch named it.
    pub thread: Option<Thread>,
    /// The stay on the processor that the interrupt interrupted, by [`Processor::stay`].
    pub stay: u64,
    /// The thread of that stay, where it is known.
    pub interrupted: Option<Thread>,
    /// The interrupt's name; empty where none was recorded.
    pub line: Name,
}

impl WakeUp {
    /// The last of the kernel's stamps before the thread itself runs on.
    pub fn kernel_end(&self) -> u64 {
        self.sleep_end_at.unwrap_or(self.switch_in_at)
    }

    /// The thread leaves the processor of its own accord. Of several absences the first begins it.
    fn leaves(&mut self, at_ns: u64) {
        let [from, until] = &mut self.held_up;
        *from = if *from == 0 { at_ns } else { *from };
        *until = u64::MAX;
    }

    /// The thread has the processor again, if it had left.
    fn comes_back(&mut self, at_ns: u64) {
        let [_, until] = &mut self.held_up;
        *until = if *until == u64::MAX { at_ns } else { *until };
    }
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    timer: u64,
    expiry_at: u64,
    armed_at: u64,
}

/// Gathers the wake-ups of one thread on one processor.
#[derive(Clone, Debug)]
pub struct Follower {
    thread: i32,
    /// The thread as a switch named it last.
    named: Option<Thread>,
    armed: Vec<Armed>,
    /// The timer's function runs.
    fired: Option<WakeUp>,
    /// The thread was made ready; `switch_in_at` is 0 as long as it has not come.
    pending: Option<WakeUp>,
    earlier_until: u64,
}

impl Follower {
    /// Follows the thread of that number.
    pub fn new(thread: i32) -> Self {
        let armed = Vec::with_capacity(ARMED_MAX);
        Self { thread, named: None, armed, fired: None, pending: None, earlier_until: 0 }
    }

    /// Takes the next event, which `processor` has taken already; gives a wake-up when it is complete.
    #[inline]
    pub fn push(&mut self, stamped: &Stamped, processor: &Processor) -> Option<WakeUp> {
        let at_ns = stamped.at_ns;
        if stamped.thread == self.thread {
            self.own_time(stamped, processor);
        }
        match stamped.event {
            Event::TimerStart { timer, expiry_ns } if stamped.thread == self.thread && stamped.in_thread => {
                self.arm(Armed { timer, expiry_at: expiry_ns, armed_at: at_ns });
                self.end(at_ns, processor)
            }
            Event::TimerExpire { timer } => {
                self.fired = self.disarm(timer).map(|armed| self.fire(armed, at_ns, processor));
                None
            }
            Event::Waking { thread } if thread == self.thread => self.waking(at_ns, processor),
            Event::Leave(Section::Interrupt(_)) => {
                self.interrupt_end(stamped, processor);
                None
            }
            Event::Switch { from, preempted, to } => {
                self.switch(at_ns, from, preempted, to);
                None
            }
            Event::SleepEnd if stamped.thread == self.thread => {
                self.sleep_end(at_ns);
                None
            }
            _ => None,
        }
    }

    /// Events were lost: what was begun cannot be completed.
    pub fn forget(&mut self) {
        *self = Self { named: self.named, ..Self::new(self.thread) };
    }

    /// The last wake-up, if only the next one's start would have completed it.
    pub fn finish(&mut self, processor: &Processor) -> Option<WakeUp> {
        let known_to = self.pending.map_or(0, |pending| pending.kernel_end().max(pending.held_up[1]));
        self.end(known_to, processor)
    }

    /// The thread as a switch named it, where one did.
    pub fn named(&self) -> Option<Thread> {
        self.named
    }

    /// An event on the thread's own time: it has the processor, whether or not a switch was recorded. What comes after
    /// its response is no sign of when it came; then the start of its stay is the nearest.
    fn own_time(&mut self, stamped: &Stamped, processor: &Processor) {
        let Some(pending) = &mut self.pending else { return };
        if pending.switch_in_at > 0 {
            return pending.comes_back(stamped.at_ns);
        }
        let after_response = matches!(stamped.event, Event::TimerStart { .. } | Event::Switch { .. });
        let since = if after_response { processor.stay().1.min(stamped.at_ns) } else { stamped.at_ns };
        pending.switch_in_at = since.max(pending.isr_end_at.unwrap_or(pending.waking_at));
        pending.inferred = true;
    }

    fn arm(&mut self, armed: Armed) {
        self.disarm(armed.timer);
        if self.armed.len() == ARMED_MAX {
            self.armed.remove(0);
        }
        self.armed.push(armed);
    }

    fn disarm(&mut self, timer: u64) -> Option<Armed> {
        let index = self.armed.iter().position(|armed| armed.timer == timer)?;
        Some(self.armed.remove(index))
    }

    fn fire(&self, Armed { expiry_at, armed_at, .. }: Armed, at_ns: u64, processor: &Processor) -> WakeUp {
        let (isr_at, line) = match processor.interrupt() {
            Some(open) => (open.since_ns, interrupt_name(open.section)),
            None => (at_ns, Name::default()),
        };
        let (stay, earlier_until) = (processor.stay().0, self.earlier_until);
        WakeUp { expiry_at, armed_at, earlier_until, isr_at, line, stay, ..WakeUp::default() }
    }

    /// The thread may not yet have left the processor.
    fn waking(&mut self, at_ns: u64, processor: &Processor) -> Option<WakeUp> {
        let fired = self.fired.take()?;
        let before = self.end(at_ns, processor);
        let running = processor.thread().filter(|thread| thread.id == self.thread);
        let switch_in_at = running.map_or(0, |_| at_ns);
        self.pending = Some(WakeUp { waking_at: at_ns, switch_in_at, ..fired });
        before
    }

    fn sleep_end(&mut self, at_ns: u64) {
        if let Some(pending) = &mut self.pending {
            pending.sleep_end_at.get_or_insert(at_ns);
        }
    }

    fn interrupt_end(&mut self, stamped: &Stamped, processor: &Processor) {
        let Some(pending) = self.pending.as_mut().filter(|pending| pending.isr_end_at.is_none()) else { return };
        let still_open = processor.interrupt().is_some_and(|open| open.since_ns >= pending.isr_at);
        if !still_open {
            pending.isr_end_at = Some(stamped.at_ns);
            pending.asked = Some(stamped.to_switch);
        }
    }

    /// Who leaves of its own accord before it has set its next timer is held up: its response may still have to come.
    fn switch(&mut self, at_ns: u64, from: Thread, preempted: bool, to: Thread) {
        if to.id == self.thread {
            self.named = Some(to);
            match &mut self.pending {
                Some(pending) if pending.switch_in_at == 0 => pending.switch_in_at = at_ns,
                Some(pending) => pending.comes_back(at_ns),
                None => {}
            }
        }
        if from.id == self.thread {
            self.named = Some(from);
            self.pending.iter_mut().filter(|_| !preempted).for_each(|pending| pending.leaves(at_ns));
        }
    }

    /// Ends the pending wake-up; one that the processor never came to is no wake-up.
    fn end(&mut self, ended_at: u64, processor: &Processor) -> Option<WakeUp> {
        let pending = self.pending.take().filter(|pending| pending.switch_in_at > 0)?;
        self.earlier_until = pending.kernel_end();
        Some(WakeUp { thread: self.named, interrupted: processor.thread_of(pending.stay), ended_at, ..pending })
    }
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
        found.extend(follower.finish(&processor));
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
            armed_at: 500,
            earlier_until: 0,
            isr_at: 1010,
            isr_end_at: Some(1030),
            asked: Some(true),
            waking_at: 1020,
            switch_in_at: 1100,
            inferred: false,
            sleep_end_at: Some(1105),
            held_up: [0, 0],
            ended_at: 1105,
            thread: Some(thread(PROBE)),
            stay: 2,
            interrupted: Some(thread(3)),
            line: Name::new(b"local_timer"),
        };
        assert_eq!(follow(&events), [expected]);
    }

    #[test]
    fn a_switch_that_was_not_recorded_is_inferred_from_the_first_event_on_the_threads_time() {
        let mut events = until_waking();
        events.extend([by(3, 1030, Event::Leave(timer_interrupt())), by(PROBE, 1105, Event::SleepEnd)]);
        let found = follow(&events)[0];
        assert_eq!((found.switch_in_at, found.inferred, found.sleep_end_at), (1105, true, Some(1105)));
    }

    #[test]
    fn what_comes_after_the_response_is_no_sign_of_when_the_thread_came() {
        let mut events = until_waking();
        events[2] = switch(510, PROBE, false, 0);
        events[3..].iter_mut().for_each(|event| event.thread = 0);
        events.push(by(0, 1030, Event::Leave(timer_interrupt())));
        events.push(by(PROBE, 1900, Event::TimerStart { timer: 0xa, expiry_ns: 2000 }));
        let found = follow(&events)[0];
        assert_eq!((found.switch_in_at, found.inferred), (1030, true));
    }

    #[test]
    fn an_interrupt_that_does_not_ask_for_the_scheduler_interrupted_no_lower_thread() {
        for mark in [true, false] {
            let mut events = until_waking();
            events.push(Stamped { to_switch: mark, ..by(3, 1030, Event::Leave(timer_interrupt())) });
            events.push(switch(1100, 3, true, PROBE));
            assert_eq!(follow(&events)[0].asked, Some(mark));
        }
    }

    #[test]
    fn the_next_wake_up_knows_until_when_the_earlier_one_took() {
        let mut events = until_waking();
        events.extend([switch(1100, 3, true, PROBE), by(PROBE, 1105, Event::SleepEnd)]);
        events.push(by(PROBE, 1110, Event::TimerStart { timer: 0xa, expiry_ns: 1090 }));
        events.push(by(PROBE, 1111, Event::Enter(timer_interrupt())));
        events.push(by(PROBE, 1112, Event::TimerExpire { timer: 0xa }));
        events.push(by(PROBE, 1113, Event::Waking { thread: PROBE }));
        let second = follow(&events)[1];
        assert_eq!((second.earlier_until, second.armed_at), (1105, 1110));
    }

    #[test]
    fn without_the_sleep_end_the_next_timer_completes_the_wake_up() {
        let mut events = until_waking();
        events.push(switch(1100, 3, true, PROBE));
        events.push(by(PROBE, 1150, Event::TimerStart { timer: 0xa, expiry_ns: 2000 }));
        events.push(switch(1200, PROBE, false, 3));
        let found = follow(&events);
        assert_eq!((found.len(), found[0].switch_in_at, found[0].sleep_end_at), (1, 1100, None));
        assert_eq!((found[0].held_up, found[0].ended_at), ([0, 0], 1150));
    }

    #[test]
    fn a_thread_that_leaves_before_it_sets_its_next_timer_is_held_up_until_it_comes_back() {
        let mut events = until_waking();
        events.extend([
            switch(1100, 3, true, PROBE),
            by(PROBE, 1105, Event::SleepEnd),
            switch(1110, PROBE, false, 3),
            switch(1700, 3, false, PROBE),
            switch(1710, PROBE, true, 9),
            switch(1720, 9, false, PROBE),
            by(PROBE, 1750, Event::TimerStart { timer: 0xa, expiry_ns: 2000 }),
        ]);
        let found = follow(&events);
        assert_eq!((found.len(), found[0].held_up, found[0].ended_at), (1, [1110, 1700], 1750));
        events.truncate(events.len() - 4);
        assert_eq!(follow(&events)[0].held_up, [1110, u64::MAX]);
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
        assert_eq!(follower.finish(&processor), None);
    }
}
