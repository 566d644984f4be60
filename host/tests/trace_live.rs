// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorder against this machine's kernel. Where tracefs is missing or forbidden each test says so and why.
use backwall::trace::blame::Cause;
use backwall::trace::processor::Holder;
use backwall::trace::{Recorder, Sample, TraceConfig, TraceError, TraceReport};
use std::io::Write;

const PROBE_PRIORITY: i32 = 80;

/// `None`, with the reason printed, where this machine forbids the trace.
fn recorder(test: &str) -> Option<Recorder> {
    match Recorder::start(TraceConfig { cpu: 0, keep: 1_000 }) {
        Ok(recorder) => Some(recorder),
        Err(reason @ (TraceError::NoTracefs { .. } | TraceError::File { .. } | TraceError::NoEvent { .. })) => {
            // Not by a print macro, whose text a passing test would swallow.
            let _ = writeln!(std::io::stderr(), "SKIP {test}: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn sleep_until(at_ns: u64) {
    let at = libc::timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as i64 };
    // SAFETY: `at` is valid for reading; no remaining time is asked for.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &at, std::ptr::null_mut()) };
}

/// Pins the calling thread and, where allowed, makes it real-time; ordinary threads have timer slack of 1 ns.
fn become_probe(cpu: u32, priority: i32) -> i32 {
    // SAFETY: the set and the parameter are valid for the calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        libc::sched_setaffinity(0, std::mem::size_of_val(&set), &set);
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &libc::sched_param { sched_priority: priority });
        libc::gettid()
    }
}

/// A thread that sleeps `count` times until an absolute instant, recorded.
fn record(recorder: Recorder, cpu: u32, count: u64, period_ns: u64) -> (TraceReport, Vec<Sample>) {
    let probe = std::thread::spawn(move || {
        recorder.watch(become_probe(cpu, PROBE_PRIORITY)).unwrap();
        let first = monotonic_ns() + 1_000_000;
        let samples: Vec<_> = (0..count)
            .map(|seq| {
                let stimulus_ns = first + seq * period_ns;
                sleep_until(stimulus_ns);
                Sample { seq, stimulus_ns, response_ns: monotonic_ns() }
            })
            .collect();
        samples.iter().for_each(|sample| recorder.sample(*sample));
        (recorder, samples)
    });
    let (recorder, samples) = probe.join().unwrap();
    (recorder.finish().unwrap(), samples)
}

#[test]
fn the_kernel_stages_of_each_wake_up_lie_between_its_expiry_and_its_response() {
    let Some(recorder) = recorder("the_kernel_stages_of_each_wake_up_lie_between_its_expiry_and_its_response") else {
        return;
    };
    let (report, samples) = record(recorder, 0, 500, 1_000_000);
    assert_eq!(report.stages.matched + report.stages.unmatched, 500);
    assert_eq!(report.stages.events_lost, 0);
    assert!(report.stages.matched >= 490, "{}", report.stages.matched);
    assert_eq!(report.kept.len() as u64, report.stages.matched);
    for matched in &report.kept {
        let sample = samples[matched.sample.seq as usize];
        assert_eq!(matched.sample, sample);
        assert_eq!(matched.stages().iter().sum::<u64>(), sample.response_ns - sample.stimulus_ns);
        let wake_up = matched.wake_up;
        assert!(wake_up.isr_at <= wake_up.waking_at && wake_up.waking_at <= wake_up.switch_in_at);
        assert!(wake_up.kernel_end() <= sample.response_ns, "{matched:?}");
    }
}

/// Keeps the processor from 1 ms before an instant to 3 ms after it, above the probe.
fn hog_around(stimulus_ns: u64) {
    become_probe(0, PROBE_PRIORITY + 10);
    sleep_until(stimulus_ns - 1_000_000);
    while monotonic_ns() < stimulus_ns + 3_000_000 {}
}

#[test]
fn a_thread_that_we_put_in_the_way_is_the_one_that_is_blamed() {
    // SAFETY: a query without arguments.
    if unsafe { libc::geteuid() } != 0 {
        let _ = writeln!(
            std::io::stderr(),
            "SKIP a_thread_that_we_put_in_the_way_is_the_one_that_is_blamed: no right to real-time priority"
        );
        return;
    }
    let Some(recorder) = recorder("a_thread_that_we_put_in_the_way_is_the_one_that_is_blamed") else { return };
    let probe = std::thread::spawn(move || {
        recorder.watch(become_probe(0, PROBE_PRIORITY)).unwrap();
        for seq in 0..5 {
            let stimulus_ns = monotonic_ns() + 20_000_000;
            let hog = std::thread::Builder::new().name("injected-hog".into());
            let hog = hog.spawn(move || hog_around(stimulus_ns)).unwrap();
            sleep_until(stimulus_ns);
            recorder.sample(Sample { seq, stimulus_ns, response_ns: monotonic_ns() });
            hog.join().unwrap();
        }
        recorder
    });
    let report = probe.join().unwrap().finish().unwrap();
    for blamed in &report.blamed {
        assert_eq!(blamed.blame.total(), blamed.sample.response_ns - blamed.sample.stimulus_ns);
    }
    let lines: Vec<String> = (0..5).filter_map(|seq| report.blame_line(seq)).collect();
    // Five tries, because a machine may wake the hog itself too late.
    let named = report.blamed.iter().any(|blamed| {
        let first = blamed.blame.shares[0];
        let hog = matches!(first.culprit, Some(Holder::Thread(thread)) if thread.name.to_string() == "injected-hog");
        hog && first.cause == Cause::Interference && first.ns >= 2_500_000
    });
    assert!(named, "{lines:#?}");
}
