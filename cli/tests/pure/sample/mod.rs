// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run as a real machine might give it, the same on every machine: for tests of what is printed and drawn.
#![allow(dead_code)] // each test file uses a part of it
pub mod any;
mod blame;
mod figures;
pub mod picture;

pub use figures::series;

use backwall_model::units::{Nanoseconds, Unit};
use backwall_model::*;
use backwall_stats::random::SplitMix;
use backwall_stats::{Block, SeriesBuilder};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub const PERIOD_NS: u64 = 1_000_000;

pub struct Numbers(pub SplitMix);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0.number()
    }

    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    // Roughly normal, mean 0, deviation 1: twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

// Shape of a phase: ordinary wakeups, a share with a longer section, one stall.
pub struct Shape {
    pub load: &'static str,
    pub idle: &'static str,
    pub median_ns: f64,
    pub spread: f64,
    pub tail_share: f64,
    pub tail_ns: f64,
    pub stall_ns: u64,
    pub lost: u64,
}

pub const SHAPES: [Shape; 4] = [
    Shape {
        load: "none",
        idle: "as-is",
        median_ns: 26e3,
        spread: 0.22,
        tail_share: 0.002,
        tail_ns: 60e3,
        stall_ns: 412_345,
        lost: 0,
    },
    Shape {
        load: "none",
        idle: "off",
        median_ns: 13e3,
        spread: 0.12,
        tail_share: 0.001,
        tail_ns: 40e3,
        stall_ns: 218_004,
        lost: 0,
    },
    Shape {
        load: "all",
        idle: "as-is",
        median_ns: 21e3,
        spread: 0.30,
        tail_share: 0.02,
        tail_ns: 150e3,
        stall_ns: 1_812_907,
        lost: 1,
    },
    Shape {
        load: "all",
        idle: "off",
        median_ns: 17e3,
        spread: 0.25,
        tail_share: 0.015,
        tail_ns: 120e3,
        stall_ns: 3_204_511,
        lost: 3,
    },
];

pub fn latencies(shape: &Shape, due: u64, seed: u64) -> Vec<u64> {
    let mut numbers = Numbers(SplitMix(seed));
    let mut values: Vec<u64> = (0..due - shape.lost)
        .map(|_| {
            let body = shape.median_ns * (shape.spread * numbers.normal()).exp();
            let tail = if numbers.unit() < shape.tail_share { -shape.tail_ns * numbers.unit().ln() } else { 0.0 };
            (body + tail) as u64
        })
        .collect();
    let at = values.len() * 7 / 11;
    values[at] = shape.stall_ns;
    values
}

// A minute of the default tour on a small virtual machine. Counted once for all tests.
pub fn tour() -> Run {
    static TOUR: LazyLock<Run> = LazyLock::new(counted);
    TOUR.clone()
}

fn counted() -> Run {
    let due = 15_000;
    let series = SHAPES.iter().enumerate();
    let series = series.map(|(i, shape)| series_of_phase(shape, due, i as u64 + 1)).collect();
    let mut run = empty();
    run.series = series;
    run.stages = SHAPES.iter().map(stages).collect();
    run.loads = LOADS.iter().enumerate().map(|(i, load)| progress(load, i as u64)).collect();
    run.pictures = picture::all("a bench");
    run.self_check = Some(SelfCheck {
        compared: 59_870,
        min_ns: 120,
        p50_ns: 410,
        p99_ns: 1_900,
        max_ns: 14_200,
        what: "end of the sleep against the kernel's exit from clock_nanosleep".into(),
    });
    run.values = BTreeMap::from([("overhead_min_cycles".into(), 24), ("overhead_p50_cycles".into(), 26)]);
    run.environment = environment();
    run.requirements = requirements();
    run.warnings = vec![Warning::new(
        "throttling",
        "real-time throttling is on: a thread that runs away is stopped for 50 ms in each second",
    )];
    run
}

// A stored default run of a busy machine: three phases, two of them traced. Its tails span three decades, as on large pages.
pub fn default_run() -> Run {
    let mut run = tour();
    run.series =
        [("none", "as-is"), ("none", "off"), ("all", "as-is")].into_iter().zip(1..).map(counted_phase).collect();
    run.stages.retain(|stages| stages.key.idle == "as-is");
    run.pictures.clear();
    run.requirements.clear();
    run
}

// A phase of 15,100 releases, a ten-thousandth of them late by milliseconds; each has other numbers.
fn counted_phase(((load, idle), seed): ((&str, &str), u64)) -> Series {
    const RELEASES: u64 = 15_100;
    let mut numbers = Numbers(SplitMix(seed));
    let far = |numbers: &mut Numbers| 40e3 * (5.0 * numbers.unit()).exp();
    let value = |_| match numbers.unit() {
        rare if rare < 0.03 => far(&mut numbers) as u64,
        _ => (26e3 * (0.3 * numbers.normal()).exp()) as u64,
    };
    let mut value: Vec<u64> = (0..RELEASES).map(value).collect();
    value[7_000] = 2_000_000 + 4_000_000 / seed;
    let seq: Vec<u64> = (0..RELEASES).collect();
    let at: Vec<u64> = seq.iter().map(|seq| seq * PERIOD_NS).collect();
    let mut builder = SeriesBuilder::new(Key::new("wakeup", load, idle), Span::new("expiry", "thread", Unit::Ns));
    builder.samples(Block { seq: &seq, at: &at, value: &value, late: 0 });
    builder.build()
}

