// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of an account as plain figures: CPUs, threads, interrupts and softirqs.
use super::books::{Account, CpuTime};
use super::section_time::SectionTime;
use super::thread_time::{State, ThreadTime, Waker};
use crate::event::Section;
use crate::event::softirq;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Where the time of a recording went. All times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Timestamp of the first event, by the recording's clock.
    pub begin_ns: u64,
    /// From the first event to the last.
    pub span_ns: u64,
    /// The width of a column in every `over_time`.
    pub column_ns: u64,
    /// Sorted by number.
    pub cpus: Vec<Cpu>,
    /// Sorted by CPU time, largest first.
    pub threads: Vec<Thread>,
    /// Interrupts and softirqs, sorted by time, largest first.
    pub sections: Vec<Busy>,
    /// Number of threads that ran.
    pub took_part: u64,
    /// Number of threads that an event or the recording's header names.
    pub known: u64,
    /// Number of wakeups.
    pub wakings: u64,
    /// Number of recorded context switches.
    #[serde(skip)]
    pub switches: u64,
    /// How often an event showed a thread on a CPU without a recorded switch to that thread.
    pub missed_switches: u64,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
}

/// The time of a CPU; the parts sum to the length of the recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cpu {
    /// The number of the CPU.
    pub cpu: u32,
    /// Time of the idle thread.
    pub idle_ns: u64,
    /// Time of all other threads.
    pub threads_ns: u64,
    /// Time of interrupts.
    pub interrupts_ns: u64,
    /// Time of softirqs.
    pub softirqs_ns: u64,
    /// Time in which no event shows what the CPU did.
    pub unknown_ns: u64,
}

/// A thread's time. `running_ns` + `ready_ns` + `preempted_ns` + `waiting_ns` + `unknown_ns` is the length of the recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thread {
    /// The thread's number (TID).
    pub id: i32,
    /// The thread's name.
    pub name: String,
    /// The thread's process (PID), if known.
    pub process: Option<i32>,
    /// The name of the process's first thread, if known.
    pub process_name: Option<String>,
    /// Priority on the kernel's scale: below 0 deadline, 0 to 98 real-time (0 is highest), 100 to 139 ordinary.
    pub priority: Option<i32>,
    /// CPU time, without the interrupts and softirqs that hit the thread.
    pub cpu_ns: u64,
    /// Time of the interrupts and softirqs that hit the thread while it was on a CPU.
    pub interrupted_ns: u64,
    /// Time on a CPU, interrupts included.
    pub running_ns: u64,
    /// Time from a wakeup until the thread gets a CPU.
    pub ready_ns: u64,
    /// Time the thread was runnable after another thread had preempted it.
    pub preempted_ns: u64,
    /// Time asleep or blocked.
    pub waiting_ns: u64,
    /// Time in which no event shows the thread's state.
    pub unknown_ns: u64,
    /// How often the thread was switched in.
    pub switched_in: u64,
    /// How often the thread was preempted.
    pub preempted: u64,
    /// How often the thread was switched in on another CPU than before.
    pub migrations: u64,
    /// Latencies from the wakeup until the thread gets a CPU.
    pub latency: Option<Latency>,
    /// What woke the thread, sorted by the time that the thread had waited for each waker, longest first.
    pub waited_for: Vec<WaitedFor>,
    /// Priorities that the thread inherited from waiters.
    pub boosts: Vec<Boost>,
    /// Number of boosts that `boosts` does not list, because that list is full.
    pub boosts_beyond: u64,
    /// The thread's CPU time in each column.
    pub over_time: Vec<u64>,
}

/// Wakeup latencies of a thread. Count, mean and maximum are exact; quantiles are at most an eighth too large.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Number of wakeups.
    pub count: u64,
    /// Mean latency.
    pub mean_ns: f64,
    /// Median latency.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Maximum latency.
    pub max_ns: u64,
    /// When the maximum latency began, counted from the first event.
    pub max_at_ns: u64,
}

/// What ended waits of a thread, and how long these waits were.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WaitedFor {
    /// The waker: a thread with its number, an interrupt or a softirq.
    pub what: String,
    /// Number of wakeups by this waker.
    pub count: u64,
    /// Sum of the waits that these wakeups ended.
    pub ns: u64,
}

