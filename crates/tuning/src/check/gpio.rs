// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads that handle interrupts of a board's GPIO lines.
use super::interrupts::{self, Line};
use super::{Machine, Reading};
use backwall_os::threads::{self, Thread};

const NAMED: usize = 4;

pub(super) fn threads(machine: &Machine) -> Reading {
    let why = "this thread handles the line's edge after all threads of higher priority; only then does it wake the program \
        that waits for the line";
    let lines = match interrupts::lines(machine) {
        Ok(lines) => lines.into_iter().filter(Line::is_of_a_bank).collect::<Vec<Line>>(),
        Err(unread) => return Reading::unknown(&unread, why),
    };
    if lines.is_empty() {
        return Reading::good(format!("{}: no line of a GPIO controller is in use", interrupts::FILE), why);
    }
    let all = threads::all_under(&machine.place("/proc"));
    let serves = |thread: &&Thread| lines.iter().any(|line| thread.name.starts_with(&format!("irq/{}-", line.number)));
    let mut serving: Vec<&Thread> = all.iter().filter(serves).collect();
    serving.sort_by_key(|thread| thread.real_time);
    let Some(lowest) = serving.first() else {
        let found = format!("{}: {} lines of GPIO, answered without a thread", interrupts::FILE, lines.len());
        return Reading::note(found, "the handler runs in the interrupt itself, before any thread");
    };
    let names: Vec<String> = serving.iter().take(NAMED).map(|thread| thread.to_string()).collect();
    let more = if serving.len() > NAMED { format!(" and {} more", serving.len() - NAMED) } else { String::new() };
    Reading::note(format!("/proc: {}{more}", names.join(", ")), why)
        .fix(format!("if a program must respond to a GPIO edge in time\nchrt -f -p 90 {}", lowest.id))
}
