// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures of every kind, and any picture that the types allow.
use backwall_model::picture::*;
use backwall_model::units::Unit;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

pub fn all(text: &str) -> Vec<Picture> {
    let seen = vec![Picture::Screens(screens(text)), Picture::Arrivals(arrivals(text))];
    let found = [
        Picture::Saturation(saturation(text)),
        Picture::Operations(operations(text)),
        Picture::TaskSet(task_set(text)),
        Picture::Interference(interference(text)),
        Picture::Chain(chain(text)),
    ];
    seen.into_iter().chain(found).collect()
}

fn overlay(sweeps: u32) -> Overlay {
    Overlay { sweeps, borders: vec![90, 200], high: vec![sweeps, 0], columns: vec![90, 200], edges: vec![sweeps; 2] }
}

fn interference(text: &str) -> Interference {
    let form = |name: &str| Form { name: name.into(), times: vec![30, 10, 20] };
    let full = Case {
        experiment: text.into(),
        name: text.into(),
        title: text.into(),
        compared: text.into(),
        unit: Unit::Ns,
        conditions: text.into(),
        forms: vec![form(text), form("both")],
        above: vec!["both".into()],
        below: vec![text.into()],
        ratio: Some(Ratio { median: 1.5, limits: Some([0.9, 1.75]) }),
        effect: Some(0.01),
        bytes: Some(77),
        processor: vec![ProcessorUse { who: text.into(), time: 12 }],
        published: Some(PostFigures { text: text.into(), ratio: Some(1.67), at_least: true }),
    };
    Interference { cases: vec![full, Case::default()], absent: vec![text.into()] }
}

// A task that was predicted and one that was not; the worst job of the first.
fn task_set(text: &str) -> TaskSet {
    let fates = Fates { nominal: 7, on_time: 2, late: 1, skipped: 2, aborted: 1, unfinished: 1, missed_in_a_row: 3 };
    let term = PredictedTerm { source: text.into(), count: 2, total: 30 };
    let (verdict, no_bound) = ("missed".into(), Some(text.into()));
    let predicted = Predicted { verdict, bound: Some(90), no_bound, terms: vec![term], instants_known: true };
    let task = TaskRow {
        name: text.into(),
        policy: text.into(),
        priority: Some(80),
        cpu: Some(1),
        interval: 100,
        poisson: false,
        computation: 30,
        deadline: 80,
        fates,
        thread: Some(4_669),
        used_ns: Some(95),
        predicted: Some(predicted),
    };
    let other = TaskRow {
        priority: None,
        cpu: None,
        thread: None,
        used_ns: None,
        predicted: None,
        poisson: true,
        ..task.clone()
    };
    let job = WindowJob { task: 0, seq: 4, nominal: 400, start: 410, finish: 500 };
    let window = TaskWindow { from: 400, to: 500, task: 0, seq: 4, jobs: vec![job], more: 1, given_up: 2, locks: true };
    let recorded = Some(RecordedSpan { begin: 1_000, end: 9_000 });
    TaskSet {
        tasks: vec![task, other],
        turns: Some(Turns { before: 3_000, after: None }),
        window: Some(window),
        recorded,
    }
}

/// Two hops on two CPUs; the second one was awake when it was handed the instance.
fn chain(text: &str) -> Chain {
    let part = |hop, step: &str, from, time, cpu| ChainPart {
        hop,
        step: step.into(),
        what: text.into(),
        holder: text.into(),
        cpu,
        from,
        time,
    };
    let visit = |how: &str, arrived, handed| ChainVisit { thread: Some(7), how: how.into(), arrived, handed };
    let parts = vec![
        part(0, "start", 0, 30_000, Some(0)),
        part(1, "ready", 30_000, 170_000, Some(0)),
        part(1, "own", 200_000, 100_000, Some(0)),
        part(2, "waits", 300_000, 200_000, None),
        part(2, "interrupted", 500_000, 499_000, Some(1)),
    ];
    let visits = vec![visit("woken", 30_000, 300_000), visit("inferred", 300_000, 1_000_000)];
    let worst = ChainInstance {
        number: 41,
        at: 9_000_000,
        latency: 1_000_000,
        interrupt: Some(20_000),
        visits,
        parts,
        not_kept: 1_000,
    };
    let band = |from, to| ChainBand { from, to, count: 10, hops: vec![from, 2 * from, to] };
    Chain {
        name: text.into(),
        line: text.into(),
        unit: Unit::Ns,
        hops: vec![text.into(); 3],
        worst: Some(worst),
        bands: vec![band(100_000, 125_000), band(896_000, 1_024_000)],
    }
}

