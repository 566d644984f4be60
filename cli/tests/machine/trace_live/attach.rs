// SPDX-License-Identifier: MIT OR Apache-2.0
//! A known thread, followed from outside: every wake-up is one activation, and injected causes are named.
use super::inject::{self, PROBE_PRIORITY, Truth, become_thread, now_ns, pin, sleep_until, spin_until};
use backwall_ftrace::TraceError;
use backwall_ftrace::attached::{AttachPlan, AttachReport, Attached, AttachedThread};
use backwall_os::affinity;
use backwall_report::trace::accused;
use backwall_trace::Sample;
use std::sync::mpsc;

// Follows `work` in its own thread; `None`, with the reason printed, if this machine forbids it.
pub fn followed<T: Send + 'static>(
    test: &str,
    cpu: u32,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(AttachReport, T)> {
    let (say, hear) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let worker = inject::thread("injected-users", move || {
        say.send(become_thread(cpu, PROBE_PRIORITY)).unwrap();
        wait.recv().unwrap();
        work()
    });
    let thread = AttachedThread { id: hear.recv().unwrap(), name: "injected-users".into(), held: false, quota: None };
    let attached = Attached::start(&[thread], &affinity::allowed(), AttachPlan::default(), None);
    go.send(()).unwrap();
    let done = worker.join().unwrap();
    match attached {
        Ok(attached) => Some((attached.finish().unwrap(), done)),
        Err(reason @ (TraceError::NoTracefs { .. } | TraceError::File { .. } | TraceError::NoEvent { .. })) => {
            inject::skip(test, reason);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_wake_up_of_a_known_thread_is_an_activation_on_whichever_processor() {
    const TEST: &str = "every_wake_up_of_a_known_thread_is_an_activation";
    const SLEEPS: u64 = 1_000;
    if !inject::possible(TEST) {
        return;
    }
    let cpus = affinity::allowed();
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    let sleeps = move || {
        for seq in 0..SLEEPS {
            if seq == SLEEPS / 2 {
                pin(0, last);
            }
            sleep_until(now_ns() + 500_000);
        }
    };
    let Some((report, ())) = followed(TEST, first, sleeps) else { return };
    // Beside the sleeps it is woken to begin, and to be moved.
    let (series, stages) = (&report.series[0], &report.stages[0]);
    let (due, lost) = (series.due.unwrap(), series.unseen);
    assert!((SLEEPS..SLEEPS + 10).contains(&due), "{due} due: {:?}", report.warnings);
    // Some kernels record no switch from some of their threads: the next event proves that the thread had come. Who it was is told.
    let unrecorded = report.unrecorded;
    assert!(lost * 1_000 <= due && unrecorded * 20 <= due, "{lost} of {due} not seen: {:?}", report.warnings);
    assert!(
        lost == 0 || report.warnings.iter().any(|warning| warning.text.contains("did not see the end")),
        "{:?}",
        report.warnings
    );
    assert_eq!((due, stages.events_lost), (series.done + lost, 0));
    assert!(first == last || report.warnings.iter().any(|warning| warning.text.contains("the thread ran on CPU ")));
    assert_eq!(stages.causes.iter().map(|cause| cause.largest_in).sum::<u64>(), stages.blamed);
}

// Keeps the processor around the instant at which the followed thread is made ready.
fn hog(cpu: u32, at_ns: u64) -> Option<Truth> {
    become_thread(cpu, PROBE_PRIORITY + 10);
    sleep_until(at_ns - 1_000_000);
    spin_until(at_ns + 3_000_000)
}

// The due times of the thread, and its own view of each delay, until it was delayed this often.
fn held_up(cpu: u32, wanted: u64) -> Vec<(Sample, Truth)> {
    let held_up = |seq| {
        let stimulus_ns = now_ns() + 15_000_000;
        let cause = inject::thread("injected-cause", move || hog(cpu, stimulus_ns));
        sleep_until(stimulus_ns);
        let sample = Sample { seq, stimulus_ns, response_ns: now_ns() };
        cause.join().unwrap().filter(|truth| truth.share_of(&sample) > 0.7).map(|truth| (sample, truth))
    };
    (0..wanted * inject::TRIES_PER_TRIAL).filter_map(held_up).take(wanted as usize).collect()
}

#[test]
fn a_thread_above_a_known_thread_is_named() {
    const TEST: &str = "a_thread_above_a_known_thread_is_named";
    if !inject::possible(TEST) {
        return;
    }
    for cpu in affinity::allowed() {
        let Some((report, held_up)) = followed(TEST, cpu, move || held_up(cpu, inject::trials(8))) else { return };
        assert!(!held_up.is_empty(), "{TEST}: the cause never came about on CPU {cpu}");
        let long: Vec<_> = report.stages[0].worst.iter().filter(|worst| worst.value > 2_000_000).collect();
        assert!(
            long.len() >= held_up.len().min(20),
            "{} of {}: {:?}",
            long.len(),
            held_up.len(),
            report.stages[0].worst
        );
        let named = long
            .iter()
            .filter(|worst| accused::line(worst.blame.as_ref().unwrap(), worst.value).contains("injected-cause"))
            .count();
        assert!(named >= held_up.len().min(20), "CPU {cpu}: {named} of {} named: {long:?}", held_up.len());
    }
}
