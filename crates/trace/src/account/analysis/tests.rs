// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::account::damaged::{hold, play};
use proptest::prelude::*;
use std::cell::Cell;

// Handles a loss by definition: visits every thread that has no processor, and forgets it.
struct Walking(Analysis<()>);

impl Receiver for Walking {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.0.event(cpu, stamped);
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        let Some(place) = self.0.place(cpu) else { return };
        let processor = &mut self.0.processors[place].1;
        let (lost, booked_until_ns) = (processor.running(), processor.open_since());
        processor.forget();
        let Some(account) = &mut self.0.account else { return };
        account.cpus[place].seen = true;
        let lost = lost.and_then(|lost| account.threads.known(lost)).filter(|thread| thread.is_on(cpu));
        lost.into_iter().for_each(|thread| thread.forget(booked_until_ns));
        let off = account.threads.all_mut().iter_mut().filter(|thread| !thread.is_running());
        off.for_each(|thread| thread.forget(account.end_ns));
    }
}

#[test]
fn a_thread_that_no_event_names_between_two_losses_is_told_as_if_each_loss_had_looked_at_it() {
    let (losses, forgotten) = (Cell::new(0), Cell::new(0));
    hold(800, |stream| {
        let (mut analysis, mut walking) = (Analysis::new(()), Walking(Analysis::new(())));
        play(&stream, &mut analysis);
        play(&stream, &mut walking);
        let ((summary, ()), (expected, ())) = (analysis.finish(), walking.0.finish());
        losses.set(losses.get() + stream.iter().filter(|(_, _, told)| told.is_none()).count());
        let known_and_not = |thread: &&crate::account::summary::Thread| {
            thread.unknown_ns > 0 && thread.waiting_ns + thread.ready_ns + thread.preempted_ns > 0
        };
        forgotten.set(forgotten.get() + summary.threads.iter().filter(known_and_not).count());
        prop_assert_eq!(summary, expected);
        Ok(())
    });
    assert!(losses.get() > 3_000 && forgotten.get() > 1_000, "{losses:?} losses, {forgotten:?} threads");
}
