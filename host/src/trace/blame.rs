// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides one response's window among those who used it.
//!
//! Every nanosecond from the stimulus to the response belongs to exactly one share, so
//! the shares sum to the latency. A share's cause follows from who held the processor
//! and from how far the response had come; what the events do not explain is a share too.
use super::event::{Section, Thread};
use super::processor::{Holder, Stretch};
use super::wakeup::WakeUp;

/// Why a part of the window was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Interrupts, softirqs, and threads of no lower priority.
    Interference,
    /// A thread of lower priority that could not be preempted.
    Blocking,
    /// A thread of lower priority that the scheduler preferred: real-time throttling, or the fair server.
    Throttling,
    /// The thread was not yet back from an earlier release.
    Backlog,
    /// The processor was idle until the interrupt came: it had to leave an idle state, or the machine below was late.
    IdleExit,
    /// The kernel's own way from the interrupt to the thread.
    Dispatch,
    /// The interrupt did not come although a thread ran: it masked interrupts, or the machine below the kernel was late.
    Late,
    /// The events do not tell.
    Unexplained,
}

impl Cause {
    /// Whether somebody other than the kernel's own path to the thread is to be named.
    fn has_culprit(self) -> bool {
        matches!(self, Self::Interference | Self::Blocking | Self::Throttling | Self::Late)
    }
}

/// The part of a window that one cause and one culprit used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// Who, where the cause has one.
    pub culprit: Option<Holder>,
    /// How long, without what stood above it.
    pub ns: u64,
}

/// A window divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// The largest first; together they are the window.
    pub shares: Vec<Share>,
}

/// What is kept of a wake-up until its response is known.
#[derive(Clone, Debug)]
pub struct Evidence {
    wake_up: WakeUp,
    /// Up to the switch to the thread.
    shares: Blame,
    /// After it, up to the thread's next sleep.
    tail: Vec<Stretch>,
}

impl Evidence {
    /// `window` gives the stretches of the wake-up's processor between two instants; `until_ns` is the last event's.
    pub fn new(wake_up: WakeUp, until_ns: u64, window: impl Fn(u64, u64) -> Vec<Stretch>) -> Self {
        let end = wake_up.switch_in_at;
        let mut shares = Blame::default();
        shares.extend(&wake_up, window(wake_up.expiry_at, end));
        Self { wake_up, shares, tail: window(end, until_ns.max(end)) }
    }

    /// The wake-up.
    pub fn wake_up(&self) -> &WakeUp {
        &self.wake_up
    }

    /// Divides the window up to `response_ns`, which is not before the switch to the thread.
    pub fn blame(&self, response_ns: u64) -> Blame {
        let end = self.wake_up.switch_in_at;
        let known_to = self.tail.last().map_or(end, |stretch| stretch.to_ns);
        let mut blame = self.shares.clone();
        let cut = |stretch: &Stretch| Stretch { to_ns: stretch.to_ns.min(response_ns), ..*stretch };
        blame.extend(&self.wake_up, self.tail.iter().map(cut).filter(|stretch| stretch.from_ns < stretch.to_ns));
        let beyond = Stretch { from_ns: known_to, to_ns: response_ns, holder: Holder::Unknown };
        blame.extend(&self.wake_up, (known_to < response_ns).then_some(beyond));
        blame.shares.sort_by_key(|share| std::cmp::Reverse(share.ns));
        blame
    }
}

impl Blame {
    /// What the shares sum to.
    pub fn total(&self) -> u64 {
        self.shares.iter().map(|share| share.ns).sum()
    }

    fn extend(&mut self, wake_up: &WakeUp, stretches: impl IntoIterator<Item = Stretch>) {
        let marks = [wake_up.isr_at, wake_up.waking_at, wake_up.switch_in_at];
        for stretch in stretches {
            let mut from = stretch.from_ns;
            let borders = marks.into_iter().filter(|mark| (stretch.from_ns + 1..stretch.to_ns).contains(mark));
            for to in borders.chain([stretch.to_ns]) {
                let to = to.max(from);
                self.add(cause(wake_up, from, stretch.holder), stretch.holder, to - from);
                from = to;
            }
        }
    }

    fn add(&mut self, cause: Cause, holder: Holder, ns: u64) {
        let culprit = cause.has_culprit().then_some(holder);
        match self.shares.iter_mut().find(|share| (share.cause, share.culprit) == (cause, culprit)) {
            Some(share) => share.ns += ns,
            None if ns > 0 => self.shares.push(Share { cause, culprit, ns }),
            None => {}
        }
    }
}

