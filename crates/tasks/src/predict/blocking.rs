// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long tasks of lower priority can block a job, once: by non-preemptible stretches, and by sections under locks.
//!
//! ```text
//! stretches    B_n = the longest of a lower-priority task, and of the kernel
//! ceiling      B_c = the longest section of a lower-priority task under a lock whose ceiling reaches this task
//! inheritance  B_i = the smaller of: for each lower-priority task its longest such section, added;
//! for each such lock the longest section of a lower-priority task, added
//! B = max(B_n, B_c) + B_i
//! ```
//!
//! Sha, Rajkumar and Lehoczky 1990. A ceiling or a stretch can block a job only before it starts, so only one of them does;
//! inheritance can block it again later.
use super::answer::{NoBound, Source, Term};
use super::task::{Processor, Protocol, Task};
use std::collections::BTreeMap;

#[derive(Clone, Copy)]
struct Hold {
    holder: usize,
    lock: usize,
    length_ns: u64,
}

/// How long the tasks for which `is_lower` is true can block the other tasks.
pub fn blocking(processor: &Processor, is_lower: impl Fn(&Task) -> bool) -> Result<Vec<Term>, NoBound> {
    let mut reached = vec![false; processor.locks.len()];
    let reaching = processor.tasks.iter().filter(|task| !is_lower(task));
    reaching.flat_map(|task| &task.sections).for_each(|section| reached[section.lock] = true);
    let lower = || processor.tasks.iter().enumerate().filter(|(_, task)| is_lower(task));
    let holds = |protocol: Protocol| -> Vec<Hold> {
        let all = lower().flat_map(|(holder, task)| task.sections.iter().map(move |section| (holder, section)));
        all.filter(|(_, section)| reached[section.lock] && processor.locks[section.lock].protocol == protocol)
            .map(|(holder, section)| Hold { holder, lock: section.lock, length_ns: section.length_ns })
            .collect()
    };
    if let Some(hold) = holds(Protocol::Plain).first() {
        let lock = processor.locks[hold.lock].name.clone();
        return Err(NoBound::Inversion { lock, holder: processor.tasks[hold.holder].name.clone() });
    }
    let stretch = |(index, task): (usize, &Task)| Term::once(Source::Stretch(index), task.longest_stretch_ns());
    let kernel = Term::once(Source::Kernel, processor.costs.kernel_ns);
    let before_start = holds(Protocol::Ceiling).into_iter().map(term).chain(lower().map(stretch)).chain([kernel]);
    let mut terms: Vec<Term> = before_start.max_by_key(|term| term.total_ns).into_iter().collect();
    terms.extend(inherited(&holds(Protocol::Inheritance)).into_iter().map(term));
    terms.retain(|term| term.total_ns > 0);
    Ok(terms)
}

fn term(hold: Hold) -> Term {
    Term::once(Source::Lock { lock: hold.lock, holder: hold.holder }, hold.length_ns)
}

fn inherited(holds: &[Hold]) -> Vec<Hold> {
    let by_task = longest_of_each(holds, |hold| hold.holder);
    let by_lock = longest_of_each(holds, |hold| hold.lock);
    let sum = |holds: &[Hold]| holds.iter().fold(0, |sum: u64, hold| sum.saturating_add(hold.length_ns));
    if sum(&by_task) <= sum(&by_lock) { by_task } else { by_lock }
}

fn longest_of_each(holds: &[Hold], of: impl Fn(&Hold) -> usize) -> Vec<Hold> {
    let mut longest: BTreeMap<usize, Hold> = BTreeMap::new();
    for hold in holds {
        let known = longest.entry(of(hold)).or_insert(*hold);
        if known.length_ns < hold.length_ns {
            *known = *hold;
        }
    }
    longest.into_values().collect()
}
