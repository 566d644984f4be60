// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums up the instances of a chain, in bounded memory.
use super::ages::Ages;
use super::bands::Bands;
use super::instance::{Fate, Instance};
use super::partition::{Part, Step};
use super::spec::Spec;
use crate::blame::Cause;
use crate::blame::told::Naming;
use crate::collection::largest::Largest;
use crate::collection::spread::Spread;
use backwall_model::units::Unit;
use backwall_model::{Blame, CauseTotal, Key, Series, Share, Shares, Span, Stages, Wakers, Worst};
use backwall_stats::series::SeriesBuilder;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// At most this many of the slowest instances are kept with their parts.
pub const WORST_MAX: usize = 100;
const CAUSES_MAX: usize = 4_096;
/// The name of a chain's series in a run.
pub const SERIES: &str = "chain";

/// An instance with its latency divided into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DividedInstance {
    /// The instance that was divided.
    pub instance: Instance,
    /// The instance's parts in time order; they sum to the latency.
    pub parts: Vec<Part>,
}

/// A hop with a cause and a culprit, as the key of a ranking.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Accused {
    /// Number of the hop, from 1; 0 for the time before the first hop.
    pub hop: usize,
    /// What the hop was doing.
    pub step: Step,
    /// The cause, if somebody else used the time.
    pub cause: Option<Cause>,
    /// Who used the time.
    pub culprit: Option<backwall_model::Culprit>,
}

/// What one hop and culprit cost the slow instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Number of instances in which this was the largest part.
    pub largest_in: u64,
    /// Total time of the part in the slow instances.
    pub ns: u64,
}

/// The times of one hop in all completed instances.
#[derive(Clone, Debug, Default)]
pub struct HopTally {
    /// Distribution of the hop's times.
    pub spread: Spread,
    /// Running mean, and running sum for the covariance with the whole latency (Welford).
    mean: f64,
    with_whole: f64,
    /// Sum of the hop's times in slow instances.
    pub slow_ns: u64,
}

/// Totals of all instances of one chain.
#[derive(Clone, Debug)]
pub struct Tally {
    spec: Spec,
    fates: BTreeMap<Fate, u64>,
    latency: SeriesBuilder,
    reaction: SeriesBuilder,
    age: SeriesBuilder,
    /// Reaction time, button-to-action time and age.
    pub ages: Ages,
    /// The time before the first hop, then the time of each hop.
    pub hops: Vec<HopTally>,
    /// The average share of each hop in short and in long latencies.
    pub bands: Bands,
    whole_mean: f64,
    whole_square: f64,
    /// Number of instances that were completed after the deadline.
    pub late: u64,
    /// The slowest instance since the last call of [`Tally::was_told`].
    pub recent: Option<DividedInstance>,
    worst: Largest<WORST_MAX, (u64, Reverse<u64>), DividedInstance>,
    ranking: HashMap<Accused, Total>,
    naming: Naming,
    begin_ns: Option<u64>,
    last_ns: u64,
    started: u64,
    /// Number of instances whose parts do not sum to their latency. Anything but 0 is a bug.
    pub unequal: u64,
}

impl Tally {
    /// A tally without instances.
    pub fn new(spec: &Spec) -> Self {
        let builder = |what: &str, from: &str, to: &str| {
            let mut key = Key::new(SERIES, backwall_model::AS_FOUND, backwall_model::IDLE_AS_IS);
            key.name = what.to_string();
            key.variant.insert("name".to_string(), spec.name.clone());
            SeriesBuilder::new(key, Span::new(from, to, Unit::Ns))
        };
        let (from, to) = (spec.from(), spec.to());
        Self {
            spec: spec.clone(),
            fates: BTreeMap::new(),
            latency: builder(SERIES, &from, &to),
            reaction: builder("reaction", &from, &to),
            age: builder("age", &from, &to),
            ages: Ages::default(),
            hops: vec![HopTally::default(); spec.hops.len() + 1],
            bands: Bands::default(),
            whole_mean: 0.0,
            whole_square: 0.0,
            late: 0,
            recent: None,
            worst: Largest::default(),
            ranking: HashMap::new(),
            naming: Naming::default(),
            begin_ns: None,
            last_ns: 0,
            started: 0,
            unequal: 0,
        }
    }

