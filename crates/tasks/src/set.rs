// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task set as in its file: series of jobs with deadlines, locks, interrupts, constants, and how to run it.
use super::fault::Fault;
use super::span::Span;
use backwall_model::units::near;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Default probability that a window contains more arrivals of a Poisson series than assumed.
const EXCEEDED: f64 = 1e-9;
/// Maximum number of elements of each kind, as a limit for hostile files.
pub const MOST: usize = 10_000;
/// Longest chain.
const CHAIN_MOST: usize = 100;
/// Longest time in a set: a sixteenth of the analysis's limit.
pub const LONGEST_NS: u64 = 1 << 56;

/// A set.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Set {
    /// What the set is for, in one sentence.
    pub about: String,
    /// Number of CPUs that the set may use. Default: one, or as many as the series name.
    pub processors: Option<u32>,
    /// How long the set runs.
    pub duration: Option<Span>,
    /// What happens to a release while the previous job still runs.
    pub overrun: Overrun,
    /// Which threads run the jobs.
    pub organisation: Organisation,
    /// Whether the offsets of the series are fixed. If so, the analysis uses them; otherwise it assumes the worst ones.
    pub fixed_offsets: bool,
    /// The background loads, in the format of `--load`.
    pub load: Option<String>,
    /// Probability, per window, that a Poisson series has more arrivals than assumed.
    pub exceeded: f64,
    /// The series.
    pub series: Vec<Series>,
    /// The locks that the sections use.
    pub lock: Vec<Lock>,
    /// Interrupts other than those that release series.
    pub interrupt: Vec<Interrupt>,
    /// Chains of series that pass data from one to the next.
    pub chain: Vec<Chain>,
    /// Costs of the system, by name.
    pub constants: BTreeMap<String, Span>,
    /// The share of each CPU that the set gets; `None`: all of it.
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

/// What happens to a release while the previous job still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overrun {
    /// The release is skipped and counted.
    #[default]
    Skip,
    /// The release waits until the previous job ends.
    Queue,
    /// The previous job is aborted.
    Abort,
}

impl Overrun {
    /// The name in a task file.
    pub fn name(self) -> &'static str {
        match self {
            Overrun::Skip => "skip",
            Overrun::Queue => "queue",
            Overrun::Abort => "abort",
        }
    }
}

/// Which threads run the jobs.
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
    /// The name in a task file.
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
    /// A timer on the CPU of the series.
    #[default]
    Timer,
    /// An interrupt.
    Interrupt,
}

/// A stream of jobs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// Time between releases, or the shortest time between them. Give this or `mean`.
    pub period: Option<Span>,
    /// Mean time between the releases of a Poisson series. Give this or `period`.
    pub mean: Option<Span>,
    /// Seed of a Poisson series.
    pub seed: Option<u64>,
    /// Time of the first release. The analysis assumes the worst one, unless offsets are fixed.
    pub offset: Span,
    /// Longest time from a nominal release to its arrival.
    pub jitter: Span,
    /// Shortest time between two arrivals; jitter alone could reduce it to 0.
    pub distance: Span,
    /// Longest computation of a job.
    pub computation: Span,
    /// Deadline, counted from the nominal release; the period if absent.
    pub deadline: Option<Span>,
    /// A larger number is a higher priority. Leave it out with `policy = "deadline"`.
    pub priority: Option<u32>,
    /// The CPU that the series runs on.
    pub cpu: Option<u32>,
    /// How the series is scheduled.
    pub policy: Policy,
    /// Runtime that the kernel grants per period, for SCHED_DEADLINE only; the computation time if absent.
    pub runtime: Option<Span>,
    /// What releases the jobs of the series.
    pub released_by: ReleasedBy,
    /// Longest non-preemptible stretch of a job.
    pub stretch: Span,
    /// The non-preemptible stretch at the end of a job.
    pub last_stretch: Span,
    /// Sections in which a job of the series holds a lock.
    pub section: Vec<Section>,
}

/// A section in which a job holds a lock.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Section {
    /// Name of a lock in the list of locks.
    pub lock: String,
    /// Time from lock to unlock, without interruption.
    pub length: Span,
}

/// How a lock prevents priority inversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// No protocol: a lock without inheritance and ceiling.
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
    /// Name of the lock.
    pub name: String,
    /// The lock's protocol against priority inversion.
    pub protocol: Protocol,
}

/// An interrupt.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Interrupt {
    /// Name of the interrupt.
    pub name: String,
    /// All the time that the interrupted thread loses.
    pub cost: Span,
    /// Shortest time between two of these interrupts.
    pub distance: Span,
    /// The CPU that handles the interrupt; all CPUs if absent.
    pub cpu: Option<u32>,
}

/// Series that pass data on: each reads what the previous one wrote last.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Chain {
    /// Name of the chain.
    pub name: String,
    /// Names of the series, from the stimulus to the output.
    pub series: Vec<String>,
    /// Deadline of the longest reaction.
    pub deadline: Option<Span>,
}

/// A share of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Each period provides the budget once, at any time within it.
    pub period: Span,
    /// Time provided per period.
    pub budget: Span,
}

impl Set {
    /// The first error in a set, whatever its file format.
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
            .then(|| Fault::of("processors", "too many CPUs for this number of locks and interrupts"))
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
        (None, None) => Some(("period", "missing; a Poisson series has mean instead")),
        (None, Some(_)) if series.deadline.is_none() => Some(("deadline", "missing; a Poisson series needs one")),
        (None, Some(_)) if series.distance.0 > 0 => Some(("distance", "leave it out for a Poisson series")),
        (Some(_), _) if series.seed.is_some() => Some(("seed", "requires a Poisson series")),
        (Some(period), _) if series.distance > period => Some(("distance", "longer than the period")),
        _ => None,
    }
}

fn fault_of_scheduling(series: &Series) -> Option<Wrong> {
    match (series.policy, series.priority) {
        (Policy::Deadline, Some(_)) => Some(("priority", "leave it out with policy = \"deadline\"")),
        (Policy::Fifo | Policy::Rr, None) => Some(("priority", "missing; add it, or policy = \"deadline\"")),
        _ if series.runtime.is_some() && series.policy != Policy::Deadline => {
            Some(("runtime", "requires policy = \"deadline\""))
        }
        _ => None,
    }
}