/// A priority that a thread inherited through a lock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Boost {
    /// The thread that waited for the lock.
    pub by: String,
    /// Priority before the boost, on the kernel's scale.
    pub from: i32,
    /// Priority after the boost, on the kernel's scale.
    pub to: i32,
    /// Number of such boosts.
    pub count: u64,
}

/// The time of an interrupt or a softirq, without the ones nested in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Busy {
    /// `interrupt` or `softirq`.
    pub kind: &'static str,
    /// The interrupt's or softirq's name.
    pub name: String,
    /// Number of entries.
    pub count: u64,
    /// Total time of the interrupt or softirq.
    pub ns: u64,
    /// Longest time that the section ran without interruption.
    pub longest_ns: u64,
    /// Time of the interrupt or softirq in each column.
    pub over_time: Vec<u64>,
}

impl Summary {
    /// For threads and processes that no event named, takes the names from the recording's header.
    pub fn name(&mut self, names: &BTreeMap<i32, String>, processes: &BTreeMap<i32, i32>) {
        for thread in &mut self.threads {
            if thread.name.is_empty() {
                thread.name = names.get(&thread.id).cloned().unwrap_or_default();
            }
            thread.process = processes.get(&thread.id).copied();
            thread.process_name = thread.process.and_then(|process| names.get(&process).cloned());
        }
        let seen: BTreeSet<i32> = self.threads.iter().map(|thread| thread.id).collect();
        self.known = (seen.len() + names.keys().filter(|id| **id != 0 && !seen.contains(id)).count()) as u64;
    }

    /// Drops the CPU time of threads. Without switch events this time is unknown: an event shows which thread ran only at the
    /// event's own time.
    pub fn forget_threads(&mut self) {
        for cpu in &mut self.cpus {
            cpu.unknown_ns += std::mem::take(&mut cpu.idle_ns) + std::mem::take(&mut cpu.threads_ns);
        }
        for thread in &mut self.threads {
            let Thread { id, name, process, process_name, priority, .. } = std::mem::take(thread);
            *thread =
                Thread { id, name, process, process_name, priority, unknown_ns: self.span_ns, ..Thread::default() };
        }
        (self.took_part, self.missed_switches) = (0, 0);
    }

    /// The sum over all CPUs, busy and idle: length of the recording times number of CPUs.
    pub fn capacity_ns(&self) -> u64 {
        self.span_ns.saturating_mul(self.cpus.len() as u64)
    }
}

pub(super) struct SetAside {
    pub(super) beyond: u64,
    /// Number of events with an earlier timestamp than their predecessor.
    pub(super) backward: u64,
    pub(super) incredible: u64,
}

impl SetAside {
    fn notes(&self) -> impl Iterator<Item = String> {
        let notes = [
            (self.beyond, "events are on CPUs beyond the first 512; backwall only counts them"),
            (
                self.backward,
                "events are earlier than their predecessors; backwall gives each the time of its predecessor",
            ),
            (self.incredible, "events claim to be over 208 days after the first; backwall only counts them"),
        ];
        notes.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"))
    }
}

pub(super) fn summary(account: &Account, set_aside: &SetAside) -> Summary {
    let (threads, others) = account.threads.all();
    let span_ns = account.end_ns - account.begin_ns;
    let names: BTreeMap<i32, String> = threads.iter().map(|thread| (thread.id, thread.name.to_string())).collect();
    let mut cpus: Vec<Cpu> = account.cpus.iter().filter(|cpu| cpu.seen).map(|cpu| cpu_row(cpu, span_ns)).collect();
    cpus.sort_by_key(|cpu| cpu.cpu);
    let mut rows: Vec<Thread> = threads.iter().map(|thread| row(thread, account, &names)).collect();
    rows.extend(others.map(|others| row_of_others(others, span_ns)));
    rows.sort_by_key(|thread| (Reverse(thread.cpu_ns), thread.id));
    let mut sections: Vec<Busy> = account.sections.all.iter().map(busy).collect();
    sections.sort_by_key(|section| (Reverse(section.ns), section.name.clone()));
    let crowded = others.map(|_| "more than 65,536 threads; the remaining threads share one row".to_string());
    Summary {
        begin_ns: account.begin_ns,
        span_ns,
        column_ns: account.columns.width_ns(),
        cpus,
        took_part: threads.iter().filter(|thread| thread.ran()).count() as u64,
        known: rows.len() as u64,
        threads: rows,
        sections,
        wakings: account.wakings,
        switches: account.switches,
        missed_switches: account.missed_switches,
        notes: set_aside.notes().chain(crowded).collect(),
    }
}

