// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides the time of jobs that missed their deadlines among the threads and interrupts that used it. That time lasts from the
//! nominal release to the end of the job.
//!
//! A job is released, gets its CPU, computes, and may leave the CPU to wait for a lock. Each of these parts is divided like any
//! response; together they are as long as the job, to the nanosecond.
use super::locks;
use super::losses::Losses;
use super::past::{Past, Woken};
use super::ranking::Ranking;
use super::timers::Timers;
use crate::account::analysis::Listener;
use crate::blame::explain::divide;
use crate::blame::told::Naming;
use crate::blame::window::{Absence, Window};
use crate::blame::{Blame, Cause, Culprit, More, Share};
use crate::collection::largest::Largest;
use crate::event::{Event, Section, Stamped, Thread};
use crate::processor::{Holder, Processor, Stretch};
use crate::thread::holds::{Holds, LetGo};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};

const KEPT: usize = 20;

/// A series of jobs, all on one CPU.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// CPU of the series.
    pub cpu: u32,
    /// Thread of the series; `None`: each job has its own.
    pub thread: Option<i32>,
}

/// A job; instants are on the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Index of the job's series.
    pub series: usize,
    /// The job's number in its series.
    pub seq: u64,
    /// The instant from which the job's deadline counts.
    pub nominal_at: u64,
    /// Planned start; never before `nominal_at`.
    pub arrival_at: u64,
    /// When the job's first instruction ran; unknown for an aborted job.
    pub start_at: Option<u64>,
    /// When the job ended or was aborted; not before its arrival.
    pub end_at: u64,
    /// When the series' thread finished its previous job; 0 without one.
    pub busy_until: u64,
    /// Whether to divide the job's time. The other jobs only show which thread runs the series.
    pub missed: bool,
}

/// A job with its time divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// Number of the job.
    pub seq: u64,
    /// The instant from which its deadline counts, on the trace's clock.
    pub nominal_at: u64,
    /// Time from that instant to the end of the job.
    pub total_ns: u64,
    /// Who used that time; the shares sum to it. Threads of the set's series have numbers below 0.
    pub blame: Blame,
    /// The blame in the form in which a run stores it.
    pub told: backwall_model::Blame,
}

/// The jobs of a series that missed their deadlines.
#[derive(Clone, Debug, Default)]
pub struct MissedSeries {
    /// Number of jobs whose time was divided.
    pub divided: u64,
    /// Number of jobs whose end or thread the recording does not show.
    pub unseen: u64,
    /// The causes of all divided jobs.
    pub ranking: Ranking,
    longest: Largest<KEPT, (u64, Reverse<u64>), Divided>,
}

impl MissedSeries {
    /// The longest jobs that were kept, longest first.
    pub fn longest(&self) -> impl Iterator<Item = &Divided> {
        self.longest.values()
    }

    fn take(&mut self, job: &Job, blame: Blame, naming: &Naming) {
        self.divided += 1;
        self.ranking.add(&blame);
        let total_ns = blame.total();
        let key = (total_ns, Reverse(job.seq));
        if self.longest.admits(&key) {
            let told = naming.clone().numbered().blame(&blame);
            self.longest.push(key, Divided { seq: job.seq, nominal_at: job.nominal_at, total_ns, blame, told });
        }
    }
}

/// Finds the missed jobs of a set in a recording.
#[derive(Clone, Debug)]
pub struct MissedJobFinder {
    series: Vec<Series>,
    jobs: BTreeMap<u32, VecDeque<Job>>,
    pasts: BTreeMap<u32, Past>,
    losses: Losses,
    timers: Timers,
    holds: Holds,
    /// The series of each thread, and the thread with its name from the latest switch.
    threads: Threads,
    naming: Naming,
    found: Vec<MissedSeries>,
}

