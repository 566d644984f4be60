// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cost of the emulated bench: the instrument, a sweep, and Linux scenarios, booted and from saved states.
//!
//! Prints one line per figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
mod linux;

use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::emulator::{self, Emulator};
use backwall_lab::instrument::{self, Files};
use backwall_lab::scenario::Scenario;
use backwall_lab::{guest, sweep};
use backwall_os::process;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SPEED_GUEST: &str = "bare:speed-irq7-200000000";
const SPEED_INSTRUCTIONS: f64 = 1.2e9;
const SPEED_REPEATS: usize = 5;
const SPEED_GOAL: f64 = 0.97;

const SWEEP_INSTANTS: u64 = 1_000_000;
const SWEEP_GOAL: f64 = 5e6;

fn main() {
    let emulator = Emulator::find(backwall_lab::machine::Machine::usual()).unwrap_or_else(|error| panic!("{error}"));
    instrument_speed(&emulator);
    sweep_speed(&emulator);
    linux::figures(&emulator);
}

fn print(name: &str, value: f64, unit: &str, goal: f64, higher: bool, conditions: &str) {
    let met = if (value >= goal) == higher || value == goal { "yes" } else { "no" };
    println!("{name}\t{value:.3}\t{unit}\t{goal}\t{met}\t-\t-\t{conditions}");
}

fn scenario(guest: &str, generator: &str) -> Scenario {
    Scenario::parse("bench", &format!("about = 'bench'\nguest = '{guest}'\n{generator}")).expect("a sound scenario")
}

// CPU time of a guest that only computes, alternating with and without the instrument; compares the best of each.
fn instrument_speed(emulator: &Emulator) {
    let scenario = scenario(SPEED_GUEST, "[generator.a]\nshape = 'one-shot'\nperiod = 1000\n");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut with, mut without) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..SPEED_REPEATS {
        without = without.min(speed_seconds(emulator, &scenario, folder.path(), false));
        with = with.min(speed_seconds(emulator, &scenario, folder.path(), true));
    }
    let conditions = format!(
        "processor time of {:.1} billion guest instructions without the instrument over with it ({:.2} s, {:.2} s), in turn, \
         best of {SPEED_REPEATS}",
        SPEED_INSTRUCTIONS / 1e9,
        without,
        with
    );
    print("lab: guest speed with the instrument", without / with, "of without", SPEED_GOAL, true, &conditions);
}

fn speed_seconds(emulator: &Emulator, scenario: &Scenario, folder: &Path, attached: bool) -> f64 {
    let (kind, rest) = guest::kind_of(&scenario.guest).expect("a kind");
    let preparing = guest::Preparing { folder, stop: &backwall_os::Stop::default() };
    let machine = (kind.prepare)(rest, scenario, &preparing).expect("a carried guest");
    let mut command = emulator.command();
    command
        .args(emulator::memory(machine.memory_mib))
        .args(emulator::console(&folder.join("console"), false))
        .args(emulator::kernel(&machine.kernel, None, ""));
    if attached {
        let object = instrument::write(emulator, folder).expect("a writable folder");
        let arguments =
            instrument::arguments(scenario, &Files::below(folder), 1, 10 * machine.boot_instructions, false);
        let arguments: Vec<String> = arguments.into_iter().filter(|argument| !argument.starts_with("limit=")).collect();
        command.args(emulator::instrument(&object, &arguments));
    }
    let before = children_user_seconds();
    command.stdin(Stdio::null()).stdout(Stdio::null());
    process::run(&mut command, Duration::from_secs(60), &|| false).expect("QEMU starts");
    children_user_seconds() - before
}

fn children_user_seconds() -> f64 {
    seconds(children().ru_utime)
}

fn children_seconds() -> f64 {
    let usage = children();
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

fn children() -> libc::rusage {
    // SAFETY: getrusage fills the structure it is given, for which all zeros is a value.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    }
}

// Arrival instants per minute, from the start of QEMU to the sorted sweep, with the instruction that each one interrupted.
fn sweep_speed(emulator: &Emulator) {
    let generator = format!(
        "[generator.a]\nshape = 'periodic'\nperiod = 1000\nstep = 1\ncount = {SWEEP_INSTANTS}\n[sweep]\nperiod = 1000\n"
    );
    let scenario = scenario("bare:answer-irq7-5", &generator);
    let begun = Instant::now();
    let mut run = run(emulator, &scenario, &Settings { addresses: true, ..Settings::default() });
    let swept = sweep::sort(&scenario, &mut run).expect("readable names").expect("a sweep");
    let rate = swept.sweep.arrivals().len() as f64 / begun.elapsed().as_secs_f64() * 60.0;
    let conditions = format!("{SWEEP_INSTANTS} instants on a bare guest, addresses read, one process");
    print("lab: sweep", rate, "instants/minute", SWEEP_GOAL, true, &conditions);
}

fn run(emulator: &Emulator, scenario: &Scenario, settings: &Settings) -> BenchRun {
    bench::run(scenario, emulator, settings).unwrap_or_else(|fault| panic!("{}: {fault}", scenario.name))
}
