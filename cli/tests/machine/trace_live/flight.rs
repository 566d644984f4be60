// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flight recorder keeps the trace around a response that crosses the limit, and names its cause.
use super::inject::{self, PROBE_PRIORITY, Truth, become_thread, now_ns, sleep_until, spin_until};
use backwall_ftrace::flight::{Flight, FlightPlan, FlightReport, Limit};
use backwall_ftrace::recording_file;
use backwall_os::affinity;
use backwall_report::trace::accused;
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::{Sample, TraceConfig};
use std::path::Path;

const ABOVE_NS: u64 = 2_000_000;
const TRIES: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum Told {
    Soon,
    // When all are over, as for a stream that nobody had time to read.
    Late,
}

// The recording, and the responses that our thread delayed for most of their time.
struct Flown {
    report: FlightReport,
    held_up: Vec<u64>,
}

// Three responses that something above the probe makes late, among others; `None` where this machine forbids it.
fn fly(test: &str, cpu: u32, folder: &Path, ends: bool, told: Told) -> Option<Flown> {
    if !inject::possible(test) {
        return None;
    }
    let plan = FlightPlan {
        limit: Limit::Above(ABOVE_NS),
        ends,
        folder: folder.to_path_buf(),
        stretch: 1,
        words: accused::line,
    };
    let config = TraceConfig { cpu, ..TraceConfig::default() };
    let flight = Flight::start(config, &[cpu], plan, "wakeup").unwrap();
    Some(inject::thread("probe", move || measure(flight, cpu, ends, told)).join().unwrap())
}

fn measure(mut flight: Flight, cpu: u32, ends: bool, told: Told) -> Flown {
    flight.watch(&[become_thread(cpu, PROBE_PRIORITY)]).unwrap();
    let (mut waiting, mut held_up) = (Vec::new(), Vec::new());
    for seq in 0..60 {
        let stimulus_ns = now_ns() + 5_000_000;
        let hog = (seq % 20 == 15).then(|| inject::thread("injected-cause", move || hog(cpu, stimulus_ns)));
        sleep_until(stimulus_ns);
        let sample = Sample { seq, stimulus_ns, response_ns: now_ns() };
        let truth = hog.and_then(|hog| hog.join().unwrap());
        held_up.extend(truth.filter(|truth| truth.share_of(&sample) > 0.7).map(|_| seq));
        sleep_until(now_ns() + 3_000_000);
        waiting.push(sample);
        let told = if told == Told::Soon || seq == 59 { waiting.split_off(0) } else { Vec::new() };
        let ended = told.into_iter().any(|sample| flight.sample(0, sample));
        assert!(ends || !ended);
        if ended {
            break;
        }
    }
    Flown { report: flight.finish(), held_up }
}

fn hog(cpu: u32, stimulus_ns: u64) -> Option<Truth> {
    become_thread(cpu, PROBE_PRIORITY + 10);
    sleep_until(stimulus_ns - 1_000_000);
    spin_until(stimulus_ns + 2 * ABOVE_NS)
}

// The time that the kept recording spans; it is one that every command reads.
fn span_of(folder: &Path) -> (u64, u64) {
    let (file, mut stored) = recording_file::open(folder).unwrap();
    let question = Question { above_ns: ABOVE_NS, whose: Whose::RealTime, timers: true, marks: false, to_end: false };
    let (told, _) = recording_file::told(&file, &mut stored, Lates::new(question)).unwrap();
    (told.summary.begin_ns, told.summary.begin_ns + told.summary.span_ns)
}

#[test]
fn every_crossing_is_kept_with_its_cause_and_the_recorder_goes_on() {
    const TEST: &str = "every_crossing_is_kept_with_its_cause_and_the_recorder_goes_on";
    let scenes = affinity::allowed().into_iter().flat_map(|cpu| [(cpu, Told::Soon), (cpu, Told::Late)]);
    for (cpu, told) in scenes {
        // What the machine itself makes late is kept too; of ours some may not come about.
        let named = (0..TRIES).try_fold(0, |named, _| match named {
            ..2 => Some(named + named_crossings(TEST, cpu, told)?),
            enough => Some(enough),
        });
        assert!(named.is_none_or(|named| named >= 2), "CPU {cpu}: {named:?} of {TRIES} times three crossings");
    }
}