fn cpu_row(time: &CpuTime, span_ns: u64) -> Cpu {
    let CpuTime { number: cpu, idle_ns, threads_ns, interrupts_ns, softirqs_ns, .. } = *time;
    let unknown_ns = span_ns.saturating_sub(idle_ns + threads_ns + interrupts_ns + softirqs_ns);
    Cpu { cpu, idle_ns, threads_ns, interrupts_ns, softirqs_ns, unknown_ns }
}

fn latency(thread: &ThreadTime, account: &Account) -> Option<Latency> {
    thread.latency.as_ref().map(|latencies| Latency {
        count: latencies.count,
        mean_ns: latencies.sum as f64 / latencies.count as f64,
        p50_ns: latencies.quantile(0.5),
        p99_ns: latencies.quantile(0.99),
        max_ns: latencies.max,
        max_at_ns: thread.worst.1.saturating_sub(account.begin_ns),
    })
}

fn waited_for(thread: &ThreadTime, names: &BTreeMap<i32, String>) -> Vec<WaitedFor> {
    let one = |woken: &super::thread_time::Woken| WaitedFor {
        what: waker(woken.by, names),
        count: woken.count,
        ns: woken.ns,
    };
    let mut waits: Vec<WaitedFor> = thread.woken.iter().map(one).collect();
    waits.sort_by_key(|waited| Reverse(waited.ns));
    waits
}

fn boosted(boost: &super::thread_time::Boost, names: &BTreeMap<i32, String>) -> Boost {
    Boost { by: waker(Waker::Thread(boost.by), names), from: boost.from, to: boost.to, count: boost.count }
}

fn row(thread: &ThreadTime, account: &Account, names: &BTreeMap<i32, String>) -> Thread {
    Thread {
        id: thread.id,
        name: thread.name.to_string(),
        process: None,
        process_name: None,
        priority: (thread.priority != i32::MAX).then_some(thread.priority),
        cpu_ns: thread.cpu_ns,
        interrupted_ns: thread.interrupted_ns,
        running_ns: thread.ns_in(State::Running),
        ready_ns: thread.ns_in(State::Ready),
        preempted_ns: thread.ns_in(State::Preempted),
        waiting_ns: thread.ns_in(State::Waiting),
        unknown_ns: thread.ns_in(State::Unknown),
        switched_in: thread.switched_in,
        preempted: thread.preempted,
        migrations: thread.migrations,
        latency: latency(thread, account),
        waited_for: waited_for(thread, names),
        boosts: thread.boosts.iter().map(|boost| boosted(boost, names)).collect(),
        boosts_beyond: thread.boosts_beyond,
        over_time: thread.row.columns(),
    }
}

// Of the threads beyond the maximum only the total CPU time is known, not when they waited.
fn row_of_others(others: &ThreadTime, span_ns: u64) -> Thread {
    let running_ns = others.cpu_ns + others.interrupted_ns;
    Thread {
        id: others.id,
        name: "others".to_string(),
        cpu_ns: others.cpu_ns,
        interrupted_ns: others.interrupted_ns,
        running_ns,
        unknown_ns: span_ns.saturating_sub(running_ns),
        over_time: others.row.columns(),
        ..Thread::default()
    }
}

fn waker(by: Waker, names: &BTreeMap<i32, String>) -> String {
    match by {
        Waker::Thread(id) => match names.get(&id).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name} ({id})"),
            None => format!("thread {id}"),
        },
        Waker::Section(Section::Interrupt(name)) => format!("interrupt {name}"),
        Waker::Section(Section::Softirq(number)) => format!("softirq {}", softirq::name(number)),
        Waker::Others => "not seen, or others".to_string(),
    }
}

fn busy(time: &SectionTime) -> Busy {
    let (kind, name) = match time.section {
        Section::Interrupt(name) => ("interrupt", name.to_string()),
        Section::Softirq(number) => ("softirq", softirq::name(number)),
    };
    Busy { kind, name, count: time.count, ns: time.ns, longest_ns: time.longest_ns, over_time: time.row.columns() }
}