pub const LONG_LOAD: &str = "polygons@40+memory@39+syscalls";

// Four processors measured at once, without load and under load: a series each, the worst of a phase first.
pub fn four_processors() -> Run {
    let mut run = tour();
    let loaded = Shape { load: LONG_LOAD, ..SHAPES[2] };
    let places = [(0, &SHAPES[0]), (1, &loaded)];
    let places = places.into_iter().flat_map(|(phase, shape)| (0..4u32).map(move |cpu| (phase, shape, cpu)));
    let of = |(phase, shape, cpu): (u64, &Shape, u32)| {
        let mut series = series_of_phase(shape, 5_000, phase * 4 + u64::from(cpu));
        series.key.cpu = Some(cpu);
        series
    };
    run.series = places.map(of).collect();
    for (number, series) in run.series.iter_mut().enumerate() {
        let slower = number as u64 * 1_000_000;
        let worst = series.worst[0].value + slower;
        series.worst[0].value = worst;
        (series.max, series.jitter) = (Some(worst), series.min.map(|min| worst - min));
    }
    run.series.sort_by_key(|series| (series.key.load != NO_LOAD, std::cmp::Reverse(series.max)));
    run.stages.truncate(2);
    run.stages[1].key = Key::new("wakeup", LONG_LOAD, "off");
    run.device.cpus = 4;
    (run.plan.cpu, run.plan.cpus) = (Some(0), (0..4).collect());
    run.requirements = Vec::new();
    run
}

fn series_of_phase(shape: &Shape, due: u64, seed: u64) -> Series {
    series("wakeup", Unit::Ns, shape, &latencies(shape, due, seed))
}

pub fn empty() -> Run {
    Run {
        schema: SCHEMA.into(),
        command: vec!["backwall".into(), "run".into()],
        started: "2026-11-21T20:15:00Z".into(),
        seconds: 61.4,
        interrupted: false,
        version: "0.1.0".into(),
        valid: true,
        invalid: Vec::new(),
        refused_priority: None,
        origin: Origin::Measured,
        device: described(Device {
            kind: "linux".into(),
            kernel: "6.18.44".into(),
            cpu: "AMD EPYC".into(),
            cpus: 2,
            clock: "CLOCK_MONOTONIC (tsc)".into(),
            clock_hz: 1_000_000_000,
            preemption: "PREEMPT_DYNAMIC (none)".into(),
            ..Device::default()
        }),
        plan: Plan {
            measures: vec!["wakeup".into()],
            loads: vec!["none".into(), "all".into()],
            phase_ns: Some(Nanoseconds(15_000_000_000)),
            whole_ns: None,
            cpu: Some(1),
            cpus: Vec::new(),
            policy: None,
            runtime_ns: None,
            priority: Some(95),
            period_ns: Some(Nanoseconds(PERIOD_NS)),
            deadline_ns: None,
            overrun: Some(Overrun::Skip),
            idle: "as-is".into(),
            load_cpus: Vec::new(),
            load_command: None,
            stop_above_ns: None,
            snapshot_above_ns: None,
            best_effort: false,
            require: Vec::new(),
            keep_samples: Some(false),
            seed: 1,
            extension: Extension::Run,
        },
        sessions: vec![],
        series: vec![],
        loads: vec![],
        stages: vec![],
        self_check: None,
        values: BTreeMap::new(),
        later_values: BTreeMap::new(),
        results: Default::default(),
        pictures: vec![],
        environment: Environment::default(),
        requirements: vec![],
        warnings: vec![],
    }
}

const STAGES: [(&str, f64); 4] = [
    ("expiry to interrupt", 0.46),
    ("interrupt to wake-up", 0.06),
    ("wake-up to switch-in", 0.38),
    ("switch-in to thread", 0.10),
];

fn compiler(id: Option<i32>) -> Culprit {
    let thread = Thread { name: Some("cc1".into()), id, priority: Some(Priority::Ordinary), series: false };
    Culprit { holder: Holder::Thread(thread), more: None }
}

fn evil_interrupt() -> Culprit {
    Culprit { holder: Holder::Interrupt("<eth0>".into()), more: None }
}

fn causes(stall: u64) -> Vec<CauseTotal> {
    let total = |cause, culprit, percent, largest_in| CauseTotal {
        accused: Accusation { cause, culprit },
        ns: stall * percent,
        largest_in,
        part_of: Some(100),
        longest_ns: Some(stall),
    };
    vec![
        total(Cause::Blocking, Some(compiler(None)), 70, 81),
        total(Cause::Interference, Some(evil_interrupt()), 20, 19),
        total(Cause::Unexplained, None, 10, 0),
    ]
}

