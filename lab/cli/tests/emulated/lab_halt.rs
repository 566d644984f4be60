// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instants of a run do not depend on when the emulator's main loop wakes. Needs QEMU.
use backwall_capture::edges::Line;
use backwall_lab::bench::{self, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::Machine;
use backwall_lab::scenario::Scenario;
use rustix::process::{Pid, Signal, kill_process};
use std::sync::atomic::{AtomicBool, Ordering};

const PERIOD: u64 = 20_000;
// A fifth of the period: by then the guest has long answered and halted.
const WIDTH: u64 = PERIOD / 5;
// No other test uses this number of pulses, so it identifies this test's QEMU.
const PULSES: u64 = 20_003;
const RUNS: u32 = 20;

// Whether the CPU's thread runs: from then on QEMU handles SIGIO, which no longer kills it.
fn is_up(id: &i32) -> bool {
    std::fs::read_dir(format!("/proc/{id}/task")).is_ok_and(|threads| threads.count() > 2)
}

fn emulator_of_this_test() -> Option<Pid> {
    let told = format!("a-pulses={PULSES},");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = processes.filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
    let has_it = |id: &i32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.starts_with(b"qemu") && String::from_utf8_lossy(&line).contains(&told)
    };
    numbers.find(has_it).filter(is_up).and_then(Pid::from_raw)
}

// Sends SIGIO again and again, which makes the emulator's main loop look for work. Returns how often.
fn wake_until(over: &AtomicBool) -> u64 {
    let mut woken = 0;
    let mut process = None;
    while !over.load(Ordering::Relaxed) {
        process = process.or_else(emulator_of_this_test);
        woken += u64::from(process.is_some_and(|id| kill_process(id, Signal::IO).is_ok()));
        std::thread::yield_now();
    }
    woken
}

fn widths(line: &Line) -> Vec<u64> {
    let pairs = line.edges.chunks_exact(2);
    pairs.filter(|pair| pair[0].level()).map(|pair| pair[1].at().0 - pair[0].at().0).collect()
}

// The stimulus line of one run, and how often its emulator was disturbed.
fn disturbed(scenario: &Scenario, emulator: &Emulator) -> (Line, u64) {
    let over = AtomicBool::new(false);
    let (run, woken) = std::thread::scope(|threads| {
        let waker = threads.spawn(|| wake_until(&over));
        let run = bench::run(scenario, emulator, &Settings { seed: 1, ..Settings::default() });
        over.store(true, Ordering::Relaxed);
        (run.expect("the guest answers"), waker.join().unwrap())
    });
    (run.recording.edges.stimuli().next().expect("a stimulus").clone(), woken)
}

// Repeats runs until the emulator was disturbed more often than a run has pulses; on a busy machine each run gets few
// disturbances.
#[test]
#[ignore = "make long"]
fn a_pulse_ends_at_its_instant_whenever_the_emulator_looks_for_work() {
    let train = format!("[generator.a]\nshape = 'periodic'\nperiod = {PERIOD}\ncount = {PULSES}\n");
    let text = format!("about = 'test'\nguest = 'detent'\nload = 'none'\noptions = 'app_test priority=1'\n{train}");
    let scenario = Scenario::parse("test", &text).expect("a sound scenario");
    let emulator = Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test");
    let mut woken = 0;
    for run in 1..=RUNS {
        let (stimulus, times) = disturbed(&scenario, &emulator);
        woken += times;
        let widths = widths(&stimulus);
        assert_eq!(widths.len() as u64, PULSES);
        let wrong: Vec<&u64> = widths.iter().filter(|width| **width != WIDTH).collect();
        assert!(wrong.is_empty(), "{} of {PULSES}, in run {run}, disturbed {times} times: {wrong:?}", wrong.len());
        if woken > PULSES {
            return;
        }
    }
    panic!("the emulator was disturbed {woken} times only, in {RUNS} runs");
}
