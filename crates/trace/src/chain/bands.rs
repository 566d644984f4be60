// SPDX-License-Identifier: MIT OR Apache-2.0
//! The average share of each hop in short and in long latencies.
use super::instance::Instance;
use std::collections::BTreeMap;

/// The instances whose latency is in one class. Four classes span a factor of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Band {
    /// The largest latency in this class, plus one.
    pub to_ns: u64,
    /// Number of instances.
    pub count: u64,
    /// Sum of the time before the first hop, then of the time in each hop.
    pub parts_ns: Vec<u64>,
}

/// The classes that have an instance, by their smallest latency; at most 256.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bands(pub BTreeMap<u64, Band>);

impl Bands {
    /// Adds a completed instance.
    pub fn add(&mut self, instance: &Instance) {
        let ns = instance.latency_ns();
        let shift = ns.max(1).ilog2().saturating_sub(2);
        let from_ns = ns >> shift << shift;
        let band = self.0.entry(from_ns).or_default();
        band.to_ns = from_ns.saturating_add(1 << shift);
        band.count += 1;
        band.parts_ns.resize(band.parts_ns.len().max(instance.visits.len() + 1), 0);
        for (sum, ns) in band.parts_ns.iter_mut().zip(instance.parts_ns()) {
            *sum = sum.saturating_add(ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::{How, Origin, Visit};
    use super::*;
    use proptest::prelude::*;

    fn instance(first_ns: u64, ns: u64) -> Instance {
        let how = How::Woken;
        let visit = Visit { thread: 7, how, arrived_ns: first_ns, taken_ns: first_ns, handed_ns: ns };
        Instance { number: 0, start_ns: 0, origin: Origin::default(), visits: vec![visit] }
    }

    #[test]
    fn a_class_sums_the_hops_of_its_instances() {
        let mut bands = Bands::default();
        [(10, 1_000), (20, 1_020), (5, 1_024)].iter().for_each(|(first, ns)| bands.add(&instance(*first, *ns)));
        let all: Vec<_> = bands.0.into_iter().collect();
        assert_eq!(all[0], (896, Band { to_ns: 1_024, count: 2, parts_ns: vec![30, 1_990] }));
        assert_eq!((all[1].0, all[1].1.to_ns, all.len()), (1_024, 1_280, 2));
    }

    proptest! {
        #[test]
        fn every_latency_is_in_its_class_and_classes_are_few(all in proptest::collection::vec(any::<u64>(), 1..200)) {
            let mut bands = Bands::default();
            for ns in &all {
                bands.add(&instance(ns / 2, *ns));
                prop_assert!(bands.0.iter().any(|(from, band)| (*from..=band.to_ns).contains(ns)));
            }
            prop_assert_eq!(bands.0.values().map(|band| band.count).sum::<u64>(), all.len() as u64);
            prop_assert!(bands.0.len() <= 256);
        }
    }
}
