// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds threads that an application creates while backwall follows it. backwall lists the thread numbers about once a second,
//! which costs almost nothing. It examines the threads only if there is a new number.
use backwall_os::threads::{self, Thread};
use backwall_runner::attached::attachee::Attachee;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Interval between two lists of thread numbers. An ordinary thread is followed from this age on: a shell that starts a
/// hundred programs a second has one thread that stays, and many that do not.
const LOOK: Duration = Duration::from_secs(1);
// Interval while the application is creating its threads.
const BRISK: Duration = Duration::from_millis(200);
// A new thread gets its name and its priority within this time.
const SETTLES: Duration = Duration::from_secs(3);

pub struct Newcomers {
    processes: BTreeSet<i32>,
    known: BTreeSet<i32>,
    every: Duration,
    next: Instant,
    until: Instant,
    introduced_at: Option<Instant>,
}

impl Newcomers {
    /// Starts with the threads that are followed already. `has_just_begun`: the application is still creating threads.
    /// `is_held`: backwall holds the application back, so it has not begun and has no name yet.
    pub fn beside(all: &[Attachee], has_just_begun: bool, is_held: bool) -> Self {
        let processes: BTreeSet<i32> = all.iter().map(|one| one.thread.process).collect();
        let (known, now) = (numbers(&processes), Instant::now());
        let (every, until) = if has_just_begun { (BRISK, now + 2 * SETTLES) } else { (LOOK, now) };
        let introduced_at = is_held.then(|| now + LOOK);
        Self { processes, known, every, next: now + every, until, introduced_at }
    }

    pub fn may_be_there(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next {
            return false;
        }
        self.every = if now <= self.until { self.every } else { LOOK };
        self.next = now + self.every;
        let numbers = numbers(&self.processes);
        if !numbers.is_subset(&self.known) {
            self.until = now + SETTLES;
        }
        self.known = numbers;
        now <= self.until
    }

    pub fn shall_be_introduced(&mut self) -> bool {
        self.introduced_at.take_if(|at| Instant::now() >= *at).is_some()
    }
}

fn numbers(processes: &BTreeSet<i32>) -> BTreeSet<i32> {
    let tasks = |process: &i32| threads::numbered(&Path::new("/proc").join(process.to_string()).join("task"));
    processes.iter().flat_map(tasks).map(|(number, _)| number).collect()
}

/// Whether to follow a new thread: only if it is real-time or at least a second old.
pub fn is_worth_it(thread: &Thread) -> bool {
    thread.real_time > 0 || age(thread).is_none_or(|age| age >= LOOK)
}

pub fn age(thread: &Thread) -> Option<Duration> {
    let ticks = threads::now_ticks(Path::new("/proc"))?.saturating_sub(thread.began);
    Some(Duration::from_secs_f64(ticks as f64 / threads::ticks_per_second() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_was_made_is_noticed_at_the_next_look_and_for_a_while() {
        let own = std::process::id() as i32;
        let mut newcomers = Newcomers {
            processes: BTreeSet::from([own]),
            known: BTreeSet::new(),
            every: LOOK,
            next: Instant::now(),
            until: Instant::now(),
            introduced_at: Some(Instant::now()),
        };
        assert!(newcomers.shall_be_introduced() && !newcomers.shall_be_introduced());
        assert!(newcomers.may_be_there() && newcomers.known.contains(&own));
        assert!(!newcomers.may_be_there(), "once a second is enough");
        newcomers.next = Instant::now();
        assert!(newcomers.may_be_there(), "it may get its priority now");
    }

    #[test]
    fn an_ordinary_thread_of_this_moment_is_not_worth_following() {
        let own = std::process::id() as i32;
        let thread = Thread::read(own, own, format!("/proc/{own}/task/{own}").into()).unwrap();
        let began = threads::now_ticks(Path::new("/proc")).unwrap();
        let young = Thread { began, ..thread };
        let real_time = Thread { real_time: 1, ..young.clone() };
        let old = Thread { began: began.saturating_sub(2 * threads::ticks_per_second()), ..young.clone() };
        assert_eq!([&young, &real_time, &old].map(is_worth_it), [false, true, true]);
    }
}
