// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real inversion of priorities on this machine: three threads of one processor, the middle one between the others at a
//! lock without inheritance. `trace record --locks` records it, `blame` names it.
use crate::lacking::{say, skip};
use crate::tool::{Begin, instances, message, signal, wait_until};
use backwall_os::affinity;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const HOLDER: i32 = 10;
const MIDDLE: i32 = 20;
const WAITER: i32 = 30;
const RUNS: Duration = Duration::from_millis(8);
// Time that other threads may have had, for the truth to hold.
const GAPS: Duration = Duration::from_micros(200);
const ATTEMPTS: usize = 6;
const TEST: &str = "an_inversion_at_a_lock_is_found_and_named";
const FUTEX: &str = "syscalls/sys_enter_futex";

pub(crate) fn becomes(cpu: u32, priority: i32) -> bool {
    // SAFETY: the set and the parameter are valid for the calls; 0 is the calling thread.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        libc::sched_setaffinity(0, std::mem::size_of_val(&set), &set);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &libc::sched_param { sched_priority: priority }) == 0
    }
}

pub(crate) fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().name(name.into()).spawn(work).unwrap()
}

fn sleep_until(at: Instant) {
    std::thread::sleep(at.saturating_duration_since(Instant::now()));
}

// Spins until then; returns whether nobody else had more than a little of that time.
fn spins_until(at: Instant) -> bool {
    let (mut before, mut gaps) = (Instant::now(), Duration::ZERO);
    while before < at {
        let now = Instant::now();
        gaps += Some(now - before).filter(|gap| *gap > Duration::from_micros(20)).unwrap_or_default();
        before = now;
    }
    gaps < GAPS
}

// The holder takes the lock, the waiter wants it 2 ms later, and 1 ms after that the middle one has the CPU. Returns whether the
// middle one had it alone for that time.
fn inverted(cpu: u32) -> bool {
    let lock = Arc::new(Mutex::new(()));
    let begin = Instant::now() + Duration::from_millis(100);
    let (held, wanted) = (lock.clone(), lock);
    let holder = thread("lock-holder", move || {
        becomes(cpu, HOLDER);
        sleep_until(begin);
        let _lock = held.lock();
        spins_until(begin + Duration::from_millis(4) + RUNS);
    });
    let waiter = thread("lock-waiter", move || {
        becomes(cpu, WAITER);
        sleep_until(begin + Duration::from_millis(2));
        drop(wanted.lock());
    });
    let middle = thread("lock-middle", move || {
        becomes(cpu, MIDDLE);
        let from = begin + Duration::from_millis(3);
        sleep_until(from);
        Instant::now() < from + GAPS && spins_until(from + RUNS)
    });
    holder.join().and(waiter.join()).unwrap();
    middle.join().unwrap()
}

// Its events are switched on first, while it does not record, and then it does.
fn records(instance: &Path, event: &str) -> bool {
    let is_on = |file: &str| std::fs::read_to_string(instance.join(file)).is_ok_and(|text| text.trim() == "1");
    is_on(&format!("events/{event}/enable")) && is_on("tracing_on")
}

pub(crate) fn has(event: &str) -> bool {
    Path::new("/sys/kernel/tracing/events").join(event).exists()
}

// Records what `work` does, with an option and the last event that it brings; why not, where this machine does not let us.
pub(crate) fn recorded<T>(folder: &Path, option: &str, event: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["trace", "record", option, "--quiet", "--output", "run"]).current_dir(folder);
    let mut tool = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).begin();
    // A tool that has ended and was not waited for has no memory map.
    let over = format!("/proc/{}/maps", tool.id());
    let ended = || std::fs::read(&over).map_or(true, |maps| maps.is_empty());
    wait_until("the recording", || instances(tool.id()).iter().any(|instance| records(instance, event)) || ended());
    let done = work();
    if tool.try_wait().unwrap().is_none() {
        signal(tool.id(), "TERM");
    }
    let output = tool.wait_with_output().unwrap();
    if output.status.code() == Some(4) {
        return Err(message(&output).trim().to_string());
    }
    assert!(folder.join("run/trace.dat").exists(), "{}", message(&output));
    Ok(done)
}

pub(crate) fn blamed(folder: &Path, thread: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["blame", "--json", "--thread", thread, "--above", "2ms", "run"]).current_dir(folder);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    told["responses_late"].as_array().unwrap().clone()
}

#[test]
fn an_inversion_at_a_lock_is_found_and_named() {
    let cpu = *affinity::allowed().last().expect("a processor");
    if !thread("asks", move || becomes(cpu, HOLDER)).join().unwrap() {
        return skip(TEST, "no right to real-time priority");
    }
    if !has(FUTEX) {
        return skip(TEST, "this kernel has no event sys_enter_futex");
    }
    for attempt in 1..=ATTEMPTS {
        let folder = tempfile::tempdir().unwrap();
        match recorded(folder.path(), "--locks", FUTEX, || inverted(cpu)) {
            Err(reason) => return skip(TEST, &reason),
            Ok(false) => continue,
            Ok(true) => {}
        }
        // As an ordinary thread it was perhaps late before.
        let mut lates = blamed(folder.path(), "lock-waiter");
        lates.retain(|late| late["locked"].as_bool() == Some(true));
        let [late] = &lates[..] else { panic!("{lates:?}") };
        let shares = late["shares"].as_array().unwrap();
        let sum: u64 = shares.iter().map(|share| share["ns"].as_u64().unwrap()).sum();
        assert_eq!((Some(sum), late["locked"].as_bool()), (late["latency_ns"].as_u64(), Some(true)));
        let what = shares[0]["what"].as_str().unwrap();
        assert!(what.contains("lock-middle") && what.contains("while lock-holder"), "{late:#}");
        assert!(what.ends_with("(priority inversion)"), "{late:#}");
        let (ns, truth) = (shares[0]["ns"].as_u64().unwrap(), RUNS.as_nanos() as u64);
        assert!(ns.abs_diff(truth) * 20 <= truth, "{ns} of {truth} ns: {late:#}");
        return say(&format!("{TEST}: the inversion came about at attempt {attempt} of {ATTEMPTS}"));
    }
    skip(TEST, &format!("in {ATTEMPTS} attempts this machine never left the thread in the middle alone for 8 ms"));
}