    /// Adds a start.
    pub fn start(&mut self, number: u64, at_ns: u64) {
        self.begin_ns.get_or_insert(at_ns);
        self.last_ns = self.last_ns.max(at_ns);
        self.started += 1;
        self.ages.start(number, at_ns);
    }

    /// The time of the last start, and the mean time between starts; `None` with fewer than 20 starts.
    pub fn starts(&self) -> Option<(u64, u64)> {
        let span_ns = self.last_ns - self.begin_ns?;
        (self.started >= 20).then(|| (self.last_ns, span_ns / (self.started - 1)))
    }

    /// Adds starts that were due but never came.
    pub fn no_start(&mut self, at_ns: u64, count: u64) {
        *self.fates.entry(Fate::NoStart).or_default() += count;
        let at = self.since_begin(at_ns);
        self.latency.missed(at, count);
    }

    /// Events were lost.
    pub fn gap(&mut self) {
        self.ages.gap();
    }

    /// When the first instance started.
    pub fn begin_ns(&self) -> Option<u64> {
        self.begin_ns
    }

    fn since_begin(&self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.begin_ns.unwrap_or(at_ns))
    }

    /// Whether the parts of this completed instance are needed: it is late, or among the slowest.
    pub fn wants(&self, instance: &Instance) -> bool {
        self.is_late(instance) || self.worst.admits(&worst_key(instance)) || self.is_slowest_of_recent(instance)
    }

    fn is_slowest_of_recent(&self, instance: &Instance) -> bool {
        self.recent.as_ref().is_none_or(|recent| worst_key(&recent.instance) < worst_key(instance))
    }

    /// Forgets the slowest instance, because it has been reported.
    pub fn was_told(&mut self) {
        self.recent = None;
    }

    /// Takes over the slowest instance of an earlier report that nobody has read.
    pub fn was_slow(&mut self, other: Option<&DividedInstance>) {
        if let Some(other) = other.filter(|other| self.is_slowest_of_recent(&other.instance)) {
            self.recent = Some(other.clone());
        }
    }

    fn is_late(&self, instance: &Instance) -> bool {
        self.spec.deadline_ns.is_some_and(|deadline_ns| instance.latency_ns() > deadline_ns)
    }

    /// Adds an instance that did not complete.
    pub fn missed(&mut self, instance: &Instance, fate: Fate) {
        *self.fates.entry(fate).or_default() += 1;
        let at = self.since_begin(instance.start_ns);
        if fate == Fate::Unseen { self.latency.unseen(at, 1) } else { self.latency.missed(at, 1) }
    }

    /// Adds a completed instance, with its parts if [`Tally::wants`] asked for them.
    pub fn done(&mut self, instance: Instance, parts: Option<Vec<Part>>) {
        *self.fates.entry(Fate::Done).or_default() += 1;
        let (ns, late) = (instance.latency_ns(), self.is_late(&instance));
        self.late += u64::from(late);
        self.latency.sample(instance.number, self.since_begin(instance.start_ns), ns, late);
        self.adds_to_hops(&instance, ns);
        self.bands.add(&instance);
        if let Some(told) = self.ages.output(instance.number, instance.start_ns, instance.until_ns()) {
            for (number, start_ns, reaction_ns) in told.reactions {
                self.reaction.sample(number, self.since_begin(start_ns), reaction_ns, false);
            }
            self.age.sample(instance.number, self.since_begin(instance.until_ns()), told.age_ns, false);
        }
        let Some(parts) = parts else { return };
        self.unequal += u64::from(parts.iter().map(Part::ns).sum::<u64>() != ns);
        debug_assert_eq!(parts.iter().map(Part::ns).sum::<u64>(), ns, "{instance:?} {parts:?}");
        if late {
            self.rank(&parts);
            instance.parts_ns().zip(&mut self.hops).for_each(|(ns, hop)| hop.slow_ns += ns);
        }
        let key = worst_key(&instance);
        let divided = DividedInstance { instance, parts };
        if self.is_slowest_of_recent(&divided.instance) {
            self.recent = Some(divided.clone());
        }
        if self.worst.admits(&key) {
            self.worst.push(key, divided);
        }
    }

    /// Updates each hop's mean and its covariance with the whole latency by one instance (Welford 1962).
    fn adds_to_hops(&mut self, instance: &Instance, whole_ns: u64) {
        let count = self.count(Fate::Done) as f64;
        let whole = whole_ns as f64;
        let from_mean = whole - self.whole_mean;
        self.whole_mean += from_mean / count;
        self.whole_square += from_mean * (whole - self.whole_mean);
        for (hop, ns) in self.hops.iter_mut().zip(instance.parts_ns()) {
            hop.spread.record(ns);
            let own = ns as f64 - hop.mean;
            hop.mean += own / count;
            hop.with_whole += own * (whole - self.whole_mean);
        }
    }

    fn rank(&mut self, parts: &[Part]) {
        add_ranked(&mut self.ranking, &self.naming, parts);
    }

    /// Number of instances with this fate.
    pub fn count(&self, fate: Fate) -> u64 {
        self.fates.get(&fate).copied().unwrap_or(0)
    }

    /// All instances that were due.
    pub fn due(&self) -> u64 {
        self.fates.values().sum()
    }

    /// Number of instances with a fate that counts as missed.
    pub fn missed_count(&self) -> u64 {
        Fate::MISSED.iter().map(|fate| self.count(*fate)).sum()
    }

    /// How much of the variance of the latency this hop explains; `None` if the latency never varies.
    pub fn variance_share(&self, hop: usize) -> Option<f64> {
        (self.whole_square > 0.0).then(|| self.hops[hop].with_whole / self.whole_square)
    }

    /// The slowest instances, slowest first.
    pub fn worst(&self) -> impl Iterator<Item = &DividedInstance> {
        self.worst.values()
    }

    /// Number of slow instances to rank: those after the deadline. Without a deadline the slowest 1 %, at least 1, at most 100.
    pub fn slow(&self) -> u64 {
        match self.spec.deadline_ns {
            Some(_) => self.late,
            None => (self.count(Fate::Done) / 100).clamp(1, WORST_MAX as u64).min(self.count(Fate::Done)),
        }
    }

    /// Hops and culprits of the slow instances. First comes what was most often the largest part.
    pub fn ranked(&self) -> Vec<(Accused, Total)> {
        let mut ranking = self.ranking.clone();
        if self.spec.deadline_ns.is_none() {
            self.worst().take(self.slow() as usize).for_each(|one| add_ranked(&mut ranking, &self.naming, &one.parts));
        }
        let mut all: Vec<_> = ranking.into_iter().collect();
        all.sort_by(|(one, a), (other, b)| {
            (Reverse(a.largest_in), Reverse(a.ns), one).cmp(&(Reverse(b.largest_in), Reverse(b.ns), other))
        });
        all
    }

    /// This hop's share of the time of the slow instances.
    pub fn slow_share(&self, hop: usize) -> Option<f64> {
        let of_each: Vec<u64> = match self.spec.deadline_ns {
            Some(_) => self.hops.iter().map(|hop| hop.slow_ns).collect(),
            None => {
                let mut sums = vec![0; self.hops.len()];
                for one in self.worst().take(self.slow() as usize) {
                    one.instance.parts_ns().zip(&mut sums).for_each(|(ns, sum)| *sum += ns);
                }
                sums
            }
        };
        let all: u64 = of_each.iter().sum();
        (all > 0).then(|| of_each[hop] as f64 / all as f64)
    }

    /// The latency as a series of a run; contains every instance.
    pub fn series(&self) -> Series {
        let mut series = self.latency.build();
        for worst in &mut series.worst {
            let divided = self.worst().find(|divided| divided.instance.number == worst.seq);
            worst.blame = divided.map(|divided| self.blame(&divided.parts));
        }
        series
    }

    /// The keys of the chain's series: latency, reaction time, age.
    pub fn keys(&self) -> Vec<Key> {
        [&self.latency, &self.reaction, &self.age].map(|one| one.key().clone()).to_vec()
    }

    /// The hops as stages of the latency, with the slowest instances and their causes. `None` if no instance completed.
    pub fn stages(&self, events_lost: u64) -> Option<Stages> {
        let first = self.worst().next()?;
        let names = std::iter::once(self.spec.start.to_string()).chain(self.spec.hops.iter().map(ToString::to_string));
        let rank = |total: &(Accused, Total)| Reverse(total.1.ns);
        let mut ranked = self.ranked();
        ranked.sort_by_key(rank);
        let worst = self.worst().map(|one| Worst {
            seq: one.instance.number,
            at: Some(self.since_begin(one.instance.start_ns)),
            value: one.instance.latency_ns(),
            blame: Some(self.blame(&one.parts)),
        });
        Some(Stages {
            key: self.latency.key().clone(),
            matched: self.count(Fate::Done),
            inferred: 0,
            unmatched: self.missed_count() + self.count(Fate::Unseen),
            events_lost,
            tracing_cost: None,
            parts: names.zip(&self.hops).map(|(name, hop)| hop.spread.row(&name)).collect(),
            of_worst: first.instance.parts_ns().collect(),
            worst: worst.collect(),
            blamed: self.slow(),
            causes: totals(&ranked),
        })
    }

    /// Sums the parts by cause and culprit, as a run stores them. A wait for another thread is unexplained there.
    fn blame(&self, parts: &[Part]) -> Blame {
        let mut sums: BTreeMap<(Cause, Option<backwall_model::Culprit>), u64> = BTreeMap::new();
        for part in parts {
            let cause = part.cause.unwrap_or(Cause::Unexplained);
            let culprit = part.cause.and(part.culprit).map(|culprit| self.naming.culprit(culprit));
            *sums.entry((cause, culprit)).or_default() += part.ns();
        }
        let mut shares: Vec<Share> =
            sums.into_iter().map(|((cause, culprit), ns)| Share { cause, culprit, ns }).collect();
        shares.sort_by_key(|share| Reverse(share.ns));
        Blame::Shares { shares: Shares::of(shares).unwrap_or_else(Shares::of_no_time), wakers: Wakers::default() }
    }

    /// Reaction time and age as series; one without samples is left out.
    pub fn others(&self) -> Vec<Series> {
        [&self.reaction, &self.age].into_iter().filter(|one| one.done() > 0).map(SeriesBuilder::build).collect()
    }
}

