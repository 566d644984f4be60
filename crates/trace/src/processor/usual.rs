// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long each interrupt usually takes, to notice one that took far longer.
//!
//! The hypervisor may stop a virtual machine at any instant. The guest's events then show that pause as time of whatever was
//! running.
use crate::collection::spread::Spread;
use crate::event::{Event, Name, Section, Stamped};
use crate::processor::Processor;

/// An interrupt that took this many times its own 99th percentile, and at least `AT_LEAST_NS`, cannot have worked all that time.
const FAR_ABOVE: u64 = 10;
/// A shorter interrupt is not reported. Nor is one whose percentile is from fewer than `SEEN_AT_LEAST` samples.
const AT_LEAST_NS: u64 = 200_000;
const SEEN_AT_LEAST: u64 = 100;

/// At most this many interrupts are counted separately, with 256 KiB each. No CPU has more; others have no usual duration.
const NAMES_MAX: usize = 256;

#[derive(Clone, Debug, Default)]
pub struct Usual(Vec<(Name, Spread)>);

impl Usual {
    /// Takes the next event, before `processor` takes it.
    #[inline(always)]
    pub fn push(&mut self, stamped: &Stamped, processor: &Processor) {
        if !matches!(stamped.event, Event::Leave(Section::Interrupt(_))) {
            return;
        }
        // An interrupt that began on another thread's time has ended without a record.
        let open = processor.interrupt().filter(|_| processor.runs(stamped.thread));
        if let Some((Section::Interrupt(name), since_ns)) = open.map(|open| (open.section, open.since_ns)) {
            self.took(name, stamped.at_ns.saturating_sub(since_ns));
        }
    }

    #[inline]
    fn took(&mut self, name: Name, ns: u64) {
        if let Some((_, spread)) = self.0.iter_mut().find(|(known, _)| *known == name) {
            return spread.record(ns);
        }
        if self.0.len() < NAMES_MAX {
            let mut spread = Spread::default();
            spread.record(ns);
            self.0.push((name, spread));
        }
    }

    /// The interrupt's 99th percentile, if `ns` is far above it.
    pub fn far_above(&self, name: Name, ns: u64) -> Option<u64> {
        let (_, spread) = self.0.iter().find(|(known, _)| *known == name)?;
        let enough = spread.count() >= SEEN_AT_LEAST && ns >= AT_LEAST_NS;
        let p99 = enough.then(|| spread.quantile(0.99))?;
        (ns >= p99.saturating_mul(FAR_ABOVE)).then_some(p99)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_far_above_its_own_p99_is_told_and_one_that_is_always_long_is_not() {
        let (timer, disk) = (Name::new(b"local_timer"), Name::new(b"disk"));
        let mut usual = Usual::default();
        (0..1_000).for_each(|_| usual.took(timer, 9_000));
        usual.took(timer, 4_800_000);
        (0..1_000).for_each(|_| usual.took(disk, 4_000_000));
        let p99 = usual.far_above(timer, 4_800_000).unwrap();
        assert!((8_990..=9_000).contains(&p99), "{p99}");
        assert_eq!(usual.far_above(timer, 150_000), None);
        assert_eq!(usual.far_above(disk, 4_800_000), None);
        assert_eq!(usual.far_above(Name::new(b"never seen"), 4_800_000), None);
    }

    #[test]
    fn made_up_names_take_bounded_memory() {
        let mut usual = Usual::default();
        (0..10_000u32).for_each(|line| usual.took(Name::new(line.to_string().as_bytes()), 1_000));
        assert_eq!(usual.0.len(), NAMES_MAX);
    }

    #[test]
    fn an_interrupt_takes_from_its_entry_to_its_exit_on_the_time_of_one_thread() {
        let timer = Section::Interrupt(Name::new(b"local_timer"));
        let at = |at_ns, thread, event| Stamped { at_ns, thread, in_thread: true, to_switch: false, event };
        let (mut usual, mut processor) = (Usual::default(), Processor::default());
        for (at_ns, thread, event) in [
            (1_000, 7, Event::Enter(timer)),
            (1_400, 7, Event::Leave(timer)),
            (2_000, 7, Event::Enter(timer)),
            (9_000, 8, Event::Leave(timer)),
        ] {
            let stamped = at(at_ns, thread, event);
            usual.push(&stamped, &processor);
            processor.push(&stamped);
        }
        let [(name, spread)] = &usual.0[..] else { panic!("{usual:?}") };
        assert_eq!((*name, spread.count(), spread.quantile(1.0)), (Name::new(b"local_timer"), 1, 400));
    }
}
