// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linux guests: booted, restored from saved states, and frequency searches. Wall-clock times are valid on an idle machine only,
//! so the conditions include the CPU time.
use super::{children_seconds, print, run};
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::generator::Generator;
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::Scenario;
use backwall_lab::{saturate, shipped};
use backwall_os::parallel;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

const BOOT_GOAL_SECONDS: f64 = 60.0;
const FIRST_EDGE_GOAL_SECONDS: f64 = 2.0;
const TRIAL_GOAL_SECONDS: f64 = 0.5;
const MANY_PULSES: u64 = 100_000;
const MANY_GOAL_SECONDS: f64 = 60.0;
const SEARCH_GOAL_SECONDS: f64 = 90.0;
const MODES_GOAL: f64 = 0.97;
const MODES_PULSES: u64 = 10_000;
const MODES_REPEATS: usize = 3;
const REPEATS: usize = 5;

pub(super) fn figures(emulator: &Emulator) {
    boots(emulator);
    let folder = tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o700)).tempdir();
    let folder = folder.expect("a folder");
    let states = Some(Shelf::at(folder.path()).expect("a folder of our own"));
    let settings = Settings { states, ..Settings::default() };
    for name in ["linux-stock", "linux-rt", "linux-stock-polygons"] {
        run(emulator, &with(name, |generator| generator.count = 1), &settings); // the first run saves the state
    }
    first_edge(emulator, &settings);
    trial(emulator, &settings);
    modes(emulator, &settings);
    many_pulses(emulator, &settings);
    search(emulator, &settings);
}

fn shipped(name: &str) -> Scenario {
    shipped::find(name).expect("a shipped scenario").remove(0)
}

fn with(name: &str, change: impl Fn(&mut Generator)) -> Scenario {
    let mut scenario = shipped(name);
    let generator = scenario.generator.a.as_mut().expect("a generator");
    generator.warmup = 0;
    change(generator);
    scenario
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (begun, before) = (Instant::now(), children_seconds());
    let result = work();
    (result, begun.elapsed().as_secs_f64(), children_seconds() - before)
}

// The shortest wall-clock time of some repetitions, with its CPU time.
fn best(mut work: impl FnMut()) -> (f64, f64) {
    let times = (0..REPEATS).map(|_| timed(&mut work)).map(|(_, wall, processor)| (wall, processor));
    times.min_by(|one, other| one.0.total_cmp(&other.0)).expect("repeats")
}

// Both kernels in parallel, 2,000 pulses each, from the start of QEMU until the edges are read.
fn boots(emulator: &Emulator) {
    let scenarios = [shipped("linux-stock"), shipped("linux-rt")];
    let each = |scenario: &Scenario| run(emulator, scenario, &Settings::default());
    let (runs, _, processor) = timed(|| parallel::map(&scenarios, scenarios.len(), each));
    let conditions = format!("boot included, both kernels side by side; {processor:.1} s of processor time for both");
    for (scenario, run) in scenarios.iter().zip::<Vec<BenchRun>>(runs) {
        let name = format!("lab: {}, 2,000 pulses", scenario.name);
        print(&name, run.seconds, "s", BOOT_GOAL_SECONDS, false, &conditions);
    }
}

// The time from the command to the first edge: at most that of a whole run with one pulse.
fn first_edge(emulator: &Emulator, settings: &Settings) {
    for name in ["linux-stock", "linux-rt"] {
        let scenario = with(name, |generator| generator.count = 1);
        let (wall, processor) = best(|| assert!(run(emulator, &scenario, settings).restored));
        let conditions = format!(
            "a run of one pulse from its saved state, kernel and initial file system prepared anew, the end included; \
             {processor:.2} s of processor time, best of {REPEATS}"
        );
        print(&format!("lab: {name} to its first edge"), wall, "s", FIRST_EDGE_GOAL_SECONDS, false, &conditions);
    }
}

// A trial of a search with a single pulse: its fixed cost.
fn trial(emulator: &Emulator, settings: &Settings) {
    let scenario = with("linux-stock-polygons", |generator| generator.count = 1);
    let (wall, processor) = best(|| {
        bench::record(&scenario, emulator, settings).expect("a trial");
    });
    let conditions = format!(
        "linux-stock-polygons from its saved state, one pulse, to the read edges; {processor:.2} s of processor time, best of {REPEATS}"
    );
    print("lab: a trial beyond its pulses", wall, "s", TRIAL_GOAL_SECONDS, false, &conditions);
}

// A guest that runs mostly in user mode, with and without counting per mode, alternating. A one-pulse run gives the fixed cost:
// all code is translated again to count it.
fn modes(emulator: &Emulator, settings: &Settings) {
    let seconds = |pulses: u64, modes: bool| {
        let scenario = with("linux-stock-polygons", |generator| generator.count = pulses);
        let settings = Settings { modes, ..settings.clone() };
        timed(|| run(emulator, &scenario, &settings)).2
    };
    let both = |pulses: u64| {
        let pairs = (0..MODES_REPEATS).map(|_| (seconds(pulses, false), seconds(pulses, true)));
        pairs.fold((f64::INFINITY, f64::INFINITY), |best, pair| (best.0.min(pair.0), best.1.min(pair.1)))
    };
    let ((short, short_split), (without, with)) = (both(1), both(MODES_PULSES));
    let conditions = format!(
        "processor time of {MODES_PULSES} pulses of linux-stock-polygons from its saved state without the split over with it \
         ({without:.2} s, {with:.2} s; one pulse: {short:.2} s, {short_split:.2} s), in turn, best of {MODES_REPEATS}"
    );
    print("lab: guest speed with the split by mode", without / with, "of without", MODES_GOAL, true, &conditions);
}

fn many_pulses(emulator: &Emulator, settings: &Settings) {
    let scenario = with("linux-rt", |generator| generator.count = MANY_PULSES);
    let (run, wall, processor) = timed(|| run(emulator, &scenario, settings));
    assert!(run.restored, "from its saved state");
    let conditions = format!("from its saved state, to the read edges; {processor:.1} s of processor time");
    print("lab: linux-rt, 100,000 pulses", wall, "s", MANY_GOAL_SECONDS, false, &conditions);
}

// Searches for MF-IST, MF-APP and SF of stock Linux, one trial after the other.
fn search(emulator: &Emulator, settings: &Settings) {
    let scenario = shipped("linux-stock-polygons");
    let (found, wall, processor) = timed(|| saturate::search(&scenario, emulator, settings, 1, &|_, _, _| {}));
    let found = found.unwrap_or_else(|fault| panic!("{fault}"));
    let conditions = format!(
        "MF-IST, MF-APP and SF of linux-stock-polygons, {} pulses a step to 1/{}, {} trials from its saved state one after the other; \
         {processor:.1} s of processor time",
        scenario.saturate.pulses,
        scenario.saturate.narrowness,
        found.tried.len()
    );
    print("lab: saturation of stock Linux", wall, "s", SEARCH_GOAL_SECONDS, false, &conditions);
}
