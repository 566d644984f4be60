// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides one response's window among those who used it.
//!
//! Every nanosecond from the stimulus to the response belongs to exactly one share, so
//! the shares sum to the latency. A share's cause follows from who held the processor
//! and from how far the response had come; what the events do not explain is a share too.
use super::event::{Section, Thread};
use super::processor::{Holder, Raise, Stretch};
use super::wakeup::WakeUp;

/// Why a part of the window was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Interrupts, softirqs, and threads of no lower priority.
    Interference,
    /// A thread of lower priority that could not be preempted.
    Blocking,
    /// A thread of lower priority, or the idle thread, that the scheduler preferred: real-time throttling, or the fair
    /// server.
    Throttling,
    /// The thread was not yet back from an earlier release.
    Backlog,
    /// The thread had not set its timer yet, and did not run: a signal stopped it, or it waited for something else.
    NotWaiting,
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

/// Who used a part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Who held the processor.
    pub holder: Holder,
    /// What else is to be said of it.
    pub more: More,
}

/// What else is to be said of who held the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// Nothing.
    Nothing,
    /// A softirq ran on this thread's time.
    OnTimeOf(Thread),
    /// A thread that ran above its own priority.
    Raised(Raise),
    /// A probe or load of another run of this tool.
    OtherRun,
    /// An interrupt, longer by far than its own 99 % quantile, in nanoseconds, in a virtual machine.
    FarAbove(u64),
}

impl From<Holder> for Culprit {
    fn from(holder: Holder) -> Self {
        Self { holder, more: More::Nothing }
    }
}

/// The part of a window that one cause and one culprit used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// Who, where the cause has one.
    pub culprit: Option<Culprit>,
    /// How long, without what stood above it.
    pub ns: u64,
    /// The longest of its stretches.
    pub longest_ns: u64,
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
        if let Some(beyond) = response_ns.checked_sub(known_to) {
            blame.add(Cause::Unexplained, None, beyond);
        }
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
        let mut marks =
            [wake_up.earlier_until, wake_up.armed_at, wake_up.isr_at, wake_up.waking_at, wake_up.switch_in_at];
        marks.sort_unstable();
        for stretch in stretches {
            let mut from = stretch.from_ns;
            let borders = marks.into_iter().filter(|mark| (stretch.from_ns + 1..stretch.to_ns).contains(mark));
            for to in borders.chain([stretch.to_ns]) {
                let (cause, culprit) = accuse(wake_up, from, &stretch);
                self.add(cause, culprit.filter(|_| cause.has_culprit()), to - from);
                from = to;
            }
        }
    }

    fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
        match self.shares.iter_mut().find(|share| (share.cause, share.culprit) == (cause, culprit)) {
            Some(share) => {
                share.ns += ns;
                share.longest_ns = share.longest_ns.max(ns);
            }
            None if ns > 0 => self.shares.push(Share { cause, culprit, ns, longest_ns: ns }),
            None => {}
        }
    }
}

/// Why the holder of a stretch had the processor at an instant of a wake-up's window, and what is to be said of it.
fn accuse(wake_up: &WakeUp, at_ns: u64, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    let holder = stretch.holder();
    let plain = Some(Culprit::from(holder));
    match holder {
        Holder::Unknown => (Cause::Unexplained, None),
        Holder::Section(Section::Interrupt(name)) if name == wake_up.line && in_its_interrupt(wake_up, at_ns) => {
            (Cause::Dispatch, None)
        }
        Holder::Section(Section::Softirq(_)) => (Cause::Interference, softirq(wake_up, stretch)),
        Holder::Section(_) => (Cause::Interference, plain),
        Holder::Idle if at_ns < wake_up.isr_at => (unready(wake_up, at_ns).unwrap_or(Cause::IdleExit), None),
        Holder::Idle if scheduler_ran(wake_up, stretch) => (Cause::Throttling, plain),
        Holder::Idle => (Cause::Dispatch, None),
        Holder::Thread(thread) if at_ns < wake_up.isr_at => (before_interrupt(wake_up, at_ns, thread), plain),
        Holder::Thread(thread) => after_waking(wake_up, at_ns, stretch, thread),
    }
}

fn in_its_interrupt(wake_up: &WakeUp, at_ns: u64) -> bool {
    (wake_up.isr_at..wake_up.waking_at).contains(&at_ns)
}

/// A softirq with the thread on whose time it ran, where that is neither idle nor the probe.
fn softirq(wake_up: &WakeUp, stretch: &Stretch) -> Option<Culprit> {
    let other = stretch.thread.filter(|thread| thread.id != 0 && !is_own(wake_up, *thread));
    Some(Culprit { holder: stretch.holder(), more: other.map_or(More::Nothing, More::OnTimeOf) })
}

