// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings that move threads off the measured CPU or lower their priority. backwall changes threads only on the machine where
//! it runs.
use crate::settings::machine::{Machine, processors};
use crate::settings::place::{Place, ThreadIdentity};
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::{MOVABLE, Suspect};
use backwall_os::threads::{Thread, is_of_another_run, is_ours};

const PARENT: i32 = 2;
/// Programs other than the measured one seldom need a higher priority than this.
const ORDINARY_PRIORITY: u32 = 49;

const LOWEST_PRIORITY: u32 = 1;

pub const KERNEL: Setting = Setting {
    name: "kernel-threads",
    checks: &["kernel threads"],
    against: MOVABLE,
    does: "moves unbound kernel threads to the other CPUs",
    harm: "the moved threads have fewer CPUs",
    changes: |machine| {
        let Some(others) = machine.others() else { return Vec::new() };
        let moved = |thread: &Thread| {
            let allowed = processors(&thread.allowed()?);
            let free = allowed.contains(&machine.cpu) && allowed.len() > 1;
            let place = Place::Processors { thread: ThreadIdentity::of(thread) };
            (free && may_move(thread)).then(|| Change::to(machine, place, others.as_str())).flatten()
        };
        of_this_machine(machine).iter().filter(|thread| thread.parent == PARENT).filter_map(moved).collect()
    },
};

/// Threads that handle device interrupts, if the kernel has such threads (PREEMPT_RT, `threadirqs`).
pub const INTERRUPTS: Setting = Setting {
    name: "interrupt-threads",
    checks: &[],
    against: &[Suspect::InterruptThread],
    does: "lowers to priority 1 the interrupt threads that may run on the measured CPU",
    harm: "the lowered threads serve their devices later, so programs that wait for such a device, for example a network card, wait longer",
    changes: |machine| {
        let lowered = |thread: &Thread| {
            let place = Place::Scheduling { thread: ThreadIdentity::of(thread) };
            Change::to(machine, place, format!("fifo {LOWEST_PRIORITY}"))
        };
        let threads = of_this_machine(machine);
        let is_one = |thread: &&Thread| thread.parent == PARENT && thread.name.starts_with("irq/");
        let above = |thread: &&Thread| thread.real_time > LOWEST_PRIORITY;
        let chosen = threads.iter().filter(is_one).filter(above);
        chosen.filter(|thread| thread.may_run_on(machine.cpu)).filter_map(lowered).collect()
    },
};

pub const ABOVE: Setting = Setting {
    name: "real-time-threads",
    checks: &["real-time threads"],
    against: &[Suspect::Above],
    does: "lowers programs with a priority of 50 or more that may run on the measured CPU to 49",
    harm: "the lowered programs may run later than the measured thread; some programs raise their priority again",
    changes: |machine| {
        let lowered = |thread: &Thread| {
            let place = Place::Scheduling { thread: ThreadIdentity::of(thread) };
            let now = place.read(machine).ok()?;
            let (policy, priority) = now.split_once(' ')?;
            let above = priority.parse::<u32>().ok()? > ORDINARY_PRIORITY;
            above.then(|| Change::to(machine, place.clone(), format!("{policy} {ORDINARY_PRIORITY}"))).flatten()
        };
        let is_a_program = |thread: &&Thread| thread.parent != PARENT && thread.id != PARENT;
        let not_ours =
            |thread: &&Thread| !is_ours(thread) && !is_of_another_run(thread) && !is_watched(machine, thread);
        let threads = of_this_machine(machine);
        let chosen = threads.iter().filter(is_a_program).filter(not_ours);
        chosen.filter(|thread| thread.may_run_on(machine.cpu)).filter_map(lowered).collect()
    },
};

/// Whether the thread belongs to the measured application. backwall does not lower such a thread: at the same priority as
/// the lowered threads, it would still wait for them.
fn is_watched(machine: &Machine, thread: &Thread) -> bool {
    machine.watched().iter().any(|watched| watched.process == thread.process)
}

fn of_this_machine(machine: &Machine) -> Vec<Thread> {
    if machine.is_this() { machine.threads() } else { Vec::new() }
}

/// The kernel marks threads whose CPUs it manages itself, and refuses to move them (PF_NO_SETAFFINITY).
fn may_move(thread: &Thread) -> bool {
    const NO_SETAFFINITY: u64 = 0x0400_0000;
    thread.flags & NO_SETAFFINITY == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_application_that_is_measured_is_none_of_those_above_it() {
        let thread = |process, id| Thread {
            id,
            process,
            parent: 1,
            name: "loop".to_string(),
            real_time: 80,
            state: 'S',
            flags: 0,
            began: 1,
            folder: PathBuf::new(),
        };
        let machine = Machine::under(Path::new("/nowhere"), 0).watching(vec![thread(7, 8)], None);
        assert!(is_watched(&machine, &thread(7, 9)) && !is_watched(&machine, &thread(6, 8)));
    }
}
