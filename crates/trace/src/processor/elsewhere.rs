// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who kept the followed thread from its work, and who resumed it, if only the thread's own CPU is recorded completely.
//!
//! That CPU's events show that the thread was away. The thread that woke, stopped or froze it may have been on any other CPU. The
//! kernel records a few events of those CPUs, and backwall merges them in order of time with the thread's own.
use crate::event::{Event, Stamped, Thread};
use crate::processor::Processor;
use crate::thread::holds::{Holds, LetGo};
use crate::thread::wakeup::WakeUp;
use std::collections::{BTreeSet, VecDeque};

/// At most this many wakeups by other threads are remembered. While a thread waits for a timer, others hardly ever wake it.
const KEPT: usize = 64;
/// At most this many unnamed threads of the thread's own CPU are remembered; few threads stop or resume others at a time.
const UNNAMED_MAX: usize = 64;
/// At most this many events of other CPUs wait for the thread's own events; the ring of the other CPUs holds fewer.
const WAITING_MAX: usize = 1 << 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct Elsewhere {
    thread: i32,
    cpu: u32,
    holds: Holds,
    woken: VecDeque<(u64, i32)>,
    /// Events of other CPUs, in order of time. All are later than the last event of the thread's own CPU.
    waiting: VecDeque<Stamped>,
    /// Threads of the thread's own CPU that no switch had named yet, at the start of the recording or after a loss.
    unnamed: BTreeSet<i32>,
}

impl Elsewhere {
    pub(crate) fn follow(&mut self, thread: i32, cpu: u32) {
        (self.thread, self.cpu) = (thread, cpu);
    }

    pub(crate) fn add(&mut self, events: impl IntoIterator<Item = Stamped>) {
        let thread = self.thread;
        self.waiting.extend(
            events.into_iter().filter(|stamped| stamped.event.is_of_holds(thread) || stamped.event.is_of_machine()),
        );
        self.waiting.make_contiguous().sort_by_key(|stamped| stamped.at_ns);
        let beyond = self.waiting.len().saturating_sub(WAITING_MAX);
        self.waiting.drain(..beyond).for_each(drop);
    }

    /// Learns a thread's name. The events do not show it, because the kernel does not record switches on other CPUs.
    pub(crate) fn name(&mut self, thread: Thread) {
        self.unnamed.remove(&thread.id);
        self.holds.name(thread);
    }

    pub(crate) fn unnamed(&mut self) -> BTreeSet<i32> {
        std::mem::take(&mut self.unnamed)
    }

    /// A thread with its present name, if only its number was recorded.
    pub(crate) fn called(&self, thread: Thread) -> Thread {
        if thread.is_number() { self.holds.called(thread.id) } else { thread }
    }

    /// Takes the next event of the thread's own CPU, after all earlier events of other CPUs.
    #[inline(always)]
    pub(crate) fn push(&mut self, stamped: &Stamped, processor: &mut Processor) {
        if self.waiting.front().is_some_and(|first| first.at_ns <= stamped.at_ns) {
            self.catch_up(stamped.at_ns, processor);
        }
        if stamped.event.is_of_holds(self.thread) && stamped.in_thread {
            self.own(stamped, processor);
        } else if stamped.event.is_of_machine() {
            processor.change(self.cpu, stamped);
        }
    }

    #[cold]
    fn catch_up(&mut self, at_ns: u64, processor: &mut Processor) {
        let count = self.waiting.partition_point(|stamped| stamped.at_ns <= at_ns);
        let come: Vec<Stamped> = self.waiting.drain(..count).collect();
        for stamped in &come {
            match stamped.event.is_of_machine() {
                true => processor.change(self.cpu, stamped),
                false => self.take(stamped),
            }
        }
    }

    #[cold]
    fn own(&mut self, stamped: &Stamped, processor: &Processor) {
        match processor.thread().filter(|thread| !thread.is_number()) {
            Some(thread) => self.name(thread),
            None if self.holds.called(stamped.thread).is_number() && self.unnamed.len() < UNNAMED_MAX => {
                self.unnamed.insert(stamped.thread);
            }
            None => {}
        }
        self.take(stamped);
    }

    fn take(&mut self, stamped: &Stamped) {
        match stamped.event {
            Event::Waking { thread } if thread == self.thread && ![0, thread].contains(&stamped.thread) => {
                if self.woken.len() == KEPT {
                    self.woken.pop_front();
                }
                self.woken.push_back((stamped.at_ns, stamped.thread));
            }
            _ => self.holds.push(stamped),
        }
    }