fn stages(shape: &Shape) -> Stages {
    let one = |(name, share): (&str, f64)| Stage {
        name: name.into(),
        unit: Unit::Ns,
        min: (shape.median_ns * share * 0.5) as u64,
        mean: shape.median_ns * share * 1.1,
        p50: (shape.median_ns * share) as u64,
        p99: (shape.median_ns * share * 3.0) as u64,
        max: (shape.stall_ns as f64 * share * 0.98) as u64,
    };
    let stall = shape.stall_ns;
    let rest = [stall / 100, 1_950, stall * 97 / 100];
    let of_worst = vec![rest[0], rest[1], rest[2], stall - rest.iter().sum::<u64>()];
    let share = |cause, culprit, ns| Share { cause, culprit: Some(culprit), ns };
    let (first, second) = (compiler(Some(15_360)), evil_interrupt());
    let shares = vec![share(Cause::Blocking, first, stall - 12_000), share(Cause::Interference, second, 12_000)];
    let blame = Blame::Shares { shares: Shares::of(shares).unwrap(), wakers: Wakers::default() };
    let stage = STAGES.into_iter().map(one).collect();
    Stages {
        key: Key::new("wakeup", shape.load, shape.idle),
        matched: 14_990,
        inferred: 0,
        unmatched: 10 - shape.lost,
        events_lost: 0,
        tracing_cost: Some(backwall_model::TracingCost {
            ns: 900,
            low_ns: 400,
            high_ns: 1_600,
            confidence: 0.95,
            pairs: 8,
        }),
        parts: stage,
        of_worst,
        worst: vec![Worst { seq: 7_001, at: Some(7_001_000_000), value: stall, blame: Some(blame) }],
        blamed: 100,
        causes: causes(stall),
    }
}

const LOADS: [(&str, &str, f64); 8] = [
    ("polygons", "polygons", 41_000.0),
    ("spin", "turns", 9_800_000.0),
    ("cache", "lines", 61_000_000.0),
    ("memory", "bytes", 7_400_000_000.0),
    ("syscalls", "calls", 1_400_000.0),
    ("handoff", "hand-offs", 88_000.0),
    ("disk", "writes", 0.0),
    ("loopback", "packets", 120_000.0),
];

fn progress(load: &(&str, &str, f64), seed: u64) -> LoadProgress {
    let mut numbers = Numbers(SplitMix(100 + seed));
    let per_second: Vec<f64> = (0..15).map(|_| load.2 * (0.9 + 0.2 * numbers.unit())).collect();
    let done = per_second.iter().sum::<f64>() as u64;
    LoadProgress { name: load.0.into(), unit: load.1.into(), phase: "all".into(), done, per_second, each_s: 1 }
}

fn environment() -> Environment {
    let check = |name: &str, found: &str, verdict, why: &str, fix: &str| Check {
        name: name.into(),
        value: found.into(),
        verdict,
        why: why.into(),
        fix: fix.into(),
    };
    Environment {
        steal_ticks: 12,
        throttled: true,
        checks: vec![
            check(
                "throttling",
                "/proc/sys/kernel/sched_rt_runtime_us: 950000 of 1000000",
                CheckVerdict::Note,
                "a real-time thread that never sleeps loses 5 % of each second",
                "echo -1 > /proc/sys/kernel/sched_rt_runtime_us",
            ),
            check(
                "fair server",
                "/sys/kernel/debug/sched/fair_server: no such file",
                CheckVerdict::Unknown,
                "since Linux 6.12 ordinary threads are served 50 ms in each second, whatever throttling says",
                "mount debugfs, then run again",
            ),
            check(
                "steal",
                "/proc/stat: 12 ticks during the run",
                CheckVerdict::Bad,
                "the hypervisor took the processor away",
                "run on hardware, or pin the virtual processors",
            ),
            check(
                "clock source",
                "/sys/devices/system/clocksource/clocksource0/current_clocksource: tsc",
                CheckVerdict::Good,
                "reading it costs tens of nanoseconds",
                "",
            ),
        ],
        ..Environment::default()
    }
}

fn requirements() -> Vec<Requirement> {
    let one = |text: &str, outcome, needs_more, because: &str| Requirement {
        text: text.into(),
        outcome,
        needs_more,
        confidence: 0.95,
        because: because.into(),
    };
    vec![
        one("wakeup.p99 < 1ms", Outcome::Pass, 0, "2 of 15,000 above, at most 0.05 % at 95 %"),
        one("missed == 0", Outcome::Fail, 0, "4 missed"),
        one("wakeup.p99.9999 < 5ms", Outcome::Undecided, 2_980_731, "0 of 15,000 above, at most 0.02 % at 95 %"),
    ]
}

fn described(mut device: Device) -> Device {
    device.say("hypervisor", "KVM");
    device
}
