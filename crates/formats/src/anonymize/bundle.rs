// SPDX-License-Identifier: MIT OR Apache-2.0
//! Selects the members of a run that stay in a bundle. A bundle is itself a run, so that every command can read it.
//!
//! These stay: figures with their counts and limits; the request, in words of this project; the day; the kind of system, the
//! kernel release, the model of processor and board, the clock and the preemption model; the settings that made responses late;
//! causes without names.
use crate::anonymize::blame;
use crate::anonymize::words::{Words, described, kind};
use backwall_model::{
    Check, Device, Extension, Iltiming, Invalid, InvalidPhase, Key, Lab, Origin, Plan, Quantile, Run, Series, Stages,
    Warning, Worst,
};
use jiff::Timestamp;
use serde_json::json;

pub const INSTRUCTIONS: &str = "instructions are not cycles: these figures count what an emulator executed and say \
    nothing about time";
const NO_EVIDENCE: &str = "see the other tool's documentation";
const ORDINARY: &str = "ordinary threads were measured, because real-time priority was refused";
const WORST: usize = 16;
const BOARD: &str = "board";

pub fn bundle(run: &Run, words: &mut Words) -> Run {
    let mut bundle = Run::begin(run.origin, plan(&run.plan, words), vec!["backwall".to_string()], day(&run.started));
    bundle.version = described(&run.version);
    bundle.seconds = run.seconds;
    bundle.interrupted = run.interrupted;
    bundle.valid = run.valid;
    bundle.invalid = run.invalid.iter().map(|one| spoiled(one, words)).collect();
    bundle.device = device(&run.device);
    bundle.series = run.series.iter().map(|one| series(one, words)).collect();
    bundle.stages = run.stages.iter().map(|one| stages(one, words)).collect();
    bundle.environment.steal_ticks = run.environment.steal_ticks;
    bundle.environment.throttled = run.environment.throttled;
    bundle.environment.checks = run.environment.checks.iter().filter_map(|one| check(one, words)).collect();
    bundle.warnings = warnings(run, words);
    bundle
}

/// The day only: the minute may identify the user.
fn day(started: &str) -> Timestamp {
    let day = started.get(..10).and_then(|day| format!("{day}T00:00:00Z").parse().ok());
    day.unwrap_or(Timestamp::UNIX_EPOCH)
}

fn plan(plan: &Plan, words: &mut Words) -> Plan {
    Plan {
        measures: plan.measures.iter().map(|name| words.word(name)).collect(),
        loads: plan.loads.iter().map(|load| words.load(load)).collect(),
        idle: words.list(&plan.idle),
        seed: plan.seed,
        phase_ns: plan.phase_ns,
        whole_ns: plan.whole_ns,
        cpu: plan.cpu,
        cpus: plan.cpus.clone(),
        policy: plan.policy,
        runtime_ns: plan.runtime_ns,
        priority: plan.priority,
        period_ns: plan.period_ns,
        deadline_ns: plan.deadline_ns,
        overrun: plan.overrun,
        load_cpus: plan.load_cpus.clone(),
        extension: extension(&plan.extension, words),
        ..Plan::default()
    }
}

fn extension(extension: &Extension, words: &Words) -> Extension {
    match extension {
        Extension::Run => Extension::Run,
        Extension::Iltiming(asked) => {
            let Iltiming { ce_priority, ticks, interrupts, caches } = *asked;
            Extension::Iltiming(Iltiming { ce_priority, ticks, interrupts, caches })
        }
        Extension::Lab(lab) => {
            let name = lab.scenario.get("name").and_then(|name| name.as_str()).filter(|name| words.knows(name));
            Extension::Lab(Lab { scenario: name.map_or(json!({}), |name| json!({ "name": name })) })
        }
        _ => Extension::Other,
    }
}

