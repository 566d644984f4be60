// SPDX-License-Identifier: MIT OR Apache-2.0
//! Injects causes of delay into a real-time thread; each knows when it had the CPU.
use backwall_ftrace::{Recorder, TraceError};
use backwall_report::trace::accused;
use backwall_trace::blame::Share;
use backwall_trace::blame::worst::DividedResponse;
use backwall_trace::event::Section;
use backwall_trace::processor::Holder;
use backwall_trace::{Sample, TraceConfig, TraceReport};
use std::io::Write;

pub const PROBE_PRIORITY: i32 = 80;
// An injection that failed because the machine was busy is tried again, this often at most.
pub const TRIES_PER_TRIAL: u64 = 20;
const BLAMED_OF_A_RECORDING: u64 = 100;
// Trials of one recording, few enough that their blame is kept.
const TRIALS_AT_ONCE: u64 = 20;
// Recordings in which a cause may not occur: a hypervisor can take the CPUs away for seconds.
pub const FRUITLESS: u64 = 5;

pub fn trials(few: u64) -> u64 {
    std::env::var("BACKWALL_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

pub fn tries(trials: u64) -> u64 {
    (trials * TRIES_PER_TRIAL).min(BLAMED_OF_A_RECORDING)
}

// Not by a print macro, whose text a passing test would swallow.
pub fn skip(test: &str, reason: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "SKIP {test}: {reason}");
}

pub fn named(test: &str, cpu: u32, times: u64) {
    if std::env::var_os("BACKWALL_TRIALS").is_some() {
        let _ = writeln!(std::io::stderr(), "NAMED {test}, CPU {cpu}: {times} of {times}");
    }
}

// `None`, with the reason printed, if this machine forbids the trace.
pub fn recorder(test: &str, cpu: u32) -> Option<Recorder> {
    match Recorder::start(TraceConfig { cpu, keep: 5_000, ..TraceConfig::default() }, |_, _| ()) {
        Ok(recorder) => Some(recorder),
        Err(reason @ (TraceError::NoTracefs { .. } | TraceError::File { .. } | TraceError::NoEvent { .. })) => {
            skip(test, reason);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

pub fn possible(test: &str) -> bool {
    let granted = thread("injected-asks", || set_priority(PROBE_PRIORITY)).join().unwrap();
    if !granted {
        skip(test, "no right to real-time priority");
    }
    granted && recorder(test, backwall_os::affinity::allowed()[0]).is_some()
}

pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

pub fn sleep_until(at_ns: u64) {
    let at = libc::timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as i64 };
    // SAFETY: `at` is valid for reading; no remaining time is asked for.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &at, std::ptr::null_mut()) };
}

pub fn pin(thread: i32, cpu: u32) {
    // SAFETY: the set is valid for the call.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        libc::sched_setaffinity(thread, std::mem::size_of_val(&set), &set);
    }
}

pub fn set_priority(priority: i32) -> bool {
    let policy = if priority > 0 { libc::SCHED_FIFO } else { libc::SCHED_OTHER };
    // SAFETY: the parameter is valid for the call. Ordinary threads have timer slack; this one asks for none.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, policy, &libc::sched_param { sched_priority: priority }) == 0
    }
}

// Lets the calling thread win over other ordinary threads.
pub fn before_other_ordinary_threads() {
    // SAFETY: plain numbers; 0 is the calling thread.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
}

pub fn become_thread(cpu: u32, priority: i32) -> i32 {
    pin(0, cpu);
    set_priority(priority);
    // SAFETY: a query without arguments.
    unsafe { libc::gettid() }
}

#[derive(Clone, Copy, Debug)]
pub struct Truth {
    pub from_ns: u64,
    pub to_ns: u64,
    pub alone: bool,
}

impl Truth {
    pub fn new(from_ns: u64, to_ns: u64) -> Self {
        Self { from_ns, to_ns, alone: true }
    }

    pub fn length_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    // Its part of the time from the stimulus to the response; `None` if other threads had a part, which only the trace knows.
    pub fn share_of(&self, sample: &Sample) -> f64 {
        if self.alone { self.share_with_others(sample) } else { 0.0 }
    }

    fn share_with_others(&self, sample: &Sample) -> f64 {
        let from = self.from_ns.max(sample.stimulus_ns);
        let to = self.to_ns.min(sample.response_ns);
        to.saturating_sub(from) as f64 / sample.latency().max(1) as f64
    }
}

// Longer than a spinning thread needs between two clock readings: another thread had the CPU.
const GAP_NS: u64 = 20_000;
const GAPS_NS: u64 = 200_000;

pub fn spin_until(at_ns: u64) -> Option<Truth> {
    let from_ns = now_ns();
    let (mut before, mut gaps_ns) = (from_ns, 0);
    while before < at_ns {
        let now = now_ns();
        gaps_ns += Some(now - before).filter(|gap| *gap > GAP_NS).unwrap_or(0);
        before = now;
    }
    Some(Truth { alone: gaps_ns < GAPS_NS, ..Truth::new(from_ns, before) })
}

pub fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> std::thread::JoinHandle<T> {
    std::thread::Builder::new().name(name.into()).spawn(work).unwrap()
}

// Injects `trials` times around a stimulus on a CPU; in each the largest share must be the true cause's, and as long as the cause
// itself says, within 10 %. On a machine that disturbs every injection some of them must still make the probe late: an injector
// that makes nobody late is broken.
pub fn named_each_time(
    test: &str,
    cpu: u32,
    trials: u64,
    inject: impl Fn(u32, u64) -> Option<Truth> + Send + Clone + 'static,
    right: impl Fn(&Share) -> bool,
) {
    let (mut left, mut fruitless, mut late) = (trials, 0, 0);
    while left > 0 {
        let some = left.min(TRIALS_AT_ONCE);
        let Some(recorder) = recorder(test, cpu) else { return };
        let inject = inject.clone();
        let work = move || inject_some(recorder, cpu, some, inject);
        let Injected { report, true_shares, late: some_late } = thread("probe", work).join().unwrap();
        late += some_late;
        fruitless += u64::from(true_shares.is_empty());
        if fruitless > FRUITLESS {
            let judged = trials - left;
            assert!(late > 0, "{test}, CPU {cpu}: the injector made the probe late in none of {fruitless} recordings");
            let why = "this machine never left an injection alone by its own clock";
            return skip(test, format_args!("CPU {cpu}: in {fruitless} recordings {why}; {judged} of {trials} judged"));
        }
        for (seq, truth) in &true_shares {
            let blamed = report.blamed.iter().find(|blamed| blamed.sample.seq == *seq);
            let blamed = blamed.unwrap_or_else(|| panic!("CPU {cpu}: {seq} is not blamed: {:?}", report.worst));
            check(test, cpu, blamed, *truth, &right, &report);
        }
        left -= true_shares.len() as u64;
    }
    named(test, cpu, trials);
}

fn is_interrupt(share: &Share) -> bool {
    share.culprit.is_some_and(|culprit| matches!(culprit.holder, Holder::Section(Section::Interrupt(_))))
}

fn check(
    test: &str,
    cpu: u32,
    blamed: &DividedResponse,
    truth: f64,
    right: &impl Fn(&Share) -> bool,
    report: &TraceReport,
) {
    let latency = blamed.sample.latency();
    let line = accused::line(&report.blame(blamed.sample.seq).unwrap(), latency);
    assert_eq!(blamed.blame.total(), latency);
    let first = &blamed.blame.shares[0];
    assert!(right(first), "{test}, CPU {cpu}: {line}");
    let told = first.ns as f64 / latency as f64;
    // The injector's clock goes on while an interrupt has its CPU, which is the interrupt's own share.
    let interrupts =
        blamed.blame.shares[1..].iter().filter(|share| is_interrupt(share)).map(|share| share.ns).sum::<u64>();
    let least = truth - interrupts as f64 / latency as f64 - 0.1;
    assert!((least..truth + 0.1).contains(&told), "{test}, CPU {cpu}: true share {truth:.2}, told {told:.2}: {line}");
}

struct Injected {
    report: TraceReport,
    // The true share of responses with the cause and no other delay.
    true_shares: Vec<(u64, f64)>,
    late: u64,
}

fn inject_some(
    recorder: Recorder,
    cpu: u32,
    trials: u64,
    inject: impl Fn(u32, u64) -> Option<Truth> + Send + Clone + 'static,
) -> Injected {
    recorder.watch(become_thread(cpu, PROBE_PRIORITY)).unwrap();
    let (mut true_shares, mut late) = (Vec::new(), 0);
    for seq in 0..tries(trials) {
        let stimulus_ns = now_ns() + 15_000_000;
        let inject = inject.clone();
        let cause = thread("injected-cause", move || inject(cpu, stimulus_ns));
        sleep_until(stimulus_ns);
        let sample = Sample { seq, stimulus_ns, response_ns: now_ns() };
        recorder.sample(sample);
        let truth = cause.join().unwrap();
        let share = truth.map_or(0.0, |truth| truth.share_of(&sample));
        let with_others = truth.map_or(0.0, |truth| truth.share_with_others(&sample));
        late += u64::from(with_others > 0.7 && sample.latency() > 500_000);
        // Below it, something else took most of the time; the trace may be right to name that.
        if share > 0.7 && sample.latency() > 500_000 {
            true_shares.push((seq, share));
        }
        if true_shares.len() as u64 == trials {
            break;
        }
    }
    Injected { report: recorder.finish().unwrap(), true_shares, late }
}