impl MissedJobFinder {
    /// `jobs` may be in any order.
    pub fn new(series: Vec<Series>, mut jobs: Vec<Job>) -> Self {
        jobs.sort_by_key(|job| (job.end_at, job.nominal_at, job.series));
        let mut by_cpu: BTreeMap<u32, VecDeque<Job>> = BTreeMap::new();
        for job in jobs {
            by_cpu.entry(series[job.series].cpu).or_default().push_back(job);
        }
        let numbered = |(place, series): (usize, &Series)| Some((series.thread?, (place, None)));
        let threads = series.iter().enumerate().filter_map(numbered).collect();
        let names = series.iter().enumerate().map(|(place, series)| (number(place), series.name.clone()));
        let naming = Naming::of_series(names);
        let found =
            series.iter().map(|_| MissedSeries { ranking: Ranking::naming(naming.clone()), ..MissedSeries::default() });
        let found = found.collect();
        let (pasts, losses) = (BTreeMap::new(), Losses::default());
        let (timers, holds) = (Timers::default(), Holds::default());
        Self { series, jobs: by_cpu, pasts, losses, timers, holds, threads, naming, found }
    }

    /// Adds names for threads that no switch names.
    pub fn naming(mut self, threads: Vec<Thread>) -> Self {
        threads.into_iter().for_each(|thread| self.holds.name(thread));
        self
    }

    /// The results of each series; jobs that end after the recording are unseen.
    pub fn finish(mut self) -> Vec<MissedSeries> {
        for job in self.jobs.into_values().flatten().filter(|job| job.missed) {
            self.found[job.series].unseen += 1;
        }
        self.found
    }

    fn until(&mut self, at_ns: u64, cpu: u32, processor: &Processor) {
        let ended = |jobs: &mut VecDeque<Job>| match jobs.front() {
            Some(job) if job.end_at < at_ns => jobs.pop_front(),
            _ => None,
        };
        while let Some(job) = self.jobs.get_mut(&cpu).and_then(ended) {
            let thread = self.thread_of(&job, processor);
            match (thread, job.missed) {
                (Some(thread), true) => self.divide(&job, thread, cpu, processor),
                (None, true) => self.found[job.series].unseen += 1,
                (_, false) => {}
            }
        }
    }

    /// The thread that ran a job: the series' thread, or the thread on the CPU at the job's end. `None` if the recording lacks
    /// that thread, or shows another thread on the CPU at the job's end: the numbers may be from another PID namespace.
    fn thread_of(&mut self, job: &Job, processor: &Processor) -> Option<Thread> {
        let last = || processor.window(job.end_at.saturating_sub(1), job.end_at).pop()?.thread;
        let at_end = if job.start_at.is_some() { last() } else { None };
        if let Some(id) = self.series[job.series].thread {
            let (_, named) = self.threads.get(&id)?;
            return named.filter(|_| at_end.is_none_or(|thread| thread.id == id));
        }
        let thread = at_end.filter(|thread| thread.id != 0)?;
        self.threads.insert(thread.id, (job.series, Some(thread)));
        Some(thread)
    }

    fn divide(&mut self, job: &Job, thread: Thread, cpu: u32, processor: &Processor) {
        self.pasts.entry(cpu).or_default();
        let known = ThreadSightings { cpu, pasts: &self.pasts, holds: &self.holds, threads: &self.threads };
        let blame = divided(job, thread, &known, processor);
        let blame = by_series(blame, &self.threads);
        self.found[job.series].take(job, blame, &self.naming);
    }

    /// The loss of a CPU's events begins or ends.
    fn loses(&mut self, cpu: u32, begins: bool) {
        self.losses.add(cpu, begins);
        self.timers.gap(self.losses.is_dark());
        self.holds.forget();
        self.pasts.entry(cpu).or_default().forget();
    }

    fn name(&mut self, thread: Thread) {
        self.threads.get_mut(&thread.id).into_iter().for_each(|(_, named)| *named = Some(thread));
    }
}

impl Listener for MissedJobFinder {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.until(stamped.at_ns, cpu, processor);
        let at_ns = stamped.at_ns;
        match stamped.event {
            Event::Waking { thread } => {
                let by = Some(stamped.thread).filter(|by| stamped.in_thread && ![0, thread].contains(by));
                let fired = self.timers.of(cpu, thread).copied();
                self.pasts.entry(cpu).or_default().wakes(Woken { at_ns, thread, by, fired });
            }
            Event::Switch { from, preempted, to } => {
                self.name(from);
                self.name(to);
                if !preempted {
                    self.pasts.entry(cpu).or_default().leaves(at_ns, from.id);
                }
            }
            Event::Enter(Section::Interrupt(name)) => self.pasts.entry(cpu).or_default().interrupted(at_ns, name),
            Event::Signalled { .. } | Event::Freezes { .. } => {
                processor.thread().into_iter().for_each(|thread| self.holds.name(thread));
                self.holds.push(stamped);
            }
            _ => {}
        }
        if let Some(fired) = self.timers.push(cpu, stamped, processor) {
            self.pasts.entry(cpu).or_default().unanswered(&fired);
        }
    }

    fn gap_begins(&mut self, cpu: u32, _: u64) {
        self.loses(cpu, true);
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.loses(cpu, false);
    }
}

