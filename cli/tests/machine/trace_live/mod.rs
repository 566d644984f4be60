// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorder on this machine's kernel. Skipped with a reason if tracefs is missing or forbidden.
mod attach;
mod causes;
mod flight;
mod inject;
mod masked;
mod starved;

use backwall_ftrace::Recorder;
use backwall_os::affinity;
use backwall_trace::{Sample, TraceReport};
use inject::{PROBE_PRIORITY, become_thread, now_ns, sleep_until};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn record(recorder: Recorder, cpu: u32, count: u64, period_ns: u64) -> (TraceReport, Vec<Sample>) {
    let probe = inject::thread("probe", move || {
        recorder.watch(become_thread(cpu, PROBE_PRIORITY)).unwrap();
        let first = now_ns() + 1_000_000;
        let samples: Vec<_> = (0..count)
            .map(|seq| {
                let stimulus_ns = first + seq * period_ns;
                sleep_until(stimulus_ns);
                Sample { seq, stimulus_ns, response_ns: now_ns() }
            })
            .collect();
        samples.iter().for_each(|sample| recorder.sample(*sample));
        (recorder, samples)
    });
    let (recorder, samples) = probe.join().unwrap();
    (recorder.finish().unwrap(), samples)
}

fn check_stages(report: &TraceReport, samples: &[Sample]) {
    assert_eq!(report.kept.len() as u64, report.joined.matched);
    for matched in &report.kept {
        let sample = samples[matched.sample.seq as usize];
        assert_eq!(matched.sample, sample);
        assert_eq!(matched.stages().iter().sum::<u64>(), sample.response_ns - sample.stimulus_ns);
        let wake_up = matched.wake_up;
        assert!(wake_up.isr_at <= wake_up.waking_at && wake_up.waking_at <= wake_up.switch_in_at);
        assert!(wake_up.kernel_end() <= sample.response_ns, "{matched:?}");
    }
}

// At least 999 of 1000 on every CPU; the CPU is filled with work, or left idle.
fn nearly_all_are_seen_whole(test: &str, busy: bool) {
    for cpu in affinity::allowed() {
        let Some(recorder) = inject::recorder(test, cpu) else { return };
        let stop = Arc::new(AtomicBool::new(!busy));
        let told = stop.clone();
        let work = inject::thread("busy", move || {
            become_thread(cpu, 0);
            while !told.load(Ordering::Relaxed) {
                // System calls too: a kernel that cannot be preempted is then met at work.
                std::hint::black_box(std::fs::read("/proc/self/stat").unwrap().len());
            }
        });
        let (report, samples) = record(recorder, cpu, 3_000, 500_000);
        stop.store(true, Ordering::Relaxed);
        work.join().unwrap();
        let backwall_trace::stages::Joined { matched, unmatched, inferred, .. } = report.joined;
        assert_eq!((matched + unmatched, report.events_lost), (3_000, 0), "CPU {cpu}");
        assert!(
            unmatched <= 3,
            "CPU {cpu}: {unmatched} of 3000 not seen whole, {inferred} inferred: {:?}",
            report.warnings
        );
        check_stages(&report, &samples);
    }
}

#[test]
fn nearly_all_responses_of_an_idle_processor_are_seen_whole() {
    nearly_all_are_seen_whole("nearly_all_responses_of_an_idle_processor_are_seen_whole", false);
}

#[test]
fn nearly_all_responses_of_a_busy_processor_are_seen_whole() {
    nearly_all_are_seen_whole("nearly_all_responses_of_a_busy_processor_are_seen_whole", true);
}
