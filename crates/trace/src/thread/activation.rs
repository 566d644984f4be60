// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows threads through their activations, on any CPU, while they run.
//!
//! This follows running threads as [`Lates`] follows those of a recording, and reports every response as soon as it has ended.
pub use crate::late::lates::{Late, Question, ResponseFate};

use crate::account::analysis::Listener;
use crate::event::{Event, Group, Stamped};
use crate::late::lates::Lates;
use crate::late::whose::Whose;
use crate::processor::Processor;
use crate::thread::loans::Loans;
use std::collections::BTreeMap;

/// The activations of some threads.
#[derive(Clone, Debug)]
pub struct Activations {
    lates: Lates,
    processors: BTreeMap<u32, Processor>,
    loans: Loans,
}

impl Activations {
    /// Follows the threads with these numbers. The events' stamps must be of CLOCK_MONOTONIC, which timers use.
    pub fn new(threads: Vec<i32>) -> Self {
        let whose = Whose::Numbers(threads);
        let question = Question { above_ns: 0, whose, timers: true, marks: true, to_end: false };
        Self { lates: Lates::telling(question), processors: BTreeMap::new(), loans: Loans::default() }
    }

    /// Adds the CPU quotas of the threads' control groups.
    pub fn with_quotas(self, quotas: BTreeMap<i32, Group>) -> Self {
        Self { lates: self.lates.with_quotas(quotas), ..self }
    }

    /// Takes the next event, of any CPU, in order of time. Returns the responses that ended.
    pub fn push(&mut self, cpu: u32, stamped: &Stamped) -> Vec<ResponseFate> {
        let processor = self.processors.entry(cpu).or_default();
        processor.push(stamped);
        if let Event::Switch { to, .. } = &stamped.event {
            self.loans.comes(to, processor);
        }
        self.lates.event(cpu, stamped, processor);
        if let Event::Migrate { .. } = stamped.event {
            let of = |cpu: u32| self.processors.get(&cpu);
            self.lates.moves(cpu, stamped, &of);
        }
        if let Event::Inherit { .. } = stamped.event {
            let on = self.processors.get(&cpu).and_then(Processor::thread);
            self.loans.pass_on(stamped, on, self.processors.values_mut());
        }
        if stamped.event.is_of_machine() {
            self.processors.iter_mut().for_each(|(own, processor)| processor.change(*own, stamped));
        }
        self.lates.told()
    }

    /// Events of a CPU are lost from this instant on: an open activation cannot be completed, and a new one's end is unknown.
    pub fn begins_to_lose(&mut self, cpu: u32, at_ns: u64) -> Vec<ResponseFate> {
        self.forget(cpu);
        self.lates.gap_begins(cpu, at_ns);
        self.lates.told()
    }

    /// Events of a CPU were lost up to this instant.
    pub fn has_lost(&mut self, cpu: u32, at_ns: u64) -> Vec<ResponseFate> {
        self.forget(cpu);
        self.lates.gap(cpu, at_ns);
        self.lates.told()
    }

    fn forget(&mut self, cpu: u32) {
        self.processors.entry(cpu).or_default().forget();
        self.loans.forget();
    }

    /// Sets the length from which a thread's responses are explained; shorter ones are only reported.
    pub fn explains_from(&mut self, thread: i32, from_ns: u64) {
        self.lates.explains_from(thread, from_ns);
    }

    /// Number of long responses that were not explained because the budget for explanations was spent.
    pub fn unexplained(&self) -> u64 {
        self.lates.unexplained()
    }