fn device(device: &Device) -> Device {
    let kernel = device.linux_release().map_or_else(
        || device.kernel.split_whitespace().take(2).collect::<Vec<_>>().join(" "),
        |release| format!("Linux {release}"),
    );
    let mut public = Device {
        kind: kind(&device.kind),
        kernel: described(&kernel),
        cpu: described(&device.cpu),
        cpus: device.cpus,
        clock: described(&device.clock),
        clock_hz: device.clock_hz,
        preemption: described(&device.preemption),
        ..Device::default()
    };
    if let Some(board) = device.more.get(BOARD) {
        public.say(BOARD, &described(board));
    }
    public
}

fn key(key: &Key, words: &mut Words) -> Key {
    Key {
        name: words.word(&key.name),
        load: words.load(&key.load),
        idle: words.word(&key.idle),
        cpu: key.cpu,
        variant: key.variant.iter().map(|(name, value)| words.field(name, value)).collect(),
    }
}

fn series(series: &Series, words: &mut Words) -> Series {
    Series {
        key: key(&series.key, words),
        from: words.word(&series.from),
        to: words.word(&series.to),
        unit: series.unit,
        due: series.due,
        done: series.done,
        missed: series.missed,
        unseen: series.unseen,
        skipped: series.skipped,
        late: series.late,
        overflow: series.overflow,
        warmup: series.warmup,
        edges: series.edges,
        threshold: series.threshold,
        min: series.min,
        sum: series.sum,
        mean: series.mean,
        max: series.max,
        jitter: series.jitter,
        quantiles: series
            .quantiles
            .iter()
            .map(|Quantile { q, value, low, high }| Quantile { q: *q, value: *value, low: *low, high: *high })
            .collect(),
        histogram: series.histogram.clone(),
        worst: series.worst.iter().take(WORST).map(worst).collect(),
        over_time: series.over_time.clone(),
    }
}

fn worst(worst: &Worst) -> Worst {
    Worst { seq: worst.seq, at: worst.at, value: worst.value, blame: worst.blame.as_ref().and_then(blame::scrubbed) }
}

/// The worst responses of a traced phase with their causes, and the counts of that phase.
fn stages(stages: &Stages, words: &mut Words) -> Stages {
    Stages {
        key: key(&stages.key, words),
        matched: stages.matched,
        inferred: stages.inferred,
        unmatched: stages.unmatched,
        events_lost: stages.events_lost,
        tracing_cost: stages.tracing_cost.clone(),
        parts: Vec::new(),
        of_worst: Vec::new(),
        worst: stages.worst.iter().take(WORST).map(worst).collect(),
        blamed: 0,
        causes: Vec::new(),
    }
}

fn check(check: &Check, words: &Words) -> Option<Check> {
    let blank = String::new;
    words.knows(&check.name).then(|| Check {
        name: check.name.clone(),
        value: blank(),
        verdict: check.verdict,
        why: blank(),
        fix: blank(),
    })
}

fn spoiled(spoiled: &Invalid, words: &mut Words) -> Invalid {
    let phase = spoiled.phase.as_ref().map(|phase| InvalidPhase {
        load: words.load(&phase.load),
        idle: words.word(&phase.idle),
        traced: phase.traced,
    });
    Invalid { phase, reason: NO_EVIDENCE.to_string() }
}

fn warnings(run: &Run, words: &mut Words) -> Vec<Warning> {
    let lab = (run.origin == Origin::Emulated).then(|| Warning::new("instructions", INSTRUCTIONS));
    // Replaces a warning's text by a general phrase, because the text may name something.
    let ordinary = Warning::new("ordinary", ORDINARY);
    let ordinary = (run.refused_priority.is_some() || run.warnings.contains(&ordinary)).then_some(ordinary);
    let spoiled = run.invalid.iter().map(|one| {
        let warning = Warning::new(Warning::NO_EVIDENCE, NO_EVIDENCE);
        match &one.phase {
            Some(phase) => warning.of(format!("load {}, idle {}", words.load(&phase.load), words.word(&phase.idle))),
            None => warning,
        }
    });
    spoiled.chain(lab).chain(ordinary).collect()
}
