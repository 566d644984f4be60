// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long each interrupt usually takes, so that one which took far longer can be told.
//!
//! In a virtual machine the machine below may stand still at any instant, and the kernel's
//! events then show the pause as time of whatever was at work.
use super::event::Name;
use super::spread::Spread;

/// A stretch so many times the interrupt's own 99 % quantile is not the interrupt's work …
const FAR_ABOVE: u64 = 10;
/// … when it is also longer than this, and when so many were seen.
const AT_LEAST_NS: u64 = 200_000;
const SEEN_AT_LEAST: u64 = 100;

/// Durations of every interrupt, by name.
#[derive(Clone, Debug, Default)]
pub struct Usual(Vec<(Name, Spread)>);

impl Usual {
    /// An interrupt took so long, with what interrupted it.
    #[inline]
    pub fn took(&mut self, name: Name, ns: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, spread)) => spread.record(ns),
            None => {
                let mut spread = Spread::default();
                spread.record(ns);
                self.0.push((name, spread));
            }
        }
    }

    /// The interrupt's 99 % quantile where `ns` is far above it.
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
}
