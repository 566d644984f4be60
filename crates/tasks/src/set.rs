// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of tasks as its file has it: series of jobs with deadlines, locks, interrupts, constants, and how it is run.
use super::fault::Fault;
use super::span::Span;
use backwall_model::units::near;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Default probability that a window holds more arrivals of a Poisson series than its bound.
const EXCEEDED: f64 = 1e-9;
/// No set has more of anything: a reader of hostile files stops here.
pub const MOST: usize = 10_000;
/// Longest chain.
const CHAIN_MOST: usize = 100;
/// Nothing takes longer: a tenth of the analysis's limit.
pub const LONGEST_NS: u64 = 1 << 56;

/// A set.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Set {
    /// One sentence.
    pub about: String,
    /// Processors it may use; one if absent and no series names another.
    pub processors: Option<u32>,
    /// How long it runs.
    pub duration: Option<Span>,
    /// Handling of a release while the previous job still runs.
    pub overrun: Overrun,
    /// Who carries jobs out.
    pub organisation: Organisation,
    /// Whether the offsets of the series keep: the analysis then takes them, and not the worst ones.
    pub fixed_offsets: bool,
    /// The background loads, as `--load` takes them.
    pub load: Option<String>,
    /// The probability of exceeding the bound on Poisson series, per window.
    pub exceeded: f64,
    /// The series.
    pub series: Vec<Series>,
    /// The locks that sections name.
    pub lock: Vec<Lock>,
    /// Interrupts other than those that release series.
    pub interrupt: Vec<Interrupt>,
    /// Chains of series that pass data on.
    pub chain: Vec<Chain>,
    /// What the system costs, by name.
    pub constants: BTreeMap<String, Span>,
    /// The share of each processor that the set gets; all of it if absent.
    pub reservation: Option<Reservation>,
}

impl Default for Set {
    fn default() -> Self {
        Self {
            about: String::new(),
            processors: None,
            duration: None,
            overrun: Overrun::default(),
            organisation: Organisation::default(),
            fixed_offsets: false,
            load: None,
            exceeded: EXCEEDED,
            series: Vec::new(),
            lock: Vec::new(),
            interrupt: Vec::new(),
            chain: Vec::new(),
            constants: BTreeMap::new(),
            reservation: None,
        }
    }
}

/// Handling of a release while the previous job still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overrun {
    /// It is lost, and counted.
    #[default]
    Skip,
    /// It waits for its turn.
    Queue,
    /// The previous job is abandoned.
    Abort,
}

impl Overrun {
    /// As a file has it.
    pub fn name(self) -> &'static str {
        match self {
            Overrun::Skip => "skip",
            Overrun::Queue => "queue",
            Overrun::Abort => "abort",
        }
    }
}

/// Who carries jobs out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Organisation {
    /// A thread per series, which waits for its own releases.
    #[default]
    ThreadPerSeries,
    /// A thread per series, woken by a generator.
    Pool,
    /// A generator creates a thread for each job.
    ThreadPerEvent,
}

impl Organisation {
    /// As a file has it.
    pub fn name(self) -> &'static str {
        match self {
            Organisation::ThreadPerSeries => "thread-per-series",
            Organisation::Pool => "pool",
            Organisation::ThreadPerEvent => "thread-per-event",
        }
    }
}

/// How a series is scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Fixed priority, SCHED_FIFO.
    #[default]
    Fifo,
    /// Fixed priority, SCHED_RR.
    Rr,
    /// Earliest deadline first, SCHED_DEADLINE.
    Deadline,
}

/// What releases a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleasedBy {
    /// A timer of its processor.
    #[default]
    Timer,
    /// An interrupt.
    Interrupt,
}

/// A stream of jobs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Distance of releases, or the least distance; this or `mean`.
    pub period: Option<Span>,
    /// Mean distance of a Poisson series; this or `period`.
    pub mean: Option<Span>,
    /// Of a Poisson series.
    pub seed: Option<u64>,
    /// Offset of the first release; the analysis takes the worst one, unless offsets are fixed.
    pub offset: Span,
    /// Most from the nominal instant to the arrival.
    pub jitter: Span,
    /// Least distance of arrivals, which jitter alone could make 0.
    pub distance: Span,
    /// Longest computation of a job.
    pub computation: Span,
    /// From the nominal instant; the period if absent.
    pub deadline: Option<Span>,
    /// The larger, the more urgent; not with `policy = "deadline"`.
    pub priority: Option<u32>,
    /// The processor it stays on.
    pub cpu: Option<u32>,
    /// How it is scheduled.
    pub policy: Policy,
    /// Computation the kernel grants each period, SCHED_DEADLINE only; the computation if absent.
    pub runtime: Option<Span>,
    /// What releases it.
    pub released_by: ReleasedBy,
    /// Longest stretch of a job that cannot be preempted.
    pub stretch: Span,
    /// The stretch at its end that cannot be preempted.
    pub last_stretch: Span,
    /// Where it holds locks.
    pub section: Vec<Section>,
}