    /// The kernel cannot wake a thread that is ready. So if another thread wakes this one again before it gets its CPU, this
    /// thread's version 1 control group had been frozen until the second wakeup.
    fn thawed(&self, wake_up: &WakeUp) -> Option<WakeUp> {
        let WakeUp { waking_at, switch_in_at, inferred, .. } = *wake_up;
        let ready = |at_ns: &u64| *at_ns > waking_at && *at_ns <= switch_in_at && !inferred;
        let (at_ns, by) = *self.woken.iter().rev().find(|(at_ns, _)| ready(at_ns))?;
        let (let_go, armed_at) = (Some(LetGo::thawed(self.holds.let_go(by, at_ns).by)), Some(at_ns));
        let (isr_at, waking_at, isr_end_at, asked) = (at_ns, at_ns, None, None);
        Some(WakeUp { let_go, armed_at, isr_at, waking_at, isr_end_at, asked, line: None, stay: None, ..*wake_up })
    }

    /// The wakeup with the thread that resumed this one, if something had kept this one from setting its timer in time or from
    /// answering.
    pub(crate) fn told(&self, wake_up: &WakeUp) -> Option<WakeUp> {
        if let thawed @ Some(_) = self.thawed(wake_up) {
            return thawed;
        }
        let late = wake_up.armed_at.filter(|armed_at| *armed_at > wake_up.expiry_at);
        let away = wake_up.away.filter(|away| !away.faulted);
        let spans = [
            late.map(|armed_at| (wake_up.expiry_at, armed_at)),
            away.map(|away| (away.from_ns, away.to_ns.unwrap_or(wake_up.ended_at))),
        ];
        let let_go = spans.into_iter().flatten().find_map(|(from_ns, to_ns)| self.let_go(from_ns, to_ns))?;
        Some(WakeUp { let_go: Some(let_go), ..*wake_up })
    }

    fn let_go(&self, from_ns: u64, to_ns: u64) -> Option<LetGo> {
        let (at_ns, by) = self.woken.iter().rev().find(|(at_ns, _)| (from_ns..=to_ns).contains(at_ns))?;
        Some(self.holds.let_go(*by, *at_ns))
    }

    pub(crate) fn forget(&mut self) {
        self.holds.forget();
        self.woken.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::explain::explain;
    use crate::blame::{Cause, Culprit, More};
    use crate::event::{Group, Name, Section, Signal};
    use crate::processor::Holder;
    use crate::thread::wakeup::Follower;

    const PROBE: i32 = 7;

    fn thread(id: i32) -> Thread {
        Thread { id, priority: if id == PROBE { 4 } else { 120 }, name: Name::new(format!("t{id}").as_bytes()) }
    }

    fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
        Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
    }

    fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
        by(at_ns, from, Event::Switch { from: thread(from), preempted, to: thread(to) })
    }

    fn sets(at_ns: u64, expiry_ns: u64) -> Stamped {
        by(at_ns, PROBE, Event::TimerStart { timer: 0xa, expiry_ns, slack_ns: 0 })
    }

    // An interrupt of the timer, which takes 400 ns, on the probe's own time.
    fn fires(at_ns: u64) -> [Stamped; 4] {
        let timer = Section::Interrupt(Name::new(b"local_timer"));
        let above = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, PROBE, event) };
        [
            above(at_ns, Event::Enter(timer)),
            above(at_ns + 100, Event::TimerExpire { timer: 0xa, function: None }),
            above(at_ns + 200, Event::Waking { thread: PROBE }),
            above(at_ns + 400, Event::Leave(timer)),
        ]
    }

    // The probe sleeps until 100,000 but is made ready at 50,000 and leaves its CPU at once. At 900,000 it is resumed and sets
    // its timer anew.
    fn held_asleep() -> Vec<Stamped> {
        let mut own = vec![switch(400, 3, true, PROBE), sets(500, 100_000), switch(510, PROBE, false, 0)];
        own.extend([switch(51_000, 0, true, PROBE), switch(52_000, PROBE, false, 0)]);
        own.extend([switch(901_000, 0, true, PROBE), sets(902_000, 100_000)]);
        own.extend(fires(903_000));
        own.extend([by(903_500, PROBE, Event::SleepEnd), sets(905_000, 1_900_000)]);
        own
    }

    // The largest share of the first wakeup. Other CPUs' events arrive three at a time.
    fn largest(own: &[Stamped], others: &[Stamped]) -> (Cause, Option<Culprit>, u64) {
        let (mut processor, mut follower, mut elsewhere) =
            (Processor::default(), Follower::new(PROBE), Elsewhere::default());
        elsewhere.follow(PROBE, 1);
        elsewhere.name(thread(5));
        others.chunks(3).for_each(|some| elsewhere.add(some.iter().rev().copied()));
        let mut found = Vec::new();
        for stamped in own {
            processor.push(stamped);
            elsewhere.push(stamped, &mut processor);
            let wake_up = follower.push(stamped, &processor).copied();
            let told = wake_up.map(|wake_up| elsewhere.told(&wake_up).unwrap_or(wake_up));
            found.extend(told.map(|told| explain(&told.window(), &processor, told.kernel_end())));
        }
        let share = found.first().unwrap().shares[0];
        (share.cause, share.culprit, share.ns)
    }

    fn until(group: Option<Group>) -> Option<Culprit> {
        let more = More::Until { thread: thread(5), group };
        Some(Culprit { holder: Holder::Thread(thread(5)), more })
    }

    #[test]
    fn who_stopped_or_froze_the_thread_from_another_processor_is_named() {
        let (wakes, signalled) = (Event::Waking { thread: PROBE }, |signal| Event::Signalled { thread: PROBE, signal });
        let stops = [
            by(50_000, 5, wakes),
            by(50_100, 5, signalled(Signal::Stops)),
            by(900_000, 5, wakes),
            by(900_100, 5, signalled(Signal::Continues)),
        ];
        assert_eq!(largest(&held_asleep(), &stops), (Cause::Stopped, until(None), 801_000));
        let group = Group::named("/jobs");
        let freezes = [
            by(49_900, 5, Event::Freezes { group, on: true }),
            by(50_000, 5, wakes),
            by(899_900, 5, Event::Freezes { group, on: false }),
            by(900_000, 5, wakes),
        ];
        assert_eq!(largest(&held_asleep(), &freezes), (Cause::Frozen, until(Some(group)), 801_000));
        assert_eq!(largest(&held_asleep(), &[]), (Cause::NotWaiting, None, 801_000));
    }

    // While a version 1 control group is frozen, a timer does not end its thread's sleep, and no event shows this.
    #[test]
    fn who_thawed_the_thread_is_named_where_its_timer_did_not_make_it_ready() {
        let function = Some(crate::event::function::Function::named("hrtimer_wakeup"));
        let timer = Section::Interrupt(Name::new(b"local_timer"));
        let above = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 0, event) };
        let own = |thawed_here: bool| {
            let mut own = vec![switch(400, 3, true, PROBE), sets(500, 100_000), switch(510, PROBE, false, 0)];
            own.extend([
                above(100_000, Event::Enter(timer)),
                above(100_100, Event::TimerExpire { timer: 0xa, function }),
                above(100_400, Event::Leave(timer)),
            ]);
            if thawed_here {
                own.extend([switch(880_000, 0, true, 5), by(900_000, 5, Event::Waking { thread: PROBE })]);
                own.push(switch(901_000, 5, true, PROBE));
            } else {
                own.push(switch(901_000, 0, true, PROBE));
            }
            own.extend([by(901_500, PROBE, Event::SleepEnd), sets(905_000, 1_900_000)]);
            own
        };
        let more = More::Until { thread: thread(5), group: None };
        let told = Some(Culprit { holder: Holder::Unknown, more });
        assert_eq!(
            largest(&own(false), &[by(900_000, 5, Event::Waking { thread: PROBE })]),
            (Cause::Frozen, told, 799_600)
        );
        assert_eq!(largest(&own(true), &[]), (Cause::Frozen, told, 799_600));
    }

    #[test]
    fn who_stopped_the_thread_before_its_answer_and_on_its_own_processor_is_named() {
        let (wakes, signalled) = (Event::Waking { thread: PROBE }, |signal| Event::Signalled { thread: PROBE, signal });
        let mut own = vec![switch(400, 3, true, PROBE), sets(500, 100_000)];
        own.extend(fires(100_100));
        own.extend([
            switch(101_000, PROBE, true, 5),
            by(102_000, 5, signalled(Signal::Stops)),
            switch(103_000, 5, true, PROBE),
            switch(104_000, PROBE, false, 0),
            switch(700_000, 0, true, 5),
            by(800_000, 5, wakes),
            by(800_100, 5, signalled(Signal::Continues)),
            switch(801_000, 5, true, PROBE),
            by(802_000, PROBE, Event::SleepEnd),
            sets(803_000, 900_000),
        ]);
        let (cause, culprit, ns) = largest(&own, &[]);
        assert_eq!((cause, culprit), (Cause::Stopped, until(None)));
        assert!(ns >= 596_000, "{ns}");
    }

    #[test]
    fn a_thread_that_no_switch_named_is_a_number_until_somebody_tells_its_name() {
        let (mut processor, mut elsewhere) = (Processor::default(), Elsewhere::default());
        elsewhere.follow(PROBE, 1);
        let stops = |by_whom, at_ns| by(at_ns, by_whom, Event::Signalled { thread: PROBE, signal: Signal::Stops });
        // The recording begins while thread 5 runs.
        for stamped in [stops(5, 100), switch(200, 5, true, 6), stops(6, 300)] {
            processor.push(&stamped);
            elsewhere.push(&stamped, &mut processor);
        }
        assert_eq!(elsewhere.unnamed(), BTreeSet::from([5]), "the switch named the other one");
        assert_eq!(elsewhere.unnamed(), BTreeSet::new(), "each is asked for once");
        let number = Thread::numbered(5);
        assert_eq!(elsewhere.called(number), number);
        elsewhere.name(thread(5));
        assert_eq!((elsewhere.called(number), elsewhere.called(thread(6))), (thread(5), thread(6)));
    }
}
