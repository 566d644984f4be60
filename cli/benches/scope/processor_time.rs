// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processor time, so that other work on the machine counts less than by the clock.
use std::hint::black_box;

pub fn rate_of<T>(count: u64, work: impl Fn() -> T) -> f64 {
    let best = (0..super::REPEATS).map(|_| seconds_of(&work)).fold(f64::INFINITY, f64::min);
    count as f64 / best / 1e6
}

// Processor time of this thread, so that other work on the machine counts less.
fn seconds_of<T>(work: impl FnOnce() -> T) -> f64 {
    let start = on_processor_ns();
    black_box(work());
    (on_processor_ns() - start) as f64 / 1e9
}

// First field of /proc/thread-self/schedstat (proc(5)).
fn on_processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux with scheduler statistics");
    text.split(' ').next().and_then(|field| field.parse().ok()).expect("nanoseconds")
}

// Processor time of ended children, in the 10 ms ticks of /proc/self/stat (proc(5), cutime and cstime).
pub fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = text.rsplit(") ").next().expect("fields");
    let fields: Vec<f64> = after_name.split(' ').filter_map(|field| field.parse().ok()).collect();
    (fields[12] + fields[13]) / 100.0
}