fn is_own(wake_up: &WakeUp, thread: Thread) -> bool {
    wake_up.thread.is_some_and(|own| own.id == thread.id)
}

/// A smaller number is a higher priority.
fn is_lower(wake_up: &WakeUp, priority: i32) -> bool {
    wake_up.thread.is_none_or(|own| priority > own.priority)
}

/// The reason when the thread was not waiting for its timer yet.
fn unready(wake_up: &WakeUp, at_ns: u64) -> Option<Cause> {
    let late = if at_ns < wake_up.earlier_until { Cause::Backlog } else { Cause::NotWaiting };
    (at_ns < wake_up.armed_at).then_some(late)
}

fn before_interrupt(wake_up: &WakeUp, at_ns: u64, thread: Thread) -> Cause {
    match unready(wake_up, at_ns) {
        _ if is_own(wake_up, thread) => Cause::Backlog,
        Some(_) if !is_lower(wake_up, thread.priority) => Cause::Interference,
        Some(cause) => cause,
        None => Cause::Late,
    }
}

/// The scheduler had its chance since the interrupt: it switched, or the mark that asked for it is gone. Where the
/// interrupt's end was not recorded, nothing can be said of the mark.
fn scheduler_ran(wake_up: &WakeUp, stretch: &Stretch) -> bool {
    stretch.stay != wake_up.stay || (wake_up.asked.is_some() && !stretch.asked)
}

