// SPDX-License-Identifier: MIT OR Apache-2.0
//! Joins the paths of a chain. An instance is done when all of its paths are done; its hops are those of the path that finished
//! last.
use super::super::instance::{Fate, Instance};
use super::super::spec::{By, Spec};
use std::collections::VecDeque;

/// How often a join waited for one of its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinWait {
    /// Index of the join among the hops, from 0.
    pub place: usize,
    /// The thread's name in the chain.
    pub thread: String,
    /// Number of instances in which this thread finished last.
    pub last_in: u64,
    /// When this thread finished last: the longest time since the first thread of the join finished.
    pub most_ns: u64,
}

#[derive(Clone, Debug)]
struct Open {
    number: u64,
    ended: Vec<Option<(Fate, Instance)>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    // For each path, the threads that it has at the joins.
    names: Vec<Vec<(usize, String)>>,
    open: VecDeque<Open>,
    pub(super) waits: Vec<JoinWait>,
}

impl Joined {
    pub(super) fn new(spec: &Spec, paths: &[Spec]) -> Self {
        let joins: Vec<usize> =
            (0..spec.hops.len()).filter(|place| matches!(spec.hops[*place].by, By::All(_))).collect();
        let of_path = |path: &Spec| joins.iter().map(|place| (*place, path.hops[*place].to_string())).collect();
        Self { names: paths.iter().map(of_path).collect(), ..Self::default() }
    }

    pub(super) fn ends(&mut self, path: usize, fate: Fate, instance: Instance) -> Option<(Fate, Instance)> {
        if self.names.len() == 1 {
            return Some((fate, instance));
        }
        let number = instance.number;
        let place = self.open.partition_point(|open| open.number < number);
        if self.open.get(place).is_none_or(|open| open.number != number) {
            self.open.insert(place, Open { number, ended: vec![None; self.names.len()] });
        }
        self.open[place].ended[path] = Some((fate, instance));
        if self.open[place].ended.iter().any(Option::is_none) {
            return None;
        }
        let ended: Vec<(Fate, Instance)> = self.open.remove(place)?.ended.into_iter().flatten().collect();
        self.whole(ended)
    }

    // An instance counts as missed if one path shows the miss, even if events of another path were lost.
    fn whole(&mut self, mut ended: Vec<(Fate, Instance)>) -> Option<(Fate, Instance)> {
        let missed = ended.iter().position(|(fate, _)| !matches!(fate, Fate::Done | Fate::Unseen));
        if let Some(place) = missed.or_else(|| ended.iter().position(|(fate, _)| *fate == Fate::Unseen)) {
            return Some(ended.swap_remove(place));
        }
        self.count(&ended);
        let arrivals = |instance: &Instance| {
            let visits = instance.visits.iter().rev().map(|visit| visit.arrived_ns);
            std::iter::once(instance.until_ns()).chain(visits).collect::<Vec<u64>>()
        };
        ended.into_iter().max_by_key(|(_, instance)| arrivals(instance))
    }

    fn count(&mut self, ended: &[(Fate, Instance)]) {
        for join in 0..self.names[0].len() {
            let place = self.names[0][join].0;
            let handed = |path: usize| ended[path].1.visits.get(place).map_or(0, |visit| visit.handed_ns);
            let Some(last) = (0..ended.len()).max_by_key(|path| handed(*path)) else { continue };
            let first_ns = (0..ended.len()).map(handed).min().unwrap_or(0);
            let thread = &self.names[last][join].1;
            let known = self.waits.iter().position(|wait| wait.place == place && wait.thread == *thread);
            let at = known.unwrap_or_else(|| {
                self.waits.push(JoinWait { place, thread: thread.clone(), last_in: 0, most_ns: 0 });
                self.waits.len() - 1
            });
            self.waits[at].last_in += 1;
            self.waits[at].most_ns = self.waits[at].most_ns.max(handed(last) - first_ns);
        }
    }
}
