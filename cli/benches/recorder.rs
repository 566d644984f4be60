// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the flight recorder costs a response, and whether anything that records loses an event.
//!
//! The recorder's events are switched off and on under the probe, in pairs of spans whose order is random; the medians of a
//! pair are subtracted. Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
use backwall_ftrace::flight::{Flight, FlightPlan, Limit};
use backwall_ftrace::tracker::Tracker;
use backwall_ftrace::{Switch, Toggle};
use backwall_model::{Run, TracingCost};
use backwall_os::affinity;
use backwall_runner::device::probe::Probe;
use backwall_trace::event::Besides;
use backwall_trace::{Sample, TraceConfig};
use backwall_wire::{Reader, Record};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PRIORITY: u32 = 95;
// From here on the separate traced phases can go.
const GOAL_NS: i64 = 1_000;
const TRIGGER_GOAL_NS: i64 = 6_000;
const PROGRAM_GOAL_NS: i64 = 2_000;
const TOGGLED_S: u64 = 60;
const COUNTED: &str = "20s";
// How long every processor is recorded, and the pause between two turns of threads that wake each other.
const TRACKED_S: u64 = 10;
const PAUSE: Duration = Duration::from_micros(100);

fn main() {
    let cpu = *affinity::allowed().last().expect("at least one processor");
    for (name, period_ns, busy) in
        [("idle.1000us", 1_000_000, false), ("busy.1000us", 1_000_000, true), ("idle.200us", 200_000, false)]
    {
        let what = if busy { "an ordinary thread with system calls beside it" } else { "no other load" };
        let cost = toggled(cpu, period_ns, busy, |all: &[Switch]| all.to_vec());
        show_cost(name, GOAL_NS, cost, &format!("CPU {cpu}, SCHED_FIFO {PRIORITY}, {what}"));
    }
    stacks(cpu);
    losses(cpu);
    tracker();
}

// Cost of kernel stacks in timer interrupts, with the events on all the time.
fn stacks(cpu: u32) {
    let conditions = |how: &str| format!("CPU {cpu}, SCHED_FIFO {PRIORITY}, no other load, all events on, {how}");
    let trigger = |all: &[Switch]| all.iter().filter(|switch| switch.is_of_trigger()).cloned().collect();
    let cost = toggled(cpu, 1_000_000, false, trigger);
    show_cost("stacks.trigger", TRIGGER_GOAL_NS, cost, &conditions("in every interrupt of the timer"));
    let program = match Switch::of_late_stacks() {
        Ok(program) => program,
        Err(error) => return println!("recorder.cost.stacks.program\t-\tns\t<= {PROGRAM_GOAL_NS}\t-\t-\t-\t{error}"),
    };
    let instead = |all: &[Switch]| {
        all.iter().filter(|switch| switch.is_of_trigger()).for_each(|switch| switch.turn(false).expect("tracefs"));
        vec![program]
    };
    let cost = toggled(cpu, 1_000_000, false, instead);
    show_cost("stacks.program", PROGRAM_GOAL_NS, cost, &conditions("by a program where a timer is late by 20 us"));
}

fn tracker() {
    let online = affinity::allowed();
    let tracker =
        Tracker::start(&online, Besides::default(), None, tempfile::tempfile).unwrap_or_else(|error| panic!("{error}"));
    let over = Arc::new(AtomicBool::new(false));
    let pairs: Vec<_> = online.iter().flat_map(|_| pair(&over)).collect();
    let (begun, before) = (Instant::now(), recorder_ns());
    std::thread::sleep(Duration::from_secs(TRACKED_S));
    let (used_ns, seconds) = (recorder_ns() - before, begun.elapsed().as_secs_f64());
    over.store(true, Ordering::Relaxed);
    pairs.into_iter().for_each(|thread| thread.join().expect("it works"));
    let recorded = tracker.finish().unwrap_or_else(|error| panic!("{error}"));
    let counted = |name: &str| -> u64 {
        let rows = recorded.head.statistics.iter().flat_map(|ring| ring.lines());
        rows.filter_map(|row| row.strip_prefix(name)?.strip_prefix(": ")?.trim().parse::<u64>().ok()).sum()
    };
    let rate = counted("read events") as f64 / seconds;
    let share = 100.0 * used_ns as f64 / 1e9 / seconds;
    let at_goal = share * 1e5 / rate;
    println!(
        "recorder.tracker.cpu\t{at_goal:.2}\t% of a core\t<= 1\t{}\t-\t-\tat 100,000 events a second, in proportion: {share:.2} % at \
         {rate:.0} events a second on {} processors over {seconds:.0} s; {} overrun",
        if at_goal <= 1.0 { "yes" } else { "no" },
        online.len(),
        counted("overrun")
    );
}