fn after_waking(wake_up: &WakeUp, at_ns: u64, stretch: &Stretch, thread: Thread) -> (Cause, Option<Culprit>) {
    let plain = Culprit::from(stretch.holder());
    let raised = |raise| (Cause::Interference, Some(Culprit { more: More::Raised(raise), ..plain }));
    if is_own(wake_up, thread) {
        return (Cause::Dispatch, None);
    }
    if !is_lower(wake_up, thread.priority) {
        return (Cause::Interference, Some(plain));
    }
    match stretch.raise {
        // It was not lower at that instant, or the interrupt would have asked for the scheduler.
        raise if stretch.stay == wake_up.stay && wake_up.asked == Some(false) => raised(raise.unwrap_or(Raise::Unseen)),
        Some(raise @ (Raise::Inherited(to) | Raise::Left(to))) if !stretch.asked && !is_lower(wake_up, to) => {
            raised(raise)
        }
        _ if scheduler_ran(wake_up, stretch) || at_ns >= wake_up.switch_in_at => (Cause::Throttling, Some(plain)),
        _ => (Cause::Blocking, Some(plain)),
    }
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

    /// A wake-up with the expiry at 1000 µs, the interrupt at 1020, the waking at 1022, the switch at `switch_us`. The
    /// events of these tests begin with a switch, so that the interrupted stay is number 1.
    fn wake_up(switch_us: u64) -> WakeUp {
        WakeUp {
            expiry_at: 1_000_000,
            armed_at: 490_000,
            isr_at: 1_020_000,
            isr_end_at: Some(1_024_000),
            asked: Some(true),
            waking_at: 1_022_000,
            switch_in_at: switch_us * 1_000,
            thread: Some(probe()),
            stay: 1,
            line: Name::new(b"local_timer"),
            ..WakeUp::default()
        }
    }

    /// Replays events at these microseconds, then divides the window of `wake_up` up to `response_us`. From the end of the
    /// timer's interrupt on, the scheduler is asked for until it runs.
    fn blamed(events: &[(u64, Event)], wake_up: WakeUp, response_us: u64) -> Blame {
        blamed_where_the_mark_is_gone(events, u64::MAX, wake_up, response_us)
    }

    /// The same, but the mark goes at this microsecond: the scheduler ran and left the processor as it was.
    fn blamed_where_the_mark_is_gone(
        events: &[(u64, Event)],
        gone_us: u64,
        wake_up: WakeUp,
        response_us: u64,
    ) -> Blame {
        let mut processor = Processor::default();
        let mut asked = false;
        for (at_us, event) in events {
            asked |= matches!(event, Event::Leave(Section::Interrupt(_))) && wake_up.asked == Some(true);
            asked &= !matches!(event, Event::Switch { .. }) && *at_us < gone_us;
            let thread = match event {
                Event::Switch { from, .. } => from.id,
                _ => processor.thread().map_or(0, |thread| thread.id),
            };
            processor.push(&Stamped { at_ns: at_us * 1_000, thread, in_thread: true, to_switch: asked, event: *event });
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

    /// Cause, culprit, microseconds.
    type Told = (Cause, Option<Culprit>, u64);

    fn told(blame: &Blame) -> Vec<Told> {
        blame.shares.iter().map(|share| (share.cause, share.culprit, share.ns / 1_000)).collect()
    }

    fn by(holder: Holder) -> Option<Culprit> {
        Some(Culprit::from(holder))
    }

    fn by_thread(thread: Thread) -> Option<Culprit> {
        by(Holder::Thread(thread))
    }

    fn raised(thread: Thread, raise: Raise) -> Option<Culprit> {
        Some(Culprit { holder: Holder::Thread(thread), more: More::Raised(raise) })
    }

    fn interrupt_share(name: &str, us: u64) -> Told {
        (Cause::Interference, by(Holder::Section(interrupt(name))), us)
    }

    fn share(cause: Cause, culprit: Option<Culprit>, us: u64) -> Share {
        Share { cause, culprit, ns: us * 1_000, longest_ns: us * 1_000 }
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
        let blame = blamed(&events, wake_up(3_000), 3_005);
        let culprit = by_thread(compiler());
        assert_eq!(
            told(&blame),
            [
                (Cause::Blocking, culprit, 1_976),
                (Cause::Late, culprit, 20),
                (Cause::Dispatch, None, 7),
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
        let blame = blamed(&events, wake_up(1_190), 1_195);
        assert_eq!(
            told(&blame),
            [
                interrupt_share("eth0", 100),
                (Cause::Interference, by(Holder::Section(Section::Softirq(9))), 56),
                (Cause::IdleExit, None, 20),
                (Cause::Dispatch, None, 17),
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
        let blame = blamed(&events, wake_up(1_930), 1_940);
        assert_eq!(told(&blame)[0], (Cause::Throttling, by_thread(compiler()), 900));
    }

    #[test]
    fn a_lower_thread_that_stayed_although_the_scheduler_could_switch_means_throttling() {
        let [enter, leave] = timer_interrupt();
        let eth0 = [(2_000, Event::Enter(interrupt("eth0"))), (2_001, Event::Leave(interrupt("eth0")))];
        let events =
            [(500, switch(probe(), compiler())), enter, leave, eth0[0], eth0[1], (3_000, switch(compiler(), probe()))];
        let blame = blamed_where_the_mark_is_gone(&events, 1_500, wake_up(3_000), 3_000);
        assert_eq!(told(&blame)[0], (Cause::Throttling, by_thread(compiler()), 1_975));
    }

    #[test]
    fn idle_that_stays_after_the_scheduler_ran_or_comes_after_the_waking_means_throttling() {
        let [enter, leave] = timer_interrupt();
        let eth0 = [(2_000, Event::Enter(interrupt("eth0"))), (2_001, Event::Leave(interrupt("eth0")))];
        let stays = [(500, switch(probe(), idle())), enter, leave, eth0[0], eth0[1], (3_000, switch(idle(), probe()))];
        let blame = blamed_where_the_mark_is_gone(&stays, 1_500, wake_up(3_000), 3_000);
        assert_eq!(told(&blame)[0], (Cause::Throttling, by(Holder::Idle), 1_975));
        let comes = [
            (500, switch(probe(), compiler())),
            enter,
            leave,
            (1_030, switch(compiler(), idle())),
            (3_000, switch(idle(), probe())),
        ];
        let blame = blamed(&comes, wake_up(3_000), 3_000);
        assert_eq!(told(&blame)[0], (Cause::Throttling, by(Holder::Idle), 1_970));
        assert!(blame_line(&blame).contains("1970.0 us idle although the probe was ready"), "{}", blame_line(&blame));
    }

    #[test]
    fn idle_until_a_slow_switch_is_the_kernels_own_way() {
        let [enter, leave] = timer_interrupt();
        let events = [(500, switch(probe(), idle())), enter, leave, (3_000, switch(idle(), probe()))];
        let blame = blamed(&events, wake_up(3_000), 3_000);
        assert_eq!(told(&blame)[0], (Cause::Dispatch, None, 1_978));
    }

    #[test]
    fn a_thread_that_the_interrupt_did_not_ask_to_leave_had_a_raised_priority() {
        let [enter, leave] = timer_interrupt();
        let raised_self = Thread { priority: 1, ..compiler() };
        for (from, raise, phrase) in [
            (compiler(), Raise::Unseen, "cc1 (9, ordinary) ran at a raised priority"),
            (raised_self, Raise::Left(1), "cc1 (9, ordinary) ran at a raised priority, real-time 98"),
        ] {
            let events = [(500, switch(probe(), compiler())), enter, leave, (3_000, switch(from, probe()))];
            let blame = blamed(&events, WakeUp { asked: Some(false), ..wake_up(3_000) }, 3_000);
            assert_eq!(told(&blame)[0], (Cause::Interference, raised(compiler(), raise), 1_976));
            assert!(blame_line(&blame).contains(phrase), "{}", blame_line(&blame));
        }
    }

    #[test]
    fn a_thread_whose_lock_was_wanted_from_above_inherited_that_priority() {
        let [enter, leave] = timer_interrupt();
        let back = Event::Inherit { thread: compiler().id, from: 1, to: 120 };
        let events =
            [(500, switch(probe(), compiler())), enter, leave, (2_999, back), (3_000, switch(compiler(), probe()))];
        let blame = blamed(&events, WakeUp { asked: Some(false), ..wake_up(3_000) }, 3_000);
        assert_eq!(told(&blame)[0], (Cause::Interference, raised(compiler(), Raise::Inherited(1)), 1_976));
        assert!(blame_line(&blame).contains("cc1 (9, ordinary) ran at real-time 98, inherited through a lock"));
    }

    #[test]
    fn before_the_timer_was_set_the_probe_was_not_waiting() {
        let [enter, leave] = timer_interrupt();
        let [enter, leave] = [(1_920, enter.1), (1_924, leave.1)];
        let events = [
            (500, switch(probe(), idle())),
            (1_400, switch(idle(), compiler())),
            (1_905, switch(compiler(), probe())),
            (1_915, switch(probe(), idle())),
            enter,
            leave,
            (1_930, switch(idle(), probe())),
        ];
        let late = WakeUp { armed_at: 1_912_000, isr_at: 1_920_000, waking_at: 1_922_000, stay: 4, ..wake_up(1_930) };
        let stopped = told(&blamed(&events, late, 1_930));
        assert_eq!(stopped[..2], [(Cause::NotWaiting, None, 905), (Cause::Backlog, None, 10)]);
        let earlier = WakeUp { earlier_until: 1_905_000, ..late };
        let busy = told(&blamed(&events, earlier, 1_930));
        assert_eq!(busy[0], (Cause::Backlog, None, 915));
    }

    #[test]
    fn a_softirq_names_the_thread_on_whose_time_it_ran() {
        let [enter, leave] = timer_interrupt();
        let softirq = Section::Softirq(3);
        let events = [
            (500, switch(probe(), compiler())),
            enter,
            leave,
            (1_030, Event::Enter(softirq)),
            (2_990, Event::Leave(softirq)),
            (3_000, switch(compiler(), probe())),
        ];
        let blame = blamed(&events, wake_up(3_000), 3_000);
        let culprit = Culprit { holder: Holder::Section(softirq), more: More::OnTimeOf(compiler()) };
        assert_eq!(told(&blame)[0], (Cause::Interference, Some(culprit), 1_960));
        assert!(blame_line(&blame).contains("1960.0 us softirq NET_RX on the time of cc1 (9, ordinary)"));
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
        let blame = blamed(&events, wake_up(1_030), 1_135);
        assert_eq!(told(&blame)[0], (Cause::Interference, by_thread(higher), 100));
        assert!(blame_line(&blame).contains("100.0 us migration/0 (11, real-time 99)"));
    }

    #[test]
    fn what_no_event_tells_is_shown_as_unexplained_even_when_it_is_small() {
        let shares = [900, 800, 700, 600]
            .map(|us| share(Cause::Interference, by(Holder::Section(Section::Softirq(us as u8))), us));
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
            others in proptest::array::uniform2(0u64..3_000_000),
            response_us in 0u64..6_000,
        ) {
            let mut at_us = 500;
            let events: Vec<_> = steps.into_iter().map(|(step, event)| { at_us += step; (at_us, event) }).collect();
            let mut sorted = marks;
            sorted.sort_unstable();
            let [expiry, isr, waking, switch] = sorted.map(|us| us * 1_000);
            let [armed_at, earlier_until] = others;
            let wake_up = WakeUp {
                expiry_at: expiry, isr_at: isr, waking_at: waking, switch_in_at: switch, armed_at, earlier_until,
                ..wake_up(0)
            };
            let response_us = response_us.max(switch / 1_000);
            let blame = blamed(&events, wake_up, response_us);
            prop_assert_eq!(blame.total(), response_us * 1_000 - expiry);
        }
    }
}
