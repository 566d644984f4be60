// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page fault storm on this machine: a thread touches fresh pages past its next release. `trace record --faults` records it, and
//! `blame` names it.
use crate::lacking::{say, skip};
use crate::lock_holders::{becomes, blamed, has, recorded, thread};
use backwall_os::affinity;
use serde_json::Value;

const EVENT: &str = "exceptions/page_fault_kernel";
const STORM_NS: u64 = 12_000_000;
const RELEASE_NS: u64 = 2_000_000;
// Between two touches of fresh pages; longer gaps may be other threads.
const GAP_NS: u64 = 50_000;
const PAGE: usize = 4_096;
const FRESH: usize = 512 << 20;
const ATTEMPTS: usize = 30; // of a quarter of a second
const TEST: &str = "a_storm_of_page_faults_is_found";
const NAMES: [&str; 2] = ["a page fault of the thread", "a long page fault of the thread, or its work after one"];

fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn sleep_until(at_ns: u64) {
    let at = libc::timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as i64 };
    // SAFETY: the time is valid for the call.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &at, std::ptr::null_mut()) };
}

struct Fresh(*mut u8);

impl Fresh {
    fn take() -> Self {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new memory of that length, in pages of the smallest size.
        unsafe {
            let fresh = libc::mmap(std::ptr::null_mut(), FRESH, protection, kind, -1, 0);
            assert_ne!(fresh, libc::MAP_FAILED);
            libc::madvise(fresh, FRESH, libc::MADV_NOHUGEPAGE);
            Self(fresh.cast())
        }
    }

    // Touches fresh pages until an instant; returns the time that other threads may have had.
    fn storm(&self, until_ns: u64) -> u64 {
        let (mut before, mut gaps) = (now_ns(), 0);
        for page in 0..FRESH / PAGE {
            // SAFETY: within the memory, which nobody else uses.
            unsafe { self.0.add(page * PAGE).write_volatile(1) };
            let now = now_ns();
            gaps += Some(now - before).filter(|gap| *gap > GAP_NS).unwrap_or_default();
            before = now;
            if now >= until_ns {
                break;
            }
        }
        gaps
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // SAFETY: what was taken, and nobody uses it any more.
        unsafe { libc::munmap(self.0.cast(), FRESH) };
    }
}

// A release, a storm beyond the next release, and that; how long it was late, unless others had more than a little of it.
fn late_by_faults(cpu: u32) -> Option<u64> {
    let faulter = thread("faulter", move || {
        becomes(cpu, 50);
        let fresh = Fresh::take();
        let first = now_ns() + 50_000_000;
        sleep_until(first);
        let (next, until) = (first + RELEASE_NS, first + STORM_NS);
        let begun = now_ns();
        let gaps = begun - first + fresh.storm(until); // who ran at its first release had some of the storm's time
        let late = now_ns() - next;
        sleep_until(next);
        (gaps < late / 50).then_some(late)
    });
    faulter.join().unwrap()
}

#[test]
fn a_storm_of_page_faults_is_found() {
    let cpu = *affinity::allowed().last().expect("a processor");
    if !thread("asks", move || becomes(cpu, 50)).join().unwrap() {
        return skip(TEST, "no right to real-time priority");
    }
    if !has(EVENT) {
        return skip(TEST, "this kernel has no events of page faults");
    }
    for attempt in 1..=ATTEMPTS {
        let folder = tempfile::tempdir().unwrap();
        let truth_ns = match recorded(folder.path(), "--faults", EVENT, || late_by_faults(cpu)) {
            Err(reason) => return skip(TEST, &reason),
            Ok(None) => continue,
            Ok(Some(truth_ns)) => truth_ns,
        };
        let lates = blamed(folder.path(), "faulter");
        let latency = |late: &&Value| late["latency_ns"].as_u64().unwrap();
        let late = lates.iter().max_by_key(latency).expect("a late response");
        let shares: Vec<(&str, u64)> = late["shares"].as_array().unwrap().iter().map(one).collect();
        assert_eq!(shares.iter().map(|(_, ns)| ns).sum::<u64>(), latency(&late));
        // On a machine whose faults take long the second has the most.
        let of_faults: u64 = shares.iter().filter(|(what, _)| NAMES.contains(what)).map(|(_, ns)| ns).sum();
        assert!(shares.iter().any(|(what, _)| *what == NAMES[0]) && NAMES.contains(&shares[0].0), "{late:#}");
        assert!(of_faults.abs_diff(truth_ns) * 20 <= truth_ns, "{of_faults} of {truth_ns} ns: {late:#}");
        return say(&format!("{TEST}: the storm came about at attempt {attempt} of {ATTEMPTS}"));
    }
    skip(TEST, &format!("in {ATTEMPTS} attempts this machine never left the thread alone for 12 ms"));
}

fn one(share: &Value) -> (&str, u64) {
    (share["what"].as_str().unwrap(), share["ns"].as_u64().unwrap())
}
