// SPDX-License-Identifier: MIT OR Apache-2.0
//! The priorities that threads inherited through locks and have not given back.
//!
//! A thread that waits for a lock lends its priority to the lock's holder. The holder may be on the same CPU or on another one,
//! or on none and run later with that priority. Advice must not tell a thread with a lent priority to take a lower one.
use crate::event::{Event, Stamped, Thread};
use crate::processor::Processor;
use crate::thread::raise::Loan;
use std::cmp::Ordering;

/// At most this many loans are remembered, the latest ones; a machine's threads have fewer loans at one time.
const LOANS_MAX: usize = 64;

/// The loans of all threads.
#[derive(Clone, Debug, Default)]
pub struct Loans {
    /// The loans, latest first. The first one of a thread is its highest, which is in effect.
    all: Vec<(i32, Loan)>,
}

impl Loans {
    /// Takes the next event of a CPU that is followed alone; `processor` has taken it already.
    #[inline(always)]
    pub fn push(&mut self, stamped: &Stamped, processor: &mut Processor) {
        match &stamped.event {
            Event::Switch { to, .. } => self.comes(to, processor),
            Event::Inherit { .. } => self.pass_on(stamped, processor.thread(), [processor]),
            _ => {}
        }
    }

    /// A thread got this CPU. If its priority is not the inherited one, the thread has returned the loan.
    #[inline(always)]
    pub fn comes(&mut self, thread: &Thread, processor: &mut Processor) {
        if !self.all.is_empty() {
            self.lend(thread, processor);
        }
    }

    #[cold]
    fn lend(&mut self, thread: &Thread, processor: &mut Processor) {
        let loan = self.all.iter().find(|(id, loan)| *id == thread.id && loan.to == thread.priority);
        loan.into_iter().for_each(|(_, loan)| processor.lend(*loan));
        // The thread does not wait any more, so it lends nothing. Forget the loans that it lent, except those in effect.
        let mut seen = Vec::new();
        self.all.retain(|(id, loan)| {
            let first = !seen.contains(id);
            seen.push(*id);
            first || loan.lender.is_none_or(|lender| lender.id != thread.id)
        });
    }