/// A lock held for a while.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Section {
    /// A name of the list of locks.
    pub lock: String,
    /// From lock to unlock, computing alone.
    pub length: Span,
}

/// A lock's effect on its holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Nothing.
    None,
    /// Priority inheritance.
    #[default]
    Inheritance,
    /// Immediate priority ceiling.
    Ceiling,
}

/// A lock.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Lock {
    /// Its name.
    pub name: String,
    /// Its protocol.
    pub protocol: Protocol,
}

/// An interrupt.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Interrupt {
    /// Its name.
    pub name: String,
    /// All it costs the interrupted thread.
    pub cost: Span,
    /// Least distance of two.
    pub distance: Span,
    /// Its CPU; all if absent.
    pub cpu: Option<u32>,
}

/// Series that pass data on: each reads what the one before wrote last.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// From the stimulus to the output.
    pub series: Vec<String>,
    /// For the longest reaction.
    pub deadline: Option<Span>,
}

/// A share of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Each period gives the budget once, at any time in it.
    pub period: Span,
    /// The time it gives per period.
    pub budget: Span,
}

impl Set {
    /// Faults of a set, whatever its reader.
    pub fn fault(&self) -> Option<Fault> {
        if self.series.is_empty() {
            return Some(Fault::of("series", "missing; add [[series]] with name, period, computation and priority"));
        }
        if let Some(fault) = self.fault_of_size() {
            return Some(fault);
        }
        if !(self.exceeded >= 1e-15 && self.exceeded < 1.0) {
            return Some(Fault::of("exceeded", "expected a probability from 1e-15 to below 1"));
        }
        if self.processors.is_some_and(|count| !(1..=4096).contains(&count)) {
            return Some(Fault::of("processors", "expected 1 to 4096"));
        }
        if self.duration.is_some_and(|duration| duration.0 == 0 || duration.0 > LONGEST_NS) {
            return Some(Fault::of("duration", "expected a time above 0 and below two years"));
        }
        let names = |names: Vec<&str>, of: &str| twice_or_nameless(names, of);
        names(self.series.iter().map(|series| series.name.as_str()).collect(), "series")
            .or_else(|| names(self.lock.iter().map(|lock| lock.name.as_str()).collect(), "lock"))
            .or_else(|| names(self.interrupt.iter().map(|interrupt| interrupt.name.as_str()).collect(), "interrupt"))
            .or_else(|| names(self.chain.iter().map(|chain| chain.name.as_str()).collect(), "chain"))
            .or_else(|| self.series.iter().find_map(|series| self.fault_of(series)))
            .or_else(|| self.chain.iter().find_map(|chain| self.fault_of_chain(chain)))
            .or_else(|| self.fault_of_interrupts())
            .or_else(|| self.fault_of_reservation())
    }

    fn fault_of_size(&self) -> Option<Fault> {
        let sections: usize = self.series.iter().map(|series| series.section.len()).sum();
        if self.series.len().max(self.lock.len()).max(self.interrupt.len()).max(sections).max(self.chain.len()) > MOST {
            return Some(Fault::of(
                "series",
                format!("more than {MOST} series, locks, sections, interrupts or chains"),
            ));
        }
        let named = self.series.iter().filter_map(|series| series.cpu).max();
        let processors = self.processors.or(named).unwrap_or(1);
        (processors as usize * (self.lock.len() + self.interrupt.len()) > 100 * MOST)
            .then(|| Fault::of("processors", "too many series for so many locks and interrupts"))
    }

    fn fault_of(&self, series: &Series) -> Option<Fault> {
        let named = |(name, text): (&str, &str)| Fault::of(format!("series {}: {name}", series.name), text);
        let own = fault_of_times(series).or_else(|| fault_of_arrivals(series)).or_else(|| fault_of_scheduling(series));
        let absent = series.cpu.is_some_and(|cpu| cpu >= self.processors.unwrap_or(4096));
        own.or_else(|| absent.then_some(("cpu", "the set has fewer CPUs")))
            .map(named)
            .or_else(|| self.fault_of_sections(series))
    }

