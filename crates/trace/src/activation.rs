// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one thread through its activations, on whichever processors they are.
//!
//! Nothing is known of when a thread of somebody else's was to be released. So an activation begins when the thread is made
//! ready and ends when a processor comes to it. What happened in between is told by that processor.
pub use super::awaited::Unseen;

use super::awaited::{Awaited, Reached};
use super::event::{Event, Stamped};
use super::evidence::Evidence;
use super::loans::Loans;
use super::processor::Processor;
use super::wakeup::WakeUp;
use std::collections::BTreeMap;

/// What became of one activation.
#[derive(Clone, Debug)]
pub enum Activation {
    /// A processor came to the thread.
    Came {
        /// From its waking to the switch to it, as any other wake-up.
        wake_up: WakeUp,
        /// What divides that time.
        evidence: Box<Evidence>,
        /// The processor.
        cpu: u32,
    },
    /// What followed was not seen.
    Unseen(Unseen),
}

/// Gathers the activations of one thread.
#[derive(Clone, Debug)]
pub struct Activations {
    awaited: Awaited,
    processors: BTreeMap<u32, Processor>,
    loans: Loans,
}

impl Activations {
    /// Follows the thread of that number.
    pub fn new(thread: i32) -> Self {
        Self { awaited: Awaited::new(thread), processors: BTreeMap::new(), loans: Loans::default() }
    }

    /// Takes the next event of all processors, in order of time.
    pub fn push(&mut self, cpu: u32, stamped: &Stamped) -> Option<Activation> {
        let processor = self.processors.entry(cpu).or_default();
        processor.push(stamped);
        if let Event::Switch { to, .. } = &stamped.event {
            self.loans.comes(to, processor);
        }
        let reached = self.awaited.push(cpu, stamped, processor);
        let told = reached.map(|reached| match reached {
            Reached::Came(came) => {
                let stay = processor.stay_at(came.ready_at);
                let here = came.ready_on == cpu;
                let asked = if here { processor.asked_after(came.ready_at) } else { None };
                let wake_up = WakeUp { stay, asked, ..came.wake_up() };
                let evidence = Evidence::new(wake_up, |from, to| processor.window(from, to));
                Activation::Came { wake_up, evidence: Box::new(evidence), cpu }
            }
            Reached::Unseen(unseen) => Activation::Unseen(unseen),
        });
        if let Event::Inherit { .. } = stamped.event {
            let on = processor.thread();
            self.loans.pass_on(stamped, on, self.processors.values_mut());
        }
        told
    }

    /// Events of a processor were lost: an activation that was begun cannot be completed.
    pub fn forget(&mut self, cpu: u32) -> Option<Activation> {
        self.processors.entry(cpu).or_default().forget();
        self.loans.forget();
        self.awaited.forget(cpu).map(|ready_at| Activation::Unseen(Unseen { ready_at, behind: None }))
    }

    /// Since when it is ready and has not come, if it is.
    pub fn ready_at(&self) -> Option<u64> {
        self.awaited.ready_at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Name, Section, Thread};
    use proptest::prelude::*;

    const USERS: i32 = 7;

    fn thread(id: i32, priority: i32) -> Thread {
        Thread { id, priority, name: Name::new(b"t") }
    }

    fn by(thread: i32, at_ns: u64, event: Event) -> Stamped {
        Stamped { at_ns, thread, in_thread: true, to_switch: true, event }
    }

    fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
        by(from, at_ns, Event::Switch { from: thread(from, 120), preempted, to: thread(to, 120) })
    }

    fn waking(at_ns: u64, by_thread: i32) -> Stamped {
        by(by_thread, at_ns, Event::Waking { thread: USERS })
    }

    /// `(ready, came, processor)` of those that came, and how many were not seen.
    fn follow(events: &[(u32, Stamped)]) -> (Vec<(u64, u64, u32)>, usize) {
        let mut activations = Activations::new(USERS);
        let (mut came, mut unseen) = (Vec::new(), 0);
        for (cpu, event) in events {
            match activations.push(*cpu, event) {
                Some(Activation::Came { wake_up, cpu, .. }) => {
                    came.push((wake_up.waking_at, wake_up.switch_in_at, cpu))
                }
                Some(Activation::Unseen(_)) => unseen += 1,
                None => {}
            }
        }
        (came, unseen)
    }

    #[test]
    fn a_thread_that_is_woken_on_one_processor_and_runs_on_another_is_one_activation() {
        let events = [
            (0, switch(100, 7, false, 3)),
            (1, switch(110, 9, false, 0)),
            (0, waking(200, 3)),
            (1, switch(260, 0, true, 7)),
            (1, switch(300, 7, false, 0)),
        ];
        assert_eq!(follow(&events), (vec![(200, 260, 1)], 0));
    }

    #[test]
    fn who_is_preempted_was_not_asleep_and_who_is_woken_while_it_still_runs_waits_from_then_on() {
        let events = [
            (0, switch(100, 3, true, 7)),
            (1, waking(150, 9)),
            (0, switch(160, 7, true, 3)),
            (0, switch(170, 3, true, 7)),
            (1, waking(190, 9)),
            (0, switch(200, 7, false, 3)),
            (0, switch(230, 3, true, 7)),
        ];
        assert_eq!(follow(&events), (vec![(190, 230, 0)], 0));
    }

    #[test]
    fn who_is_woken_on_its_own_time_goes_on_when_the_interrupt_ends_and_its_next_sleep_is_another() {
        let timer = Section::Interrupt(Name::new(b"timer"));
        let own = |at_ns, event| (0, by(USERS, at_ns, event));
        let events = [
            (0, switch(100, 3, true, 7)),
            own(150, Event::Enter(timer)),
            own(155, Event::Waking { thread: USERS }),
            own(160, Event::Leave(timer)),
            own(170, Event::Enter(Section::Softirq(1))),
            own(175, Event::Leave(Section::Softirq(1))),
            (0, switch(200, 7, false, 0)),
            (0, waking(300, 0)),
            (0, switch(310, 0, true, 7)),
            own(350, Event::Waking { thread: USERS }),
            (0, switch(400, 7, false, 0)),
        ];
        assert_eq!(follow(&events), (vec![(155, 160, 0), (300, 310, 0), (350, 350, 0)], 0));
    }

    #[test]
    fn a_switch_from_idle_that_was_not_recorded_is_inferred_and_any_other_is_not_seen() {
        let timer = Section::Interrupt(Name::new(b"timer"));
        let mut events = vec![
            (0, switch(100, 7, false, 0)),
            (0, by(0, 200, Event::Enter(timer))),
            (0, waking(205, 0)),
            (0, by(0, 210, Event::Leave(timer))),
            (0, switch(300, 7, false, 0)),
        ];
        assert_eq!(follow(&events), (vec![(205, 210, 0)], 0));
        events[3].1.to_switch = false;
        assert_eq!(follow(&events), (vec![], 1));
    }

    #[test]
    fn who_left_without_a_record_is_named_where_the_coming_was_not_seen() {
        let mut activations = Activations::new(USERS);
        for (at, event) in [(100, switch(100, 7, false, 75)), (200, waking(200, 75))] {
            assert!(activations.push(0, &event).is_none(), "{at}");
        }
        let Some(Activation::Unseen(unseen)) = activations.push(0, &switch(300, 7, false, 75)) else { panic!() };
        assert_eq!((unseen.ready_at, unseen.behind.map(|thread| thread.id)), (200, Some(75)));
        assert!(activations.push(0, &waking(400, 75)).is_none());
        let timer = Section::Interrupt(Name::new(b"timer"));
        let Some(Activation::Unseen(unseen)) = activations.push(0, &by(7, 500, Event::Enter(timer))) else { panic!() };
        assert_eq!((unseen.ready_at, unseen.behind.map(|thread| thread.id)), (400, Some(75)));
    }

    #[test]
    fn the_time_is_divided_among_those_who_had_the_processor_that_came() {
        let mut activations = Activations::new(USERS);
        let above = Event::Switch { from: thread(0, 120), preempted: true, to: thread(5, 1) };
        let last = Event::Switch { from: thread(5, 1), preempted: false, to: thread(7, 50) };
        for (cpu, event) in [(1, switch(100, 9, false, 0)), (1, by(0, 150, above)), (0, waking(200, 3))] {
            assert!(activations.push(cpu, &event).is_none());
        }
        let Some(Activation::Came { evidence, .. }) = activations.push(1, &by(5, 900, last)) else { panic!() };
        let blame = evidence.blame(900);
        let culprit = blame.shares[0].culprit.unwrap().holder;
        assert_eq!((blame.shares.len(), blame.total()), (1, 700));
        assert_eq!(culprit, crate::processor::Holder::Thread(thread(5, 1)));
    }

    proptest! {
        #[test]
        fn every_waking_is_told_once_at_most_and_shares_sum_to_the_latency(
            steps in prop::collection::vec((0u64..50, 0u32..3, 0u8..5, 0i32..9, any::<bool>()), 0..200),
        ) {
            let mut activations = Activations::new(USERS);
            let (mut at_ns, mut wakings, mut told) = (1_000, 0, 0);
            for (step, cpu, kind, other, flag) in steps {
                at_ns += step;
                let event = match kind {
                    0 => waking(at_ns, other),
                    1 => switch(at_ns, USERS, flag, other),
                    2 => switch(at_ns, other, flag, USERS),
                    3 => switch(at_ns, other, flag, other + 1),
                    _ => by(USERS, at_ns, Event::Enter(Section::Softirq(1))),
                };
                wakings += usize::from(kind == 0);
                match activations.push(cpu, &event) {
                    Some(Activation::Came { wake_up, evidence, .. }) => {
                        told += 1;
                        let latency = wake_up.switch_in_at - wake_up.waking_at;
                        prop_assert_eq!(evidence.blame(wake_up.switch_in_at).total(), latency);
                    }
                    Some(Activation::Unseen(_)) => told += 1,
                    None => {}
                }
            }
            prop_assert!(told <= wakings);
        }
    }
}
