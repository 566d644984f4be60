// SPDX-License-Identifier: MIT OR Apache-2.0
use backwall_model::picture::ProcessorUse;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};

pub fn of_this_thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[derive(Debug, Default)]
pub struct Account(AtomicU64);

impl Account {
    pub fn charge<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = of_this_thread_ns();
        let done = work();
        self.add(of_this_thread_ns().saturating_sub(before));
        done
    }

    pub fn add(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }

    pub fn of(&self, who: &str) -> ProcessorUse {
        ProcessorUse { who: who.to_string(), time: self.0.load(Ordering::Relaxed) }
    }
}
