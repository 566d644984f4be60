// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times, shares and priorities of a recording in words.
use backwall_trace::account::summary::Thread;

use backwall_model::units::{Unit, grouped};

pub fn priority(number: i32) -> String {
    super::cause::culprit::priority(backwall_model::Priority::of_events(number))
}

/// A time of a recording; instructions are never shown as time.
pub fn time(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => super::accused::time(value),
        Unit::Instructions => format!("{} instructions", grouped(value)),
    }
}

pub fn cell(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => time(value, unit),
        Unit::Instructions => grouped(value),
    }
}

/// A share in percent; a hyphen if the whole is 0.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_string() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Name and number; only the number for a thread that no event named.
pub fn thread(thread: &Thread) -> String {
    if thread.name.is_empty() { format!("thread {}", thread.id) } else { format!("{} ({})", thread.name, thread.id) }
}
