// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interference in a recording, in the form that the response-time analysis needs.
//!
//! Without a set, the tasks are the recording's own real-time threads. Their work and their longest response are known, so the
//! prediction can be compared with the recording. With a set, its series replace the threads with the same names.
use backwall_model::{Priority, THREAD_PREFIX};
use backwall_tasks::predict::arrival::Arrival;
use backwall_tasks::predict::curves::Measured;
use backwall_tasks::predict::recorded::{Activation, Recorded};
use backwall_tasks::predict::task::{Interrupt, Processor, RecordedThread, Task, Urgency};
use backwall_trace::event::Section;
use backwall_trace::event::softirq;
use backwall_trace::interference::{CpuInterference, SectionWork, ThreadWork, Turn};
use std::sync::Arc;

/// Stands for "no deadline": a recording does not show the deadline of a thread.
const NO_DEADLINE_NS: u64 = 1 << 59;
/// Maximum length of a thread's name in the kernel.
pub const COMM_MOST: usize = 15;

/// The real-time threads of a CPU as tasks, each with its measurements. A thread that changed its CPU does not become a task; it
/// counts only as interference.
pub fn own_tasks(found: &CpuInterference) -> (Processor, Vec<Measured>) {
    let names = names(&found.threads);
    let (mut tasks, mut measured, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (work, name) in found.threads.iter().zip(names) {
        let seen = recorded(&work.turns, found.observed_ns);
        let Some(urgency) = urgency(work.thread.priority) else { continue };
        if work.moved || urgency == Urgency::Deadline || work.whole == 0 {
            others.push(thread(name, urgency, seen));
            continue;
        }
        measured.push(Measured { longest_ns: work.longest_ns, responses: work.whole, windows: work.windows });
        tasks.push(Task {
            arrival: Arrival::Recorded { jitter_ns: 0, seen: Arc::clone(&seen) },
            deadline_ns: NO_DEADLINE_NS,
            blocked_ns: work.blocked_ns,
            ..Task::new(&name, urgency, seen.largest_ns().max(1), 1)
        });
    }
    let interrupts = interrupts(found);
    (Processor { tasks, interrupts, recorded: others, ..Processor::default() }, measured)
}

/// A CPU of a task set with the interference from a recording, and for each task what the recording shows of it.
pub fn beside(processor: Processor, found: &CpuInterference) -> (Processor, Vec<Measured>) {
    let mut processor = processor;
    let mut measured = vec![Measured::default(); processor.tasks.len()];
    let blocked_ns = found.threads.iter().map(|work| work.blocked_ns).max().unwrap_or(0);
    for (work, name) in found.threads.iter().zip(names(&found.threads)) {
        let seen = recorded(&work.turns, found.observed_ns);
        match processor.tasks.iter().position(|task| is_of(&task.name, work)) {
            Some(place) => {
                let task = &mut processor.tasks[place];
                task.computation_ns = task.computation_ns.max(seen.largest_ns());
                measured[place] =
                    Measured { longest_ns: work.longest_ns, responses: work.whole, windows: work.windows };
            }
            None => processor.recorded.extend(urgency(work.thread.priority).map(|urgency| thread(name, urgency, seen))),
        }
    }
    processor.tasks.iter_mut().for_each(|task| task.blocked_ns = blocked_ns);
    processor.interrupts.extend(interrupts(found));
    (processor, measured)
}

fn recorded(turns: &[Turn], observed_ns: u64) -> Arc<Recorded> {
    let one = |turn: &Turn| Activation { at_ns: turn.at_ns, cost_ns: turn.cost_ns };
    Arc::new(Recorded::new(turns.iter().map(one).collect(), observed_ns))
}

fn thread(name: String, urgency: Urgency, seen: Arc<Recorded>) -> RecordedThread {
    RecordedThread { name, urgency, arrival: Arrival::Recorded { jitter_ns: 0, seen } }
}

fn interrupts(found: &CpuInterference) -> Vec<Interrupt> {
    let one = |work: &SectionWork| {
        let seen = recorded(&work.turns, found.observed_ns);
        let name = match work.section {
            Section::Interrupt(name) => name.to_string(),
            Section::Softirq(number) => format!("softirq {}", softirq::name(number)),
        };
        Interrupt { name, cost_ns: seen.largest_ns(), arrival: Arrival::Recorded { jitter_ns: 0, seen } }
    };
    found.sections.iter().map(one).filter(|interrupt| interrupt.cost_ns > 0).collect()
}

/// `None` for a thread of the fair scheduler (CFS or EEVDF).
fn urgency(priority: i32) -> Option<Urgency> {
    match Priority::of_events(priority)? {
        Priority::Deadline => Some(Urgency::Deadline),
        Priority::RealTime(level) => Some(Urgency::Priority(u32::from(level))),
        Priority::Detent(level) => Some(Urgency::Priority(u32::from(u8::MAX - level))),
        Priority::Nice(_) | Priority::Ordinary => None,
    }
}

/// The threads' names. If several threads share a name, each also gets its number.
fn names(threads: &[ThreadWork]) -> Vec<String> {
    let same = |work: &ThreadWork| threads.iter().filter(|other| other.thread.name == work.thread.name).count();
    let one = |work: &ThreadWork| match same(work) {
        1 => work.thread.name.to_string(),
        _ => format!("{}/{}", work.thread.name, work.thread.id),
    };
    threads.iter().map(one).collect()
}

/// Whether a recorded thread belongs to a series: it has the series' name, or the name that the probe gives that thread, cut to
/// the kernel's maximum length.
fn is_of(series: &str, work: &ThreadWork) -> bool {
    let cut = |name: &str| name.bytes().take(COMM_MOST).collect::<Vec<u8>>();
    let own = work.thread.name.to_string();
    cut(series) == own.as_bytes() || cut(&format!("{THREAD_PREFIX}{series}")) == own.as_bytes()
}

#[cfg(test)]
mod tests;
