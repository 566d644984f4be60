// SPDX-License-Identifier: MIT OR Apache-2.0
use super::{Machine, Reading};

pub(super) fn slack(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/self/timerslack_ns";
    match machine.number(FILE) {
        Ok(ns) if ns <= 1 => Reading::good(format!("{FILE}: {ns}"), "the kernel does not delay timers to group them"),
        Ok(ns) => Reading::note(
            format!("{FILE}: {ns}"),
            format!(
                "the kernel may wake ordinary threads up to {} us late to group timers, but not threads of \
                SCHED_FIFO and SCHED_RR",
                ns / 1000
            ),
        )
        .fix("in the program, for ordinary threads: prctl(PR_SET_TIMERSLACK, 1)"),
        Err(unread) => Reading::unknown(&unread, "the kernel may wake ordinary threads late to group timers"),
    }
}