    /// A lock changes a thread's priority while `on` ran on this CPU. Reports the loan to the CPU that has the thread.
    #[cold]
    pub fn pass_on<'a>(
        &mut self,
        stamped: &Stamped,
        on: Option<Thread>,
        processors: impl IntoIterator<Item = &'a mut Processor>,
    ) {
        let Event::Inherit { thread, from, to } = stamped.event else { return };
        let waits = |on: &Thread| stamped.in_thread && on.id == stamped.thread && on.id != thread && on.id != 0;
        let Some(loan) = self.change(thread, from, to, on.filter(waits)) else { return };
        let has_it = processors.into_iter().filter(|processor| processor.runs(thread));
        has_it.for_each(|processor| processor.lend(loan));
    }

    /// Returns the higher one of the thread's loans before and after this change. A thread back at its own priority or below has
    /// returned all loans.
    fn change(&mut self, thread: i32, from: i32, to: i32, lender: Option<Thread>) -> Option<Loan> {
        let known = self.all.iter().find(|(id, _)| *id == thread).map(|(_, loan)| *loan);
        // A lost event may have changed the priority meanwhile.
        let known = known.filter(|known| known.to == from);
        let own = known.map_or(from.max(to), |known| known.own);
        let before = Loan { own, to: from, lender: known.and_then(|known| known.lender) };
        let earlier = self.all.iter().find(|(id, loan)| known.is_some() && *id == thread && loan.to == to);
        let behind = match to.cmp(&from) {
            Ordering::Less => Loan { own, to, lender },
            Ordering::Equal => before,
            // The waiter with the highest priority has gone. The next waiter is known if it began to wait before that one.
            Ordering::Greater => Loan { own, to, lender: earlier.and_then(|(_, loan)| loan.lender) },
        };
        self.all.retain(|(id, loan)| *id != thread || (known.is_some() && to < own && loan.to > to));
        if to < own {
            self.all.truncate(LOANS_MAX - 1);
            self.all.insert(0, (thread, behind));
        }
        [before, behind].into_iter().filter(|loan| loan.to < own).min_by_key(|loan| loan.to)
    }

    /// Events of a CPU were lost, and threads may have returned their loans there.
    pub fn forget(&mut self) {
        self.all.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Name;
    use crate::thread::raise::Raise;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const ORDINARY: i32 = 120;

    fn thread(id: i32, priority: i32) -> Thread {
        Thread { id, priority, name: Name::new(format!("t{id}").as_bytes()) }
    }

    fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
        Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
    }

    fn switch(at_ns: u64, from: Thread, to: Thread) -> Stamped {
        by(at_ns, from.id, Event::Switch { from, preempted: false, to })
    }

    fn inherits(at_ns: u64, on: i32, from: i32, to: i32) -> Stamped {
        by(at_ns, on, Event::Inherit { thread: 5, from, to })
    }

    // The raised priorities in the second CPU's stretches up to an instant; the first CPU gets none.
    fn raises(events: &[(usize, Stamped)], until_ns: u64) -> Vec<Option<Raise>> {
        let (mut loans, mut processors) = (Loans::default(), [Processor::default(), Processor::default()]);
        for (cpu, stamped) in events {
            processors[*cpu].push(stamped);
            match &stamped.event {
                Event::Switch { to, .. } => loans.comes(to, &mut processors[*cpu]),
                _ => loans.pass_on(stamped, processors[*cpu].thread(), &mut processors),
            }
        }
        processors[1].window(200, until_ns).iter().map(|stretch| stretch.raise).collect()
    }

    #[test]
    fn a_holder_is_told_with_its_lender_whether_it_runs_elsewhere_or_comes_later() {
        let (idle, holder, waiter) = (thread(0, ORDINARY), thread(5, ORDINARY), thread(6, 9));
        let lent = Some(Raise::Inherited(Loan { own: ORDINARY, to: 9, lender: Some(waiter) }));
        let waits = [(0, switch(100, idle, waiter)), (0, inherits(300, 6, ORDINARY, 9))];
        let [runs, asks] = waits;
        let elsewhere = [runs, (1, switch(200, idle, holder)), asks, (1, switch(900, holder, idle))];
        assert_eq!(raises(&elsewhere, 900), [lent]);
        let boosted = thread(5, 9);
        let later = [runs, (1, switch(200, thread(8, 20), idle)), asks, (1, switch(400, idle, boosted))];
        assert_eq!(raises(&later, 900), [None, lent]);
        let gave_back = (1, inherits(500, 5, 9, ORDINARY));
        let again = [(1, switch(600, holder, idle)), (1, switch(700, idle, boosted))];
        let back = [&later[..], &[gave_back], &again].concat();
        assert_eq!(raises(&back, 900), [None, lent, None, None], "now it has that priority of its own");
    }

    #[test]
    fn a_loan_of_which_only_the_end_was_seen_has_no_lender() {
        let (idle, boosted) = (thread(0, ORDINARY), thread(5, 9));
        let events =
            [(1, switch(200, idle, boosted)), (1, inherits(500, 5, 9, ORDINARY)), (1, switch(900, boosted, idle))];
        assert_eq!(raises(&events, 900), [Some(Raise::Inherited(Loan { own: ORDINARY, to: 9, lender: None }))]);
    }

    #[test]
    fn when_the_highest_of_several_that_wait_goes_the_one_before_it_is_the_lender() {
        let (idle, first, second) = (thread(0, ORDINARY), thread(6, 50), thread(7, 9));
        let asks =
            [(0, switch(100, idle, first)), (0, inherits(200, 6, ORDINARY, 50)), (0, switch(210, first, second))];
        let higher = [(0, inherits(300, 7, 50, 9)), (0, switch(310, second, idle))];
        let gone = [
            (0, inherits(400, 0, 9, 50)),
            (1, switch(500, idle, thread(5, 50))),
            (1, switch(900, thread(5, 50), idle)),
        ];
        let told = |events: &[(usize, Stamped)]| raises(events, 900).pop().unwrap();
        let inherited = |lender| Some(Raise::Inherited(Loan { own: ORDINARY, to: 50, lender }));
        assert_eq!(told(&[&asks[..], &higher, &gone].concat()), inherited(Some(first)));
        let waits_no_more = [(0, switch(350, idle, first)), (0, switch(360, first, idle))];
        assert_eq!(told(&[&asks[..], &higher, &waits_no_more, &gone].concat()), inherited(None));
        assert_eq!(told(&[&asks[..1], &higher[..], &gone].concat()), None, "its own, as far as was seen");
    }

    proptest! {
        #[test]
        fn what_a_thread_has_of_its_own_is_known_while_it_inherits(
            steps in proptest::collection::vec((1i32..6, 0i32..120), 0..200),
        ) {
            let (mut loans, mut model) = (Loans::default(), BTreeMap::new());
            for (id, to) in steps {
                let own = 100 + id;
                let from = *model.get(&id).unwrap_or(&own);
                let to = if to >= 100 { own } else { to };
                let told = loans.change(id, from, to, Some(thread(9, to)));
                let (higher, lender) = (from.min(to), told.and_then(|told| told.lender));
                prop_assert_eq!(told.map(|told| (told.own, told.to)), (higher < own).then_some((own, higher)));
                prop_assert!(lender.is_none_or(|lender| lender.priority == higher) && (to >= from || lender.is_some()));
                model.insert(id, to);
                let held = loans.all.iter().find(|(known, _)| *known == id).map(|(_, loan)| loan.to);
                prop_assert_eq!(held, (to < own).then_some(to));
            }
        }
    }
}