// Two threads that wake each other by a pair of sockets, with a pause after each turn.
fn pair(over: &Arc<AtomicBool>) -> [JoinHandle<()>; 2] {
    let (mut here, mut there) = UnixStream::pair().expect("a pair of sockets");
    let told = over.clone();
    let first = move || {
        let mut byte = [0];
        while !told.load(Ordering::Relaxed) {
            here.write_all(&byte).expect("the other reads");
            here.read_exact(&mut byte).expect("the other writes");
            std::thread::sleep(PAUSE);
        }
    };
    let second = move || {
        let mut byte = [0];
        while there.read_exact(&mut byte).is_ok() {
            there.write_all(&byte).expect("the other reads");
        }
    };
    [std::thread::spawn(first), std::thread::spawn(second)]
}

fn recorder_ns() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").expect("proc").flatten();
    let own = threads.map(|thread| thread.path()).find(|thread| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.trim_end() == "backwall-trace")
    });
    let text = std::fs::read_to_string(own.expect("the recorder's thread").join("schedstat")).expect("schedstat");
    text.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

// Met if the whole interval is at or below the goal, missed if the whole interval is above it.
fn show_cost(name: &str, goal_ns: i64, cost: Option<TracingCost>, conditions: &str) {
    let Some(cost) = cost else {
        return println!("recorder.cost.{name}\t-\tns\t<= {goal_ns}\t-\t-\t-\ttoo few pairs of spans");
    };
    let met = match (cost.low_ns, cost.high_ns) {
        (_, high) if high <= goal_ns => "yes",
        (low, _) if low > goal_ns => "no",
        _ => "-",
    };
    println!(
        "recorder.cost.{name}\t{}\tns\t<= {goal_ns}\t{met}\t-\t-\tof the median, [{}, {}] at {:.0} %, {} pairs of 0.25 s in \
         random order; {conditions}",
        cost.ns,
        cost.low_ns,
        cost.high_ns,
        cost.confidence * 100.0,
        cost.pairs
    );
}

// Runs the probe with the recorder on, and switches those that are chosen of all its switches.
fn toggled(cpu: u32, period_ns: u64, busy: bool, choose: impl FnOnce(&[Switch]) -> Vec<Switch>) -> Option<TracingCost> {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = FlightPlan {
        limit: Limit::Above(u64::MAX),
        ends: false,
        folder: folder.path().to_path_buf(),
        stretch: 1,
        words: |_, _| String::new(),
    };
    let flight = Flight::start(TraceConfig::default(), &[cpu], plan, "bench").unwrap_or_else(|error| panic!("{error}"));
    let toggle = Arc::new(Mutex::new(Toggle::new(Duration::ZERO, choose(&flight.switches()))));
    let over = Arc::new(AtomicBool::new(false));
    let work = busy.then(|| std::thread::spawn(beside(over.clone(), cpu)));
    let probe = Probe::carried().unwrap_or_else(|error| panic!("{error}"));
    let mut child = probe
        .command(&arguments(cpu, period_ns))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("the probe: {error}"));
    let switching = std::thread::spawn({
        let (toggle, over) = (toggle.clone(), over.clone());
        move || switch(&toggle, &over, cpu)
    });
    let samples = samples(child.stdout.take().expect("piped"), flight, &toggle);
    over.store(true, Ordering::Relaxed);
    switching.join().expect("it switches");
    work.into_iter().for_each(|work| work.join().expect("it works"));
    assert!(child.wait().expect("the probe's end").success());
    let mut toggle = Arc::into_inner(toggle).expect("the last").into_inner().expect("no thread panicked");
    for sample in samples {
        toggle.takes(sample);
    }
    toggle.finish()
}