    /// When this thread's present wait for a CPU began; `None` if the thread does not wait.
    pub fn ready_at(&mut self, thread: i32) -> Option<u64> {
        self.lates.ready_at(thread)
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

    // `(ready, came, processor)` of each seen activation, and the number of unseen activations.
    fn follow(events: &[(u32, Stamped)]) -> (Vec<(u64, u64, u32)>, usize) {
        let mut activations = Activations::new(vec![USERS]);
        let (mut came, mut unseen) = (Vec::new(), 0);
        for told in events.iter().flat_map(|(cpu, event)| activations.push(*cpu, event)) {
            match told {
                ResponseFate::Came { response, .. } => {
                    came.push((response.at_ns, response.at_ns + response.latency_ns, response.cpu))
                }
                ResponseFate::Unseen { .. } => unseen += 1,
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
    fn who_makes_up_for_periods_that_are_past_is_woken_on_its_own_time_again_and_again() {
        let timer = Section::Interrupt(Name::new(b"timer"));
        let own = |at_ns, event| (0, by(USERS, at_ns, event));
        let woken = |at_ns| {
            let event = Event::Waking { thread: USERS };
            [own(at_ns, Event::Enter(timer)), own(at_ns + 5, event), own(at_ns + 9, Event::Leave(timer))]
        };
        let events: Vec<_> = [(0, switch(100, 3, true, 7))]
            .into_iter()
            .chain([200, 300, 400].into_iter().flat_map(woken))
            .chain([(0, switch(500, 7, false, 0))])
            .collect();
        assert_eq!(follow(&events), (vec![(205, 209, 0), (305, 309, 0), (405, 409, 0)], 0));
    }

    #[test]
    fn a_switch_from_idle_that_was_not_recorded_is_inferred_and_any_other_is_proved_by_the_next_event() {
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
        assert_eq!(follow(&events), (vec![(205, 300, 0)], 0));
    }

    #[test]
    fn who_left_without_a_record_is_named_where_only_the_next_event_tells_that_the_thread_came() {
        let mut activations = Activations::new(vec![USERS]);
        let mut came = |event: Stamped| {
            let told = activations.push(0, &event);
            let came = told.into_iter().map(|told| match told {
                ResponseFate::Came { response, inferred, behind, .. } => {
                    (response.at_ns, response.latency_ns, inferred, behind.map(|thread| thread.id))
                }
                ResponseFate::Unseen { .. } => panic!(),
            });
            came.collect::<Vec<_>>()
        };
        assert!(came(switch(100, 7, false, 75)).is_empty() && came(waking(200, 75)).is_empty());
        assert_eq!(came(switch(300, 7, false, 75)), [(200, 100, true, Some(75))]);
        assert!(came(waking(400, 75)).is_empty());
        let timer = Section::Interrupt(Name::new(b"timer"));
        assert_eq!(came(by(7, 500, Event::Enter(timer))), [(400, 100, true, Some(75))]);
    }

    #[test]
    fn the_time_is_divided_among_those_who_had_the_processor_that_came() {
        let mut activations = Activations::new(vec![USERS]);
        let above = Event::Switch { from: thread(0, 120), preempted: true, to: thread(5, 1) };
        let last = Event::Switch { from: thread(5, 1), preempted: false, to: thread(7, 50) };
        for (cpu, event) in [(1, switch(100, 9, false, 0)), (1, by(0, 150, above)), (0, waking(200, 3))] {
            assert!(activations.push(cpu, &event).is_empty());
        }
        let told = activations.push(1, &by(5, 900, last));
        let [ResponseFate::Came { response: Late { blame, .. }, .. }] = told.as_slice() else { panic!("{told:?}") };
        let culprit = blame.shares[0].culprit.unwrap().holder;
        assert_eq!((blame.shares.len(), blame.total()), (1, 700));
        assert_eq!(culprit, crate::processor::Holder::Thread(thread(5, 1)));
    }

    #[test]
    fn a_loss_is_told_of_each_thread_that_was_ready_and_of_no_other() {
        let mut activations = Activations::new(vec![USERS, 8]);
        let wakes_both = [switch(100, 7, false, 0), switch(110, 8, false, 0), waking(200, 3)];
        assert!(wakes_both.iter().all(|event| activations.push(0, event).is_empty()));
        let told = activations.begins_to_lose(0, 300);
        assert!(matches!(told.as_slice(), [ResponseFate::Unseen { thread: USERS, .. }]), "{told:?}");
        assert!(activations.has_lost(0, 400).is_empty());
    }

    proptest! {
        #[test]
        fn every_waking_is_told_once_at_most_and_shares_sum_to_the_latency(
            steps in prop::collection::vec((0u64..50, 0u32..3, 0u8..6, 0i32..9, any::<bool>()), 0..200),
        ) {
            let mut activations = Activations::new(vec![USERS]);
            let (mut at_ns, mut wakings, mut told) = (1_000, 0, 0);
            for (step, cpu, kind, other, flag) in steps {
                at_ns += step;
                let real_time = thread(other + 1, 50);
                let event = match kind {
                    0 => waking(at_ns, other),
                    1 => switch(at_ns, USERS, flag, other),
                    2 => switch(at_ns, other, flag, USERS),
                    3 => by(other, at_ns, Event::Switch { from: thread(other, 120), preempted: flag, to: real_time }),
                    4 => by(USERS, at_ns, Event::Waking { thread: other }),
                    _ => by(USERS, at_ns, Event::Enter(Section::Softirq(1))),
                };
                wakings += usize::from(matches!(event.event, Event::Waking { thread: USERS }));
                for one in activations.push(cpu, &event) {
                    told += 1;
                    if let ResponseFate::Came { response, .. } = one {
                        prop_assert_eq!(response.blame.total(), response.latency_ns);
                    }
                }
            }
            prop_assert!(told <= wakings);
        }
    }
}
