// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler's share for ordinary threads under a busy real-time thread: the fair server, or the gap of real-time throttling. Each is
//! named, on each CPU.
use super::causes::{BELOW, Busy, culprit, on_each_processor};
use super::inject::{self, PROBE_PRIORITY, Truth, become_thread, now_ns, sleep_until, spin_until};
use backwall_trace::Sample;
use backwall_trace::blame::Cause;

// Ordinary work, a real-time thread below the probe that leaves it nothing, and a probe that waits often. What the
// kernel shows, and when the ordinary work had the processor.
fn starve(test: &str, cpu: u32) -> Option<(backwall_trace::TraceReport, Vec<Truth>)> {
    let recorder = inject::recorder(test, cpu)?;
    let busy = Busy::on(cpu);
    let probe = inject::thread("probe", move || {
        recorder.watch(become_thread(cpu, PROBE_PRIORITY)).unwrap();
        let end_ns = now_ns() + 2_500_000_000;
        let hog = inject::thread("injected-cause", move || {
            become_thread(cpu, BELOW);
            spin_until(end_ns);
        });
        for seq in 0.. {
            let stimulus_ns = now_ns() + 2_000_000;
            sleep_until(stimulus_ns);
            recorder.sample(Sample { seq, stimulus_ns, response_ns: now_ns() });
            if stimulus_ns > end_ns {
                break;
            }
        }
        hog.join().unwrap();
        recorder.finish().unwrap()
    });
    let report = probe.join().unwrap();
    Some((report, busy.end()))
}

fn check_starved(report: &backwall_trace::TraceReport, runs: &[Truth]) -> usize {
    let held_up = |sample: &Sample| runs.iter().map(|run| run.share_of(sample)).sum::<f64>() > 0.7;
    let starved = report.blamed.iter().filter(|blamed| blamed.sample.latency() > 10_000_000 && held_up(&blamed.sample));
    let check = |blamed: &backwall_trace::blame::worst::DividedResponse| {
        let first = &blamed.blame.shares[0];
        let right = first.cause == Cause::Throttling && culprit(first) == "injected-busy";
        assert!(right, "{:?}", report.blame(blamed.sample.seq));
    };
    starved.inspect(|blamed| check(blamed)).count()
}

// Since Linux 6.12, in place of real-time throttling.
fn has_fair_server() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let numbers: Vec<u32> = release.split(['.', '-']).map_while(|word| word.parse().ok()).collect();
    numbers >= vec![6, 12]
}

#[test]
fn the_fair_server() {
    const TEST: &str = "the_fair_server";
    if !has_fair_server() {
        return inject::skip(TEST, "this kernel has none");
    }
    on_each_processor(TEST, |cpu| {
        let wanted = inject::trials(1);
        let mut seen = 0;
        // Other ordinary work may be served instead of ours.
        for _ in 0..5 * wanted {
            let Some((report, runs)) = starve(TEST, cpu) else { return };
            seen += check_starved(&report, &runs) as u64;
            if seen >= wanted {
                return inject::named(TEST, cpu, seen);
            }
        }
        panic!("CPU {cpu}: {seen} responses were held up by ordinary work, {wanted} wanted");
    });
}

#[test]
fn throttling() {
    const TEST: &str = "throttling";
    let runtime = std::fs::read_to_string("/proc/sys/kernel/sched_rt_runtime_us").unwrap_or_default();
    if has_fair_server() {
        return inject::skip(TEST, "this kernel has the fair server in its place");
    }
    if runtime.trim() == "-1" {
        return inject::skip(TEST, "sched_rt_runtime_us is -1");
    }
    on_each_processor(TEST, |cpu| {
        let Some((report, _)) = starve(TEST, cpu) else { return };
        let long = report.blamed.iter().filter(|blamed| blamed.sample.latency() > 20_000_000);
        let throttled = long.filter(|blamed| blamed.blame.shares[0].cause == Cause::Throttling);
        assert!(throttled.count() > 0, "CPU {cpu}: {:?}", report.worst.first());
    });
}