// How many of our crossings were kept, each rightly named; `None` where this machine forbids it.
fn named_crossings(test: &str, cpu: u32, told: Told) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let Flown { report, held_up } = fly(test, cpu, folder.path(), false, told)?;
    assert!(told == Told::Soon || report.while_held == 0, "{report:?}");
    assert!(report.failure.is_none() && report.events_lost == 0, "{report:?}");
    let ours: Vec<_> = report.snapshots.iter().filter(|snapshot| held_up.contains(&snapshot.sample.seq)).collect();
    let named = ours.iter().all(|snapshot| snapshot.told.contains("injected-cause"));
    assert!(named, "CPU {cpu}: {report:?}");
    let missing = (held_up.len() - ours.len()) as u64;
    assert!(missing <= report.more + report.while_held, "CPU {cpu}: {held_up:?} {report:?}");
    for snapshot in &report.snapshots {
        let (from_ns, to_ns) = span_of(&folder.path().join(&snapshot.name));
        assert!(from_ns < snapshot.sample.stimulus_ns && to_ns > snapshot.sample.response_ns, "{snapshot:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), report.snapshots.len());
    Some(ours.len())
}

// The longest response is the one that we hold up longest, and its cause is named although nothing is written.
#[test]
fn the_longest_response_of_a_phase_has_its_own_cause() {
    const TEST: &str = "the_longest_response_of_a_phase_has_its_own_cause";
    if !inject::possible(TEST) {
        return;
    }
    let (cpu, folder) = (*affinity::allowed().last().unwrap(), tempfile::tempdir().unwrap());
    let rightly = (0..TRIES).any(|_| {
        let plan = FlightPlan {
            limit: Limit::Worst,
            ends: false,
            folder: folder.path().to_path_buf(),
            stretch: 1,
            words: accused::line,
        };
        let flight = Flight::start(TraceConfig { cpu, ..TraceConfig::default() }, &[cpu], plan, "wakeup").unwrap();
        let Flown { report, held_up } =
            inject::thread("probe", move || measure(flight, cpu, false, Told::Soon)).join().unwrap();
        assert!(report.failure.is_none() && report.snapshots.is_empty(), "{report:?}");
        let latencies: Vec<u64> = report.worst.iter().map(|worst| worst.sample.latency()).collect();
        assert!(latencies.is_sorted() && !latencies.is_empty(), "each was the longest so far: {latencies:?}");
        let longest = report.worst.last().unwrap();
        held_up.contains(&longest.sample.seq)
            && accused::line(&longest.blame, longest.sample.latency()).contains("injected-cause")
    });
    assert!(rightly, "in none of {TRIES} measurements the longest response was ours, and rightly named");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
}

#[test]
fn the_first_crossing_can_end_the_measurement() {
    const TEST: &str = "the_first_crossing_can_end_the_measurement";
    let folder = tempfile::tempdir().unwrap();
    let cpu = *affinity::allowed().last().unwrap();
    let Some(Flown { report, .. }) = fly(TEST, cpu, folder.path(), true, Told::Soon) else { return };
    assert_eq!((report.snapshots.len(), report.more), (1, 0));
    assert!(report.snapshots[0].sample.latency() > ABOVE_NS);
}

// Two threads, each delayed in turn; each crossing names its own cause.
#[test]
fn of_several_measured_threads_each_crossing_is_kept_apart() {
    const TEST: &str = "of_several_measured_threads_each_crossing_is_kept_apart";
    if !inject::possible(TEST) {
        return;
    }
    let allowed = affinity::allowed();
    let cpus = [allowed[0], *allowed.last().unwrap()];
    let folder = tempfile::tempdir().unwrap();
    let mut named = [0, 0];
    for number in 0..TRIES {
        if !named.contains(&0) {
            break;
        }
        let [one, other] = both(cpus, &folder.path().join(number.to_string()));
        named = [named[0] + one, named[1] + other];
    }
    assert!(named[0] >= 1 && named[1] >= 1, "CPUs {cpus:?}: {named:?} in {TRIES} tries");
}

// How often a crossing that we caused was kept for each of two threads, rightly named.
fn both(cpus: [u32; 2], folder: &Path) -> [usize; 2] {
    let plan = FlightPlan {
        limit: Limit::Above(ABOVE_NS),
        ends: false,
        folder: folder.to_path_buf(),
        stretch: 1,
        words: accused::line,
    };
    let mut flight = Flight::start(TraceConfig::default(), &cpus, plan, "wakeup").unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let probes = [0, 1].map(|place: usize| {
        let tell = tell.clone();
        inject::thread("probe", move || {
            tell.send((place, become_thread(cpus[place], PROBE_PRIORITY))).unwrap();
            sleep_until(now_ns() + 200_000_000);
            // At different times: what two processors suffer at once is the machine's.
            in_turn(cpus[place], 10 + 20 * place as u64)
        })
    });
    let mut threads: Vec<(usize, i32)> = told.iter().take(2).collect();
    threads.sort_unstable();
    flight.watch(&[threads[0].1, threads[1].1]).unwrap();
    let ran = probes.map(|probe| probe.join().unwrap());
    for (place, (samples, _)) in ran.iter().enumerate() {
        samples.iter().for_each(|sample| assert!(!flight.sample(place, *sample)));
    }
    let report = flight.finish();
    assert!(report.failure.is_none() && report.events_lost == 0, "{report:?}");
    let mut place = 0;
    ran.map(|(_, held_up)| {
        let ours: Vec<_> = report
            .snapshots
            .iter()
            .filter(|snapshot| snapshot.cpu == cpus[place] && held_up.contains(&snapshot.sample))
            .collect();
        for snapshot in &ours {
            assert!(snapshot.told.contains("injected-cause"), "CPU {}: {report:?}", cpus[place]);
            let (from_ns, to_ns) = span_of(&folder.join(&snapshot.name));
            assert!(from_ns < snapshot.sample.stimulus_ns && to_ns > snapshot.sample.response_ns, "{snapshot:?}");
        }
        place += 1;
        ours.len()
    })
}

fn in_turn(cpu: u32, held_up_at: u64) -> (Vec<Sample>, Vec<Sample>) {
    let (mut samples, mut held_up) = (Vec::new(), Vec::new());
    for seq in 0..40 {
        let stimulus_ns = now_ns() + 5_000_000;
        let hog = (seq == held_up_at).then(|| inject::thread("injected-cause", move || hog(cpu, stimulus_ns)));
        sleep_until(stimulus_ns);
        let sample = Sample { seq, stimulus_ns, response_ns: now_ns() };
        let truth = hog.and_then(|hog| hog.join().unwrap());
        held_up.extend(truth.filter(|truth| truth.share_of(&sample) > 0.7).map(|_| sample));
        samples.push(sample);
    }
    (samples, held_up)
}