type Threads = HashMap<i32, (usize, Option<Thread>)>;

struct ThreadSightings<'a> {
    cpu: u32,
    pasts: &'a BTreeMap<u32, Past>,
    holds: &'a Holds,
    threads: &'a Threads,
}

impl ThreadSightings<'_> {
    fn past(&self) -> &Past {
        &self.pasts[&self.cpu]
    }

    /// The thread's first wakeup from `from_ns` to `to_ns`, on any CPU.
    fn woken(&self, thread: i32, from_ns: u64, to_ns: u64) -> Option<&Woken> {
        let firsts = self.pasts.values().filter_map(|past| past.woken(thread, from_ns, to_ns));
        firsts.min_by_key(|woken| woken.at_ns)
    }

    /// The thread that resumed this one, if this one was due at `from_ns` but a signal or its control group held it.
    fn let_go(&self, woken: &Woken, from_ns: u64) -> Option<LetGo> {
        let let_go = self.holds.let_go(woken.by?, woken.at_ns);
        let slept_on = || self.pasts.values().any(|past| past.slept_on(woken.thread, from_ns, woken.at_ns));
        match let_go.held {
            Some(_) => Some(let_go),
            None => slept_on().then(|| LetGo::thawed(let_go.by)),
        }
    }
}

fn divided(job: &Job, thread: Thread, known: &ThreadSightings<'_>, processor: &Processor) -> Blame {
    let window = processor.window(job.arrival_at, job.end_at);
    let mut blame = Blame::default();
    blame.add(Cause::Jitter, None, job.arrival_at.saturating_sub(job.nominal_at));
    let mut part = released(job, thread, known, &window, processor);
    let mut from = job.arrival_at;
    for left in known.past().departures(thread.id, part.came_ns, job.end_at) {
        if left < from {
            continue;
        }
        divide(&mut blame, &part, cut(&window, from, left));
        let woken = known.woken(thread.id, left, job.end_at);
        let back = woken.map_or(job.end_at, |woken| woken.at_ns);
        let let_go = woken.and_then(|woken| known.let_go(woken, left));
        match holder(woken, known.threads).filter(|_| let_go.is_none()) {
            Some(holder) => {
                let waited: Vec<Stretch> = cut(&window, left, back).collect();
                blame.join(locks::divided(&thread, &holder, &waited));
            }
            None => {
                let faulted = in_fault(&window, left);
                let away = Some(Absence { from_ns: left, to_ns: Some(back), faulted });
                divide(&mut blame, &Window { away, let_go, ..part }, cut(&window, left, back));
            }
        }
        from = back;
        part = resumed(job, thread, back, &window, processor);
    }
    divide(&mut blame, &part, cut(&window, from, job.end_at));
    blame.sort();
    blame
}

fn released(
    job: &Job,
    thread: Thread,
    known: &ThreadSightings<'_>,
    window: &[Stretch],
    processor: &Processor,
) -> Window {
    let from_ns = job.arrival_at;
    // Until `at`, something kept the thread from going to sleep.
    let kept_until = |at| Window {
        from_ns,
        due_ns: from_ns,
        waits_from: Some(at),
        stay: processor.stay_at(at),
        ..Window::ready(Some(thread), at, at)
    };
    let part = if job.busy_until > from_ns {
        let at = job.busy_until.min(job.end_at);
        Window { busy_until: Some(at), ..kept_until(at) }
    } else {
        match known.woken(thread.id, from_ns, job.start_at.unwrap_or(job.end_at)) {
            Some(woken) => match known.let_go(woken, from_ns) {
                Some(let_go) => Window {
                    let_go: Some(let_go),
                    came_ns: comes(thread.id, woken.at_ns, window).unwrap_or(job.end_at),
                    ..kept_until(woken.at_ns)
                },
                None => woken_by(woken, job, thread, known.past(), window, processor),
            },
            None => kept_until(comes(thread.id, from_ns, window).unwrap_or(job.end_at)),
        }
    };
    Window { works_from: Some(job.start_at.unwrap_or(part.came_ns)), ..part }
}