/// Why `holder` had the processor at an instant of a wake-up's window.
fn cause(wake_up: &WakeUp, at_ns: u64, holder: Holder) -> Cause {
    match holder {
        Holder::Unknown => Cause::Unexplained,
        Holder::Section(Section::Interrupt(name)) if name == wake_up.line && in_its_interrupt(wake_up, at_ns) => {
            Cause::Dispatch
        }
        Holder::Section(_) => Cause::Interference,
        Holder::Idle if at_ns < wake_up.isr_at => Cause::IdleExit,
        Holder::Idle => Cause::Dispatch,
        Holder::Thread(thread) => cause_of_thread(wake_up, at_ns, thread),
    }
}

fn in_its_interrupt(wake_up: &WakeUp, at_ns: u64) -> bool {
    (wake_up.isr_at..wake_up.waking_at).contains(&at_ns)
}

fn cause_of_thread(wake_up: &WakeUp, at_ns: u64, thread: Thread) -> Cause {
    let own = wake_up.thread.is_some_and(|own| own.id == thread.id);
    if at_ns < wake_up.isr_at {
        return if own { Cause::Backlog } else { Cause::Late };
    }
    if own {
        return Cause::Dispatch;
    }
    // A smaller number is a higher priority.
    if wake_up.thread.is_some_and(|own| thread.priority <= own.priority) {
        return Cause::Interference;
    }
    let ran_before = wake_up.interrupted.is_some_and(|interrupted| interrupted.id == thread.id);
    let chosen = !ran_before || wake_up.passed_over || at_ns >= wake_up.switch_in_at;
    if chosen { Cause::Throttling } else { Cause::Blocking }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::blame_line::blame_line;
    use crate::trace::event::{Event, Name, Stamped};
    use crate::trace::processor::Processor;
    use proptest::prelude::*;

    fn thread(id: i32, priority: i32, name: &str) -> Thread {
        Thread { id, priority, name: Name::new(name.as_bytes()) }
    }

    fn probe() -> Thread {
        thread(7, 4, "probe")
    }

    fn compiler() -> Thread {
        thread(9, 120, "cc1")
    }

    fn idle() -> Thread {
        thread(0, 120, "swapper/0")
    }

    fn interrupt(name: &str) -> Section {
        Section::Interrupt(Name::new(name.as_bytes()))
    }

    /// A wake-up with the expiry at 1000 µs, the interrupt at 1020, the waking at 1022, the switch at `switch_us`.
    fn wake_up(interrupted: Thread, switch_us: u64) -> WakeUp {
        WakeUp {
            expiry_at: 1_000_000,
            isr_at: 1_020_000,
            isr_end_at: None,
            waking_at: 1_022_000,
            switch_in_at: switch_us * 1_000,
            passed_over: false,
            sleep_end_at: None,
            thread: Some(probe()),
            interrupted: Some(interrupted),
            line: Name::new(b"local_timer"),
        }
    }

    /// Replays events at these microseconds, then divides the window of `wake_up` up to `response_us`.
    fn blamed(events: &[(u64, Event)], wake_up: WakeUp, response_us: u64) -> Blame {
        let mut processor = Processor::default();
        for (at_us, event) in events {
            processor.push(&Stamped {
                at_ns: at_us * 1_000,
                thread: 0,
                in_thread: true,
                to_switch: false,
                event: *event,
            });
        }
        let until_ns = events.last().unwrap().0 * 1_000;
        Evidence::new(wake_up, until_ns, |from, to| processor.window(from, to)).blame(response_us * 1_000)
    }

    fn switch(from: Thread, to: Thread) -> Event {
        Event::Switch { from, preempted: true, to }
    }

    fn timer_interrupt() -> [(u64, Event); 2] {
        [(1_020, Event::Enter(interrupt("local_timer"))), (1_024, Event::Leave(interrupt("local_timer")))]
    }

    fn share(cause: Cause, culprit: Option<Holder>, us: u64) -> Share {
        Share { cause, culprit, ns: us * 1_000 }
    }

    fn interrupt_share(name: &str, us: u64) -> Share {
        share(Cause::Interference, Some(Holder::Section(interrupt(name))), us)
    }

    #[test]
    fn a_thread_that_could_not_be_preempted_is_named() {
        let [enter, leave] = timer_interrupt();
        let events = [
            (500, switch(probe(), compiler())),
            enter,
            leave,
            (3_000, switch(compiler(), probe())),
            (3_010, Event::SleepEnd),
        ];
        let blame = blamed(&events, wake_up(compiler(), 3_000), 3_005);
        let culprit = Some(Holder::Thread(compiler()));
        assert_eq!(
            blame.shares,
            [
                share(Cause::Blocking, culprit, 1_976),
                share(Cause::Late, culprit, 20),
                share(Cause::Dispatch, None, 7),
                interrupt_share("local_timer", 2),
            ]
        );
        assert_eq!(
            blame_line(&blame),
            "of 2005.0 us: 1976.0 us cc1 (9, ordinary) could not be preempted; 20.0 us the interrupt was late while \
             cc1 (9, ordinary) ran (masked, or late below the kernel); 7.0 us the kernel's own way; 2.0 us other"
        );
    }

    #[test]
    fn an_interrupt_and_a_softirq_before_the_switch_are_interference() {
        let [enter, leave] = timer_interrupt();
        let events = [
            (500, switch(probe(), idle())),
            enter,
            leave,
            (1_024, Event::Enter(Section::Softirq(9))),
            (1_050, Event::Enter(interrupt("eth0"))),
            (1_150, Event::Leave(interrupt("eth0"))),
            (1_180, Event::Leave(Section::Softirq(9))),
            (1_190, switch(idle(), probe())),
            (1_200, Event::SleepEnd),
        ];
        let blame = blamed(&events, wake_up(idle(), 1_190), 1_195);
        assert_eq!(
            blame.shares,
            [
                interrupt_share("eth0", 100),
                share(Cause::Interference, Some(Holder::Section(Section::Softirq(9))), 56),
                share(Cause::IdleExit, None, 20),
                share(Cause::Dispatch, None, 17),
                interrupt_share("local_timer", 2),
            ]
        );
        assert!(blame_line(&blame).contains("100.0 us interrupt eth0; 56.0 us softirq RCU"));
    }

    #[test]
    fn a_lower_thread_that_the_scheduler_chose_over_the_probe_means_throttling() {
        let [enter, leave] = timer_interrupt();
        let events = [
            (500, switch(probe(), idle())),
            enter,
            leave,
            (1_030, switch(idle(), compiler())),
            (1_930, switch(compiler(), probe())),
            (1_950, Event::SleepEnd),
        ];
        let blame = blamed(&events, wake_up(idle(), 1_930), 1_940);
        assert_eq!(blame.shares[0], share(Cause::Throttling, Some(Holder::Thread(compiler())), 900));
    }

    #[test]
    fn a_lower_thread_that_stayed_although_the_scheduler_could_switch_means_throttling() {
        let [enter, leave] = timer_interrupt();
        let events = [(500, switch(probe(), compiler())), enter, leave, (3_000, switch(compiler(), probe()))];
        let passed_over = WakeUp { passed_over: true, ..wake_up(compiler(), 3_000) };
        let blame = blamed(&events, passed_over, 3_000);
        assert_eq!(blame.shares[0], share(Cause::Throttling, Some(Holder::Thread(compiler())), 1_976));
    }

    #[test]
    fn a_higher_thread_after_the_switch_is_interference() {
        let [enter, leave] = timer_interrupt();
        let higher = thread(11, 0, "migration/0");
        let events = [
            (500, switch(probe(), idle())),
            enter,
            leave,
            (1_030, switch(idle(), probe())),
            (1_031, switch(probe(), higher)),
            (1_131, switch(higher, probe())),
            (1_140, Event::SleepEnd),
        ];
        let blame = blamed(&events, wake_up(idle(), 1_030), 1_135);
        assert_eq!(blame.shares[0], share(Cause::Interference, Some(Holder::Thread(higher)), 100));
        assert!(blame_line(&blame).contains("100.0 us migration/0 (11, real-time 99)"));
    }

    #[test]
    fn what_no_event_tells_is_shown_as_unexplained_even_when_it_is_small() {
        let shares = [900, 800, 700, 600]
            .map(|us| share(Cause::Interference, Some(Holder::Section(Section::Softirq(us as u8))), us));
        let blame = Blame { shares: shares.into_iter().chain([share(Cause::Unexplained, None, 1)]).collect() };
        assert!(blame_line(&blame).ends_with("; 1.0 us unexplained; 600.0 us other"));
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let threads = prop_oneof![Just(probe()), Just(compiler()), Just(idle()), Just(thread(11, 0, "m"))];
        let section = prop_oneof![Just(interrupt("local_timer")), Just(interrupt("eth0")), Just(Section::Softirq(1))];
        prop_oneof![
            (threads.clone(), threads).prop_map(|(from, to)| switch(from, to)),
            section.clone().prop_map(Event::Enter),
            section.prop_map(Event::Leave),
        ]
    }

    proptest! {
        #[test]
        fn shares_always_sum_to_the_window(
            steps in proptest::collection::vec((0u64..90, any_event()), 1..80),
            marks in proptest::array::uniform4(0u64..3_000),
            response_us in 0u64..6_000,
        ) {
            let mut at_us = 500;
            let events: Vec<_> = steps.into_iter().map(|(step, event)| { at_us += step; (at_us, event) }).collect();
            let mut sorted = marks;
            sorted.sort_unstable();
            let [expiry, isr, waking, switch] = sorted.map(|us| us * 1_000);
            let wake_up = WakeUp { expiry_at: expiry, isr_at: isr, waking_at: waking, switch_in_at: switch, ..wake_up(idle(), 0) };
            let response_us = response_us.max(switch / 1_000);
            let blame = blamed(&events, wake_up, response_us);
            prop_assert_eq!(blame.total(), response_us * 1_000 - expiry);
        }
    }
}
