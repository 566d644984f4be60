// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of the measured application's own threads. They are changed only on the machine where this process runs, and only if
//! an application is measured.
use crate::settings::machine::Machine;
use crate::settings::place::{Place, ThreadIdentity};
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_model::Cause;
use backwall_os::threads::Thread;
use std::collections::BTreeSet;

/// The priority if no recipe gives one: below the kernel's most urgent helper threads, above interrupt threads (50).
const PRIORITY: u32 = 80;
const DEADLINE: u32 = 100;

/// Raises the threads whose priority is below the recipe's. Among each other they keep their order.
pub const SCHEDULING: Setting = Setting {
    name: "app-priority",
    checks: &[],
    against: &[Suspect::Above, Suspect::Share, Suspect::Of(Cause::TimerSlack)],
    does: "raises the watched application's threads to the real-time priority in its recipe, or to 80 if it has none",
    harm: "an application thread that does not sleep keeps every thread of lower priority off the CPU",
    changes: |machine| {
        let all = threads(machine);
        let steps = steps(&all.iter().map(|thread| thread.real_time).collect::<Vec<_>>(), machine.priority());
        let raised = |(thread, priority): (&Thread, Option<u32>)| {
            let place = Place::Scheduling { thread: ThreadIdentity::of(thread) };
            let now = place.read(machine).ok()?;
            let policy = if now.starts_with("rr ") { "rr" } else { "fifo" };
            Change::to(machine, place, format!("{policy} {}", priority?))
        };
        all.iter().zip(steps).filter_map(raised).collect()
    },
};

pub const PROCESSOR: Setting = Setting {
    name: "app-cpu",
    checks: &[],
    against: &[Suspect::Above, Suspect::Share],
    does: "restricts the watched application's threads to the measured CPU",
    harm: "these threads then share one CPU, and other programs may still run on it",
    changes: |machine| {
        let moved = |thread: &Thread| {
            Change::to(machine, Place::Processors { thread: ThreadIdentity::of(thread) }, machine.cpu.to_string())
        };
        threads(machine).iter().filter_map(moved).collect()
    },
};

/// How much memory the threads may lock. Only a program can lock its own memory, so this helps a program that tried and was
/// refused.
pub const MEMORY: Setting = Setting {
    name: "app-memory",
    checks: &[],
    against: &[Suspect::Fault],
    does: "lets the watched application lock all the memory that it asks for (mlockall)",
    harm: "other programs have less memory",
    changes: |machine| {
        let all: BTreeSet<ThreadIdentity> =
            threads(machine).iter().filter_map(|one| ThreadIdentity::process_of(machine, one)).collect();
        let raised = |thread| Change::to(machine, Place::LockedMemory { thread }, "unlimited unlimited");
        all.into_iter().filter_map(raised).collect()
    },
};

/// The new priority of each thread. All real-time threads are raised by the same amount, so that the highest thread gets the
/// wanted priority. Ordinary threads get a priority below all of these.
fn steps(now: &[u32], wanted: Option<u32>) -> Vec<Option<u32>> {
    let wanted = wanted.unwrap_or(PRIORITY);
    let real_time = || now.iter().copied().filter(|priority| (1..DEADLINE).contains(priority));
    let by = wanted.saturating_sub(real_time().max().unwrap_or(wanted));
    let of_ordinary = real_time().min().map_or(wanted, |lowest| (lowest + by).saturating_sub(1).max(1));
    let one = |priority: &u32| match *priority {
        0 => Some(of_ordinary),
        DEADLINE.. => None,
        priority => (by > 0).then_some(priority + by),
    };
    now.iter().map(one).collect()
}

fn threads(machine: &Machine) -> &[Thread] {
    if machine.is_this() { machine.watched() } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_raised_together_and_keep_their_order() {
        for (now, wanted, raised) in [
            (&[0, 0][..], None, &[Some(80), Some(80)][..]),
            (&[10, 5], None, &[Some(80), Some(75)]),
            (&[70, 65], Some(70), &[None, None]),
            (&[90, 0], None, &[None, Some(89)]),
            (&[20, 0, 100], Some(50), &[Some(50), Some(49), None]),
            (&[100], None, &[None]),
            (&[], None, &[]),
        ] {
            assert_eq!(steps(now, wanted), raised, "{now:?}");
        }
    }
}