/// The thread slept. If its timer did not wake it, the last interrupt before the wakeup counts as the one that woke it.
fn woken_by(
    woken: &Woken,
    job: &Job,
    thread: Thread,
    past: &Past,
    window: &[Stretch],
    processor: &Processor,
) -> Window {
    let ready_ns = woken.at_ns;
    let came_ns = comes(woken.thread, ready_ns, window).unwrap_or(job.end_at);
    let asked = processor.asked_after(ready_ns);
    let base = Window {
        from_ns: job.arrival_at,
        due_ns: job.arrival_at,
        asked,
        ..Window::ready(Some(thread), ready_ns, came_ns)
    };
    if let Some(fired) = woken.fired {
        let interrupt_ns = fired.isr_at.max(job.arrival_at);
        let (due_ns, waits_from) = (fired.expiry_at.saturating_add(fired.slack_ns), Some(fired.armed_at));
        return Window { due_ns, waits_from, interrupt_ns, line: fired.line, stay: fired.stay, ..base };
    }
    let interrupt = past.interrupt(job.arrival_at, ready_ns);
    let interrupt_ns = interrupt.map_or(ready_ns, |(at, _)| at);
    // The kernel did not preempt the interrupted thread before the next switch, whichever thread or interrupt made this one
    // ready.
    let stay = processor.stay_at(interrupt_ns);
    Window { interrupt_ns, line: interrupt.map(|(_, line)| line), stay, ..base }
}

fn resumed(job: &Job, thread: Thread, at: u64, window: &[Stretch], processor: &Processor) -> Window {
    let came_ns = comes(thread.id, at, window).unwrap_or(job.end_at);
    Window { stay: processor.stay_at(at), works_from: Some(at), ..Window::ready(Some(thread), at, came_ns) }
}

fn comes(thread: i32, from_ns: u64, window: &[Stretch]) -> Option<u64> {
    let own = |stretch: &&Stretch| stretch.to_ns > from_ns && stretch.thread.is_some_and(|own| own.id == thread);
    window.iter().find(own).map(|stretch| stretch.from_ns.max(from_ns))
}

fn in_fault(window: &[Stretch], left: u64) -> bool {
    window.iter().find(|stretch| stretch.to_ns == left).is_some_and(Stretch::ends_in_fault)
}

/// The holder of the lock that the thread waited for: the thread of the set that woke it.
fn holder(woken: Option<&Woken>, threads: &Threads) -> Option<Thread> {
    let by = woken?.by?;
    threads.get(&by).map(|(_, named)| named.unwrap_or(Thread::numbered(by)))
}

fn cut(window: &[Stretch], from_ns: u64, to_ns: u64) -> impl Iterator<Item = Stretch> {
    let cut = move |stretch: &Stretch| Stretch {
        from_ns: stretch.from_ns.max(from_ns),
        to_ns: stretch.to_ns.min(to_ns),
        ..*stretch
    };
    window.iter().map(cut).filter(|stretch| stretch.from_ns < stretch.to_ns)
}

/// A number for a series' threads; the kernel uses no numbers below 0.
fn number(series: usize) -> i32 {
    -1 - series as i32
}

fn by_series(blame: Blame, threads: &Threads) -> Blame {
    let told = |thread: Thread| match threads.get(&thread.id) {
        Some((series, _)) => Thread { id: number(*series), ..thread },
        None => thread,
    };
    let culprit = |Culprit { holder, more }: Culprit| Culprit {
        holder: if let Holder::Thread(thread) = holder { Holder::Thread(told(thread)) } else { holder },
        more: match more {
            More::OnTimeOf(thread) => More::OnTimeOf(told(thread)),
            More::WhileHeldBy(thread) => More::WhileHeldBy(told(thread)),
            other => other,
        },
    };
    let mut joined = Blame::default();
    for share in blame.shares {
        let share = Share { culprit: share.culprit.map(culprit), ..share };
        joined.join(Blame::of(vec![share]));
    }
    joined
}

#[cfg(test)]
mod tests;