fn arguments(cpu: u32, period_ns: u64) -> Vec<String> {
    let options = [
        ("--cpu", cpu.to_string()),
        ("--priority", PRIORITY.to_string()),
        ("--period-ns", period_ns.to_string()),
        ("--for-ns", (TOGGLED_S * 1_000_000_000).to_string()),
        ("--idle", "as-is".to_string()),
    ];
    let options = options.into_iter().flat_map(|(name, value)| [name.to_string(), value]);
    ["measure".to_string(), "wakeup".to_string()].into_iter().chain(options).collect()
}

// All responses; the switching begins with the first of them.
fn samples(stream: impl Read, mut flight: Flight, toggle: &Mutex<Toggle>) -> Vec<Sample> {
    let (mut reader, mut hello, mut samples) = (Reader::new(stream), None, Vec::new());
    while let Some(record) = reader.read().unwrap_or_else(|error| panic!("{error}")) {
        match record {
            Record::Hello(head) => hello = Some(head),
            Record::Text { key: "probe_tid", value } => {
                flight.watch(&[value.parse().expect("a number")]).unwrap_or_else(|error| panic!("{error}"));
                toggle.lock().expect("no thread panicked").begin();
            }
            Record::Samples(block) => {
                let clock = hello.as_ref().expect("first of all");
                samples.extend(block.rows().filter_map(|(seq, row)| {
                    let [stimulus_ns, response_ns] = [row.stimulus(), row.point(1)?].map(|at| clock.value_of(at));
                    Some(Sample { seq, stimulus_ns, response_ns })
                }));
            }
            _ => {}
        }
    }
    samples
}

fn switch(toggle: &Mutex<Toggle>, over: &AtomicBool, cpu: u32) {
    let _kept_off = affinity::KeptOff::processors(&[cpu]);
    while !over.load(Ordering::Relaxed) {
        let next = toggle.lock().expect("no thread panicked").turn();
        std::thread::sleep(next.unwrap_or(Duration::from_millis(10)).min(Duration::from_millis(50)));
    }
}

// An ordinary thread that keeps the processor busy, in the kernel and outside.
fn beside(over: Arc<AtomicBool>, cpu: u32) -> impl FnOnce() + Send {
    move || {
        let mut only = CpuSet::new();
        only.set(cpu as usize);
        sched_setaffinity(None, &only).expect("an allowed processor");
        while !over.load(Ordering::Relaxed) {
            std::hint::black_box(std::fs::read("/proc/self/stat").map(|text| text.len())).expect("it is there");
        }
    }
}

// The tool under all loads at 10 kHz, once with the recorder on; the traced phase of the same run is recorded and read.
fn losses(cpu: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let cpu_text = cpu.to_string();
    let words = [
        "run", "--quiet", "--cpu", &cpu_text, "--load", "all", "--idle", "as-is", "--period", "100us", "--for", COUNTED,
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let status =
        command.args(words).args(["--snapshot-above", "10s", "--output"]).arg(&out).status().expect("the tool");
    assert!(status.success(), "the tool ended with {status}");
    let text = std::fs::read(out.join("run.json")).expect("its run");
    let run: Run = serde_json::from_slice(&text).expect("its run");
    let (due, worst) = (run.series[0].due.unwrap_or(0), run.series[0].max.unwrap_or(0));
    let conditions = format!("10 kHz on CPU {cpu} under all loads, {due} releases, the largest latency {worst} ns");
    show_lost("recorder.lost.flight", lost_in_flight(&run.warnings), &conditions);
    let Some(stages) = run.stages.first() else {
        return println!("recorder.lost.stages\t-\tevents\t0\t-\t-\t-\tno stages: {:?}", run.warnings);
    };
    let all = stages.matched + stages.unmatched;
    let seen = format!("10 kHz on CPU {cpu} under all loads; {} of {all} responses seen whole", stages.matched);
    show_lost("recorder.lost.stages", stages.events_lost, &seen);
}

fn show_lost(name: &str, lost: u64, conditions: &str) {
    println!("{name}\t{lost}\tevents\t0\t{}\t-\t-\t{conditions}", if lost == 0 { "yes" } else { "no" });
}

fn lost_in_flight(warnings: &[backwall_model::Warning]) -> u64 {
    let told = warnings.iter().find_map(|warning| warning.text.split_once("the flight recorder lost "));
    told.and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()).unwrap_or(0)
}