fn screens(text: &str) -> Screens {
    let screen = |[single, average, all]: [Option<u32>; 3]| {
        let channel = |bound: Option<u64>| Channel {
            line: text.into(),
            shortest: bound,
            longest: bound,
            single: single.map(overlay),
            average: average.map(overlay),
            all: all.map(overlay),
        };
        Screen { per_division: 1_000, channels: vec![channel(None), channel(Some(500))] }
    };
    Screens {
        title: text.into(),
        stimulus: text.into(),
        unit: Unit::Instructions,
        pulses: 2_000,
        single_is_last: true,
        single: screen([Some(1), None, None]),
        average: screen([None, Some(128), None]),
        all: screen([Some(1), Some(128), Some(2_000)]),
    }
}

fn arrivals(text: &str) -> Arrivals {
    Arrivals {
        title: text.into(),
        guest: text.into(),
        line: text.into(),
        unit: Unit::Instructions,
        arrivals: 600,
        missed: 1,
        untried: 2,
        floor: Some(5),
        worst: Some(60),
        worst_at: Some(100),
        start: 0,
        per_division: 100,
        columns: (0..600).collect(),
        smallest: (0..600).map(|column| 5 + column % 50).collect(),
        largest: (0..600).map(|column| 10 + column % 50).collect(),
        owners: vec![Owner { name: text.into(), arrivals: 600, masked: 12, max: 60 }],
        other_owners: 3,
    }
}

fn saturation(text: &str) -> Saturation {
    let goal = Sought {
        name: text.into(),
        period_instructions: Some(9_000),
        fails_at_instructions: Some(8_000),
        also_fails_at: vec![11_000],
        bands: vec![Band { from_instructions: 9_000, to_instructions: 10_000, holds: true }],
    };
    Saturation {
        rule: text.into(),
        undisturbed_progress_instructions: Some(90),
        goals: vec![goal],
        tried: vec![TriedPeriod { period_instructions: 9_000, figures: vec![0] }],
    }
}

fn operations(text: &str) -> Operations {
    let row = Operation {
        test: text.into(),
        paper_row: Some(7),
        name: text.into(),
        about: text.into(),
        other_process: true,
        iterations: 60,
        per_value: 20,
        first: Some(9_000),
        failure: Some(text.into()),
        ..Operation::default()
    };
    let (program, test) = (text.into(), text.into());
    let equal = Some(Equal { samples: 100, min_ns: 2_900, mean_ns: 3_100, max_ns: 9_000 });
    let peer = Peer { program, test, samples: 100, min_ns: Some(3_000), mean_ns: 4_140, max_ns: None, equal };
    Operations { rows: vec![row], peers: vec![peer] }
}

prop_compose! {
    fn any_overlay()(
        sweeps in any::<u32>(), borders in vec(any::<u16>(), 0..4), high in vec(any::<u32>(), 0..4),
        columns in vec(any::<u16>(), 0..4), edges in vec(any::<u32>(), 0..4),
    ) -> Overlay {
        Overlay { sweeps, borders, high, columns, edges }
    }
}

prop_compose! {
    fn any_screen()(
        per_division in any::<u64>(), line in any::<String>(), bounds in (of(any::<u64>()), of(any::<u64>())),
        layers in (of(any_overlay()), of(any_overlay()), of(any_overlay())), lines in 0..3usize,
    ) -> Screen {
        let (single, average, all) = layers;
        let channel = Channel { line, shortest: bounds.0, longest: bounds.1, single, average, all };
        Screen { per_division, channels: vec![channel; lines] }
    }
}