fn totals(ranked: &[(Accused, Total)]) -> Vec<CauseTotal> {
    let mut all: Vec<CauseTotal> = Vec::new();
    for (accused, total) in ranked {
        let cause = accused.cause.unwrap_or(Cause::Unexplained);
        let culprit = accused.cause.and(accused.culprit.clone());
        let accused = backwall_model::Accusation { cause, culprit };
        match all.iter_mut().find(|known| known.accused == accused) {
            Some(known) => {
                known.ns += total.ns;
                known.largest_in += total.largest_in;
            }
            None => all.push(CauseTotal {
                accused,
                ns: total.ns,
                largest_in: total.largest_in,
                part_of: None,
                longest_ns: None,
            }),
        }
    }
    all
}

fn add_ranked(ranking: &mut HashMap<Accused, Total>, naming: &Naming, parts: &[Part]) {
    let mut sums: BTreeMap<Accused, u64> = BTreeMap::new();
    for part in parts {
        let culprit = part.culprit.map(|culprit| naming.culprit(culprit));
        let accused = Accused { hop: part.hop, step: part.step, cause: part.cause, culprit };
        *sums.entry(accused).or_default() += part.ns();
    }
    let largest =
        sums.iter().max_by_key(|(accused, ns)| (**ns, Reverse((*accused).clone()))).map(|(one, _)| one.clone());
    for (accused, ns) in sums {
        if ranking.len() < CAUSES_MAX || ranking.contains_key(&accused) {
            let is_largest = Some(&accused) == largest.as_ref();
            let total = ranking.entry(accused).or_default();
            total.ns += ns;
            total.largest_in += u64::from(is_largest);
        }
    }
}

fn worst_key(instance: &Instance) -> (u64, Reverse<u64>) {
    (instance.latency_ns(), Reverse(instance.number))
}