    fn fault_of_sections(&self, series: &Series) -> Option<Fault> {
        let known = || self.lock.iter().map(|lock| lock.name.as_str());
        series.section.iter().find_map(|section| {
            let field = format!("series {}: section: lock {}", series.name, section.lock);
            if !known().any(|name| name == section.lock) {
                let hint = near::hint(&section.lock, known());
                return Some(Fault::of(field, format!("no [[lock]] has this name{hint}")));
            }
            (section.length.0 == 0 || section.length > series.computation)
                .then(|| Fault::of(field, "length: expected a time above 0, at most the computation"))
        })
    }

    fn fault_of_chain(&self, chain: &Chain) -> Option<Fault> {
        let fault = |text: String| Some(Fault::of(format!("chain {}: series", chain.name), text));
        let known = || self.series.iter().map(|series| series.name.as_str());
        let unknown = chain.series.iter().find(|name| !known().any(|known| known == **name));
        if let Some(name) = unknown {
            return fault(format!("no [[series]] has the name {name:?}{}", near::hint(name, known())));
        }
        if !(1..=CHAIN_MOST).contains(&chain.series.len()) {
            return fault(format!("expected 1 to {CHAIN_MOST} names"));
        }
        let twice = chain.series.iter().enumerate().find(|(place, name)| chain.series[..*place].contains(name));
        twice.and_then(|(_, name)| fault(format!("duplicate {name:?}")))
    }

    fn fault_of_interrupts(&self) -> Option<Fault> {
        let bad = |interrupt: &&Interrupt| {
            interrupt.cost.0 == 0 || interrupt.distance.0 == 0 || interrupt.distance.0 > LONGEST_NS
        };
        let found = self.interrupt.iter().find(bad)?;
        Some(Fault::of(format!("interrupt {}", found.name), "expected cost and distance, both above 0"))
    }

    fn fault_of_reservation(&self) -> Option<Fault> {
        let Reservation { period, budget } = self.reservation?;
        (budget.0 == 0 || budget > period || period.0 > LONGEST_NS)
            .then(|| Fault::of("reservation", "expected a budget above 0, at most the period"))
    }
}

fn twice_or_nameless(names: Vec<&str>, of: &str) -> Option<Fault> {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().find_map(|name| match name {
        "" => Some(Fault::of(format!("{of}: name"), "missing")),
        long if long.len() > 200 => Some(Fault::of(format!("{of}: name"), "longer than 200 bytes")),
        name => (!seen.insert(name)).then(|| Fault::of(format!("{of}: name"), format!("duplicate {name:?}"))),
    })
}

type Wrong = (&'static str, &'static str);

fn fault_of_times(series: &Series) -> Option<Wrong> {
    let times = [
        ("period", series.period),
        ("mean", series.mean),
        ("deadline", series.deadline),
        ("runtime", series.runtime),
        ("computation", Some(series.computation)),
    ];
    let wrong = |time: Option<Span>| time.is_some_and(|time| time.0 == 0 || time.0 > LONGEST_NS);
    if let Some((name, _)) = times.into_iter().find(|(_, time)| wrong(*time)) {
        return Some((name, "expected a time above 0 and below two years"));
    }
    if [series.offset, series.jitter, series.distance].iter().any(|time| time.0 > LONGEST_NS) {
        return Some(("offset, jitter, distance", "expected a time below two years"));
    }
    let longer = series.stretch > series.computation || series.last_stretch > series.computation;
    longer.then_some(("stretch", "longer than the computation"))
}

fn fault_of_arrivals(series: &Series) -> Option<Wrong> {
    match (series.period, series.mean) {
        (Some(_), Some(_)) => Some(("mean", "either periodic (period) or Poisson (mean), not both")),
        (None, None) => Some(("period", "missing; or mean, for a Poisson series")),
        (None, Some(_)) if series.deadline.is_none() => Some(("deadline", "a Poisson series needs one")),
        (None, Some(_)) if series.distance.0 > 0 => Some(("distance", "leave it out for a Poisson series")),
        (Some(_), _) if series.seed.is_some() => Some(("seed", "requires a Poisson series")),
        (Some(period), _) if series.distance > period => Some(("distance", "longer than the period")),
        _ => None,
    }
}

fn fault_of_scheduling(series: &Series) -> Option<Wrong> {
    match (series.policy, series.priority) {
        (Policy::Deadline, Some(_)) => Some(("priority", "leave it out with policy = \"deadline\"")),
        (Policy::Fifo | Policy::Rr, None) => Some(("priority", "missing; or policy = \"deadline\"")),
        _ if series.runtime.is_some() && series.policy != Policy::Deadline => {
            Some(("runtime", "requires policy = \"deadline\""))
        }
        _ => None,
    }
}