pub fn any_picture() -> impl Strategy<Value = Picture> {
    let screens = (any_screen(), any_screen(), any_screen(), any::<u64>(), any::<bool>()).prop_map(
        |(single, average, all, pulses, single_is_last)| {
            Picture::Screens(Screens { single, average, all, pulses, single_is_last, ..screens("x") })
        },
    );
    let numbers = || vec(any::<u64>(), 0..4);
    let arrivals = (vec(any::<u16>(), 0..4), numbers(), numbers(), of(any::<u64>()), any::<[u64; 3]>()).prop_map(
        |(columns, smallest, largest, floor, [start, per_division, lost])| {
            Picture::Arrivals(Arrivals {
                columns,
                smallest,
                largest,
                floor,
                start,
                per_division,
                missed: lost,
                ..arrivals("x")
            })
        },
    );
    let saturation =
        (any::<String>(), numbers(), of(any::<u64>())).prop_map(|(rule, also_fails_at, period_instructions)| {
            let mut found = Saturation { rule, ..saturation("MF-ISR") };
            found.goals[0].also_fails_at = also_fails_at;
            found.goals[0].period_instructions = period_instructions;
            Picture::Saturation(found)
        });
    let operations = (any::<String>(), of(any::<u64>()), any::<[u64; 3]>(), any::<[bool; 4]>()).prop_map(
        |(name, first, [per_value, void, clamped], [real_time, other_processor, swept, other_process])| {
            let mut found = operations("event");
            let row = Operation { name, first, per_value, void, clamped, ..found.rows[0].clone() };
            found.rows.push(Operation { real_time, other_processor, swept, other_process, ..row });
            Picture::Operations(found)
        },
    );
    let tasks = (any::<String>(), any::<[u64; 8]>(), of(any::<u64>()), any::<[u32; 2]>()).prop_map(
        |(name, [interval, computation, deadline, from, to, nominal, start, finish], bound, [task, cpu])| {
            let mut found = task_set("control");
            let predicted = Predicted { bound, ..found.tasks[0].predicted.clone().unwrap() };
            let row = TaskRow { name, interval, computation, deadline, cpu: Some(cpu), ..found.tasks[0].clone() };
            found.tasks.push(TaskRow { predicted: Some(predicted), ..row });
            let job = WindowJob { task, seq: from, nominal, start, finish };
            found.window = Some(TaskWindow {
                from,
                to,
                task,
                seq: to,
                jobs: vec![job],
                more: start,
                given_up: finish,
                locks: false,
            });
            Picture::TaskSet(found)
        },
    );
    let interference = (any::<String>(), numbers(), of(0.0..1e9f64), of(any::<u64>()), any::<u64>()).prop_map(
        |(name, times, median, bytes, time)| {
            let mut found = interference("sieve");
            let ratio = median.map(|median| Ratio { median, limits: None });
            let forms = vec![Form { name: name.clone(), times }];
            let processor = vec![ProcessorUse { who: name.clone(), time }];
            found.cases.push(Case { name, forms, ratio, bytes, processor, ..Case::default() });
            Picture::Interference(found)
        },
    );
    let chain = (any::<[u64; 7]>(), of(any::<u32>()), any::<u32>(), any::<String>()).prop_map(
        |([arrived, handed, from, time, latency, low, high], cpu, hop, step)| {
            let mut found = chain("loop");
            if let Some(worst) = &mut found.worst {
                worst.visits.push(ChainVisit { thread: None, how: step.clone(), arrived, handed });
                worst.parts.push(ChainPart { hop, step, cpu, from, time, ..worst.parts[0].clone() });
                worst.latency = latency;
            }
            found.bands.push(ChainBand { from: low, to: high, count: time, hops: vec![from, time] });
            Picture::Chain(found)
        },
    );
    prop_oneof![screens, arrivals, saturation, operations, tasks, interference, chain, Just(Picture::Unknown)]
}
