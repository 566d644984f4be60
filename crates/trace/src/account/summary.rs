// SPDX-License-Identifier: MIT OR Apache-2.0
//! Account of a recording: CPUs, threads, interrupts and softirqs, as plain figures.
use super::books::{Account, CpuTime};
use super::section_time::SectionTime;
use super::thread_time::{State, ThreadTime, Waker};
use crate::event::Section;
use crate::event::softirq;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The account of a recording; every time is in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The first event, by the recording's clock.
    pub begin_ns: u64,
    /// From the first event to the last.
    pub span_ns: u64,
    /// The width of a column of every `over_time`.
    pub column_ns: u64,
    /// In order of their numbers.
    pub cpus: Vec<Cpu>,
    /// Those with the most time on a processor first.
    pub threads: Vec<Thread>,
    /// Interrupts and softirqs, most time first.
    pub sections: Vec<Busy>,
    /// Threads that ran …
    pub took_part: u64,
    /// … of all that an event or the recording's head named.
    pub known: u64,
    /// Threads that were made ready.
    pub wakings: u64,
    /// Recorded switches, in whatever form the file has them.
    #[serde(skip)]
    pub switches: u64,
    /// Times that a thread had a processor without a recorded switch to it.
    pub missed_switches: u64,
    /// Sentences for the user.
    pub notes: Vec<String>,
}

/// A processor's time; its parts sum to the recording's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cpu {
    /// Its number.
    pub cpu: u32,
    /// The idle thread's.
    pub idle_ns: u64,
    /// All other threads'.
    pub threads_ns: u64,
    /// Interrupts'.
    pub interrupts_ns: u64,
    /// Softirqs'.
    pub softirqs_ns: u64,
    /// What no event tells.
    pub unknown_ns: u64,
}

/// A thread's time. `running_ns` + `ready_ns` + `preempted_ns` + `waiting_ns` + `unknown_ns` is the recording's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thread {
    /// Its number.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Its process, if known.
    pub process: Option<i32>,
    /// The process's first thread's name, if known.
    pub process_name: Option<String>,
    /// The kernel's scale: below 0 deadline, 0 to 98 real-time (0 highest), 100 to 139 ordinary.
    pub priority: Option<i32>,
    /// On a processor, without interrupts and softirqs on its time.
    pub cpu_ns: u64,
    /// Interrupts and softirqs on its time.
    pub interrupted_ns: u64,
    /// It had a processor.
    pub running_ns: u64,
    /// Time it was ready without a CPU.
    pub ready_ns: u64,
    /// The processor had been taken from it.
    pub preempted_ns: u64,
    /// It waited.
    pub waiting_ns: u64,
    /// No event tells.
    pub unknown_ns: u64,
    /// How often it got a CPU.
    pub switched_in: u64,
    /// It was taken away so often.
    pub preempted: u64,
    /// To another processor than before.
    pub migrations: u64,
    /// From being made ready to a processor.
    pub latency: Option<Latency>,
    /// What ended its waits, the longest first.
    pub waited_for: Vec<WaitedFor>,
    /// Priorities that it inherited.
    pub boosts: Vec<Boost>,
    /// Boosts beyond the kinds listed separately.
    pub boosts_beyond: u64,
    /// Its time on a processor in each column.
    pub over_time: Vec<u64>,
}

/// Wake-up latencies of a thread: ends and mean exactly, quantiles at most an eighth above.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Number of durations.
    pub count: u64,
    /// Mean.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 99 % quantile.
    pub p99_ns: u64,
    /// Largest.
    pub max_ns: u64,
    /// When that began, since the first event.
    pub max_at_ns: u64,
}

/// The waker of a thread that waited.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WaitedFor {
    /// A thread by name and number, an interrupt, a softirq.
    pub what: String,
    /// How often.
    pub count: u64,
    /// How long the thread had waited, together.
    pub ns: u64,
}

/// A priority inherited through a lock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Boost {
    /// The thread that waited for it.
    pub by: String,
    /// Before, on the kernel's scale.
    pub from: i32,
    /// Priority after it.
    pub to: i32,
    /// How often.
    pub count: u64,
}

/// The time of an interrupt or softirq, without nested ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Busy {
    /// `interrupt` or `softirq`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How often it began.
    pub count: u64,
    /// Its total time.
    pub ns: u64,
    /// The longest stretch of it without interruption.
    pub longest_ns: u64,
    /// In each column.
    pub over_time: Vec<u64>,
}

impl Summary {
    /// Names threads and processes as in the recording's head, if no event named them.
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

    /// Drops the CPU time of threads. Without switches it is unknown, since an event names a thread for one instant only.
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

    /// The time of all CPUs, busy and idle.
    pub fn capacity_ns(&self) -> u64 {
        self.span_ns.saturating_mul(self.cpus.len() as u64)
    }
}

pub(super) struct SetAside {
    pub(super) beyond: u64,
    /// Earlier than one before.
    pub(super) backward: u64,
    pub(super) incredible: u64,
}

impl SetAside {
    fn notes(&self) -> impl Iterator<Item = String> {
        let notes = [
            (self.beyond, "events are on CPUs beyond the first 512; backwall only counts them"),
            (self.backward, "events are earlier than an event before them; backwall takes them for as late"),
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
    let crowded = others.map(|_| "more than 65,536 threads; backwall does not tell the others apart".to_string());
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

// For many threads together, waiting is unknown, and so is all time off the CPU.
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
