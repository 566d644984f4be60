// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times, shares and priorities of a recording in words.
use crate::trace::account::summary::Thread;
use crate::units::{Shown, Unit};

/// A time for a person.
pub fn time(ns: u64) -> String {
    Shown(ns, Unit::Ns).to_string()
}

/// A share of a whole in percent; of nothing a hyphen.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_string() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// The kernel counts real-time priorities down from 98, users count them up to 99.
pub fn priority(priority: i32) -> String {
    match priority {
        ..0 => "deadline".to_string(),
        real_time @ 0..=98 => format!("real-time {}", 99 - real_time),
        100..=139 if priority != 120 => format!("nice {}", priority - 120),
        _ => "ordinary".to_string(),
    }
}

/// Name and number; a thread that no event named is a number only.
pub fn thread(thread: &Thread) -> String {
    if thread.name.is_empty() { format!("thread {}", thread.id) } else { format!("{} ({})", thread.name, thread.id) }
}
