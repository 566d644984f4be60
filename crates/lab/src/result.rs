// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts what the instrument recorded of a scenario to a [`Run`].
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::bench::BenchRun;
use super::emulator::Emulator;
use super::guest;
use super::scenario::{ANSWER_LINES, Scenario};
use super::stream;
use backwall_capture::connector::{self, A, APP, IST, PORTS, PROGRESS, Port};
use backwall_capture::edges::{Edges, Line};
use backwall_capture::modes::Modes;
use backwall_capture::pairing::PairingRule;
use backwall_capture::phase::phase;
use backwall_capture::screens::screens;
use backwall_capture::tick::Tick;
use backwall_capture::vcd_write;
use backwall_capture::wiring::{Answered, Watched, Wiring};
use backwall_model::units::Unit;
use backwall_model::{
    Device, Divided, Extension, IDLE_AS_IS, Key, Lab, LoadProgress, NO_LOAD, Phase, Picture, Plan, PlannedSeries, Run,
    Warning,
};
use backwall_os::refusal::{Result, usage};
use backwall_runner::device::probe::{Figure, Probe};
use backwall_store::{GUEST_TRACE_FILE, RunFolder};
use std::collections::BTreeMap;

pub struct GeneratorResult {
    pub stimulus: &'static str,
    pub answered: Vec<Answered>,
}

/// Divides every latency into CPU modes, if the instrument counted them. Adds sentences about the largest latencies, and returns
/// the sums per answering line.
pub fn divide(judged: &mut [GeneratorResult], modes: &Modes) -> BTreeMap<String, Divided> {
    let lines = judged.iter_mut().flat_map(|judged| &mut judged.answered);
    let divided = lines.filter_map(|line| {
        let found = modes.divide(&line.pairing, &mut line.series)?;
        Some((line.series.key.name.clone(), found))
    });
    divided.collect()
}

/// Computes the latencies of the scenario's lines. A line that never moved counts too: it lost every pulse.
pub fn judge(scenario: &Scenario, edges: &mut Edges) -> Vec<GeneratorResult> {
    if scenario.generator.used().next().is_none() {
        return Vec::new(); // the result is the stream of a probe in the guest
    }
    let answers = answers(scenario);
    let used: Vec<Port> = PORTS.into_iter().filter(|port| edges.line(port.stimulus).is_some()).collect();
    used.iter().map(|port| judge_one(scenario, edges, port, &answers)).collect()
}

fn judge_one(scenario: &Scenario, edges: &mut Edges, port: &Port, answers: &[&str]) -> GeneratorResult {
    let stimulus = port.stimulus;
    let names: Vec<String> = answers.iter().map(|name| format!("{}{name}", port.prefix)).collect();
    for name in &names {
        if edges.line(name).is_none() {
            edges.lines.push(Line::new(name.as_str()));
        }
    }
    let responses: Vec<Watched> = names.into_iter().map(watched).collect();
    let wiring = Wiring {
        stimulus,
        responses: &responses,
        rule: PairingRule::default(),
        load: &scenario.load,
        idle: IDLE_AS_IS,
    };
    let answered = wiring.judge(edges).expect("the lines were just made sure of");
    GeneratorResult { stimulus, answered }
}

fn watched(name: String) -> Watched {
    let is_of_thread = matches!(connector::response(&name), Some(IST | APP));
    let line = Watched::line(name);
    if is_of_thread { line.completed() } else { line }
}

/// The series that a scenario will give. `None` if that depends on the guest, because the probe in it may measure anything.
///
/// `figures_of` returns the series of one of the probe's measures.
pub fn planned(scenario: &Scenario, figures_of: impl Fn(&str) -> Vec<Figure>) -> Option<Vec<PlannedSeries>> {
    let answers = answers(scenario);
    let used = |port: &&Port| scenario.generator.used().any(|(letter, _)| letter == port.letter);
    let ports = PORTS.iter().filter(used);
    let lines = ports.flat_map(|port| answers.iter().map(move |name| format!("{}{name}", port.prefix)));
    let lines = lines.flat_map(|name| watched(name).names()).map(|name| Figure { name, ..Figure::default() });
    let measured = if scenario.stream { figures_of(measure_of(&scenario.options)?) } else { Vec::new() };
    let planned = |Figure { name, fields }| {
        let key = Key { variant: fields, ..Key::new(name, &scenario.load, IDLE_AS_IS) };
        PlannedSeries { key, unit: Unit::Instructions }
    };
    Some(lines.chain(measured).map(planned).collect())
}

fn measure_of(options: &str) -> Option<&str> {
    let mut words = options.split_whitespace();
    words.find(|word| *word == "measure")?;
    words.next()
}

/// The answer lines of one port: those that the scenario names, or the guest's default ones.
fn answers(scenario: &Scenario) -> Vec<&str> {
    let usual = || guest::kind_of(&scenario.guest).map(|(kind, _)| kind.answers).unwrap_or_default().to_vec();
    scenario.answers.as_ref().map_or_else(usual, |lines| lines.iter().map(String::as_str).collect())
}

/// The plan of a scenario. `seed` applies if the scenario has none.
pub fn plan(scenario: &Scenario, seed: u64) -> Plan {
    let described = serde_json::to_value(scenario).expect("a scenario is plain data");
    Plan {
        measures: vec![format!("lab {}", scenario.name)],
        loads: vec![scenario.load.clone()],
        idle: IDLE_AS_IS.to_string(),
        seed: scenario.seed.unwrap_or(seed),
        extension: Extension::Lab(Lab { scenario: described }),
        ..Plan::default()
    }
}

/// Adds everything but the series to a run of the scenario: the device, the load, and the instrument's counts.
pub fn describe(run: &mut Run, scenario: &Scenario, bench: &BenchRun, emulator: &Emulator) {
    let recording = &bench.recording;
    run.seconds = bench.seconds;
    run.interrupted = bench.interrupted;
    run.device = device(scenario, bench, emulator);
    run.loads.extend(progress(scenario, &recording.edges));
    let values = [
        ("channel_bytes", recording.channel_bytes),
        ("end_at_instructions", recording.edges.end_at.0),
        ("late_stimuli", recording.late_stimuli),
    ];
    run.values.extend(values.map(|(name, value)| (name.to_string(), value)));
    run.results.phases = phases(scenario, bench);
    run.results.load_instructions = load_span(scenario, &recording.edges).map(|span| span.0);
    match still(&answers(scenario), &recording.edges) {
        Some(text) if scenario.answers.is_some() => run.spoil(text),
        Some(text) => run.warnings.push(Warning::new("answers-unnamed", text)),
        None => {}
    }
    if recording.late_stimuli > 0 {
        run.warnings.push(Warning::late_stimuli(recording.late_stimuli));
    }
}

/// A warning if the guest answers on some lines, but never on others that the scenario names (after the first pulse).
fn still(named: &[&str], edges: &Edges) -> Option<String> {
    let first = first_pulse(edges)?;
    let moves = |line: &str| edges.line(line).is_some_and(|line| line.rises().any(|at| at >= first));
    let still: Vec<&str> = named.iter().copied().filter(|line| !moves(line)).collect();
    let moved: Vec<&str> = ANSWER_LINES.into_iter().filter(|line| moves(line)).collect();
    let wrong = !still.is_empty() && !moved.is_empty();
    wrong.then(|| {
        let (still, moved) = (still.join(" and "), moved.join(" and "));
        format!("the guest never answered on {still}, which the scenario lists in answers; it answers on {moved}")
    })
}

/// How evenly the measured pulses were spread over the guest's tick; over the generator's period if the tick is unknown.
fn phases(scenario: &Scenario, bench: &BenchRun) -> BTreeMap<char, Phase> {
    let mut phases = BTreeMap::new();
    for (letter, generator) in scenario.generator.used() {
        let port = PORTS.iter().find(|port| port.letter == letter).expect("each generator has a port");
        let Some(line) = bench.recording.edges.line(port.stimulus) else { continue };
        let pulses: Vec<Tick> = line.rises().skip(line.warmup as usize).collect();
        let Some(found) = phase(&pulses, bench.tick().unwrap_or(Tick(generator.period))) else { continue };
        phases.insert(letter, found);
    }
    phases
}

fn device(scenario: &Scenario, bench: &BenchRun, emulator: &Emulator) -> Device {
    let kind = guest::name_of_kind(&scenario.guest);
    let mut device = Device {
        kind: format!("lab:{kind}"),
        kernel: bench.description().to_string(),
        cpu: format!("{} as {}", emulator.text, emulator.machine.shown),
        cpus: 1,
        clock: "executed instructions (-icount shift=0)".to_string(),
        ..Device::default()
    };
    device.say("start", if bench.restored { "from a saved state" } else { "booted" });
    device
}

fn load_span(scenario: &Scenario, edges: &Edges) -> Option<Tick> {
    first_pulse(edges).filter(|_| scenario.load != NO_LOAD).map(|first| edges.end_at.since(first))
}

fn first_pulse(edges: &Edges) -> Option<Tick> {
    edges.stimuli().filter_map(|line| line.rises().next()).min()
}

/// How often the load's line changed between the first measured pulse and the end.
fn progress(scenario: &Scenario, edges: &Edges) -> Option<LoadProgress> {
    if scenario.load == NO_LOAD {
        return None;
    }
    let first = first_pulse(edges)?;
    let moved =
        edges.line(A.lines[PROGRESS]).map_or(0, |line| line.edges.iter().filter(|edge| edge.at() >= first).count());
    Some(LoadProgress {
        name: scenario.load.clone(),
        unit: "edges of the progress line since the first pulse".to_string(),
        phase: scenario.load.clone(),
        done: moved as u64,
        per_second: Vec::new(),
        each_s: 1,
    })
}

pub fn run_of(
    scenario: &Scenario,
    bench: &BenchRun,
    emulator: &Emulator,
    seed: u64,
    words: Vec<String>,
    started: jiff::Timestamp,
) -> Run {
    let mut run = Run::begin(backwall_model::Origin::Emulated, plan(scenario, seed), words, started);
    describe(&mut run, scenario, bench, emulator);
    run
}

/// Adds to the run the computed latencies, their division into modes, the pictures, and what the guest's probe wrote to the
/// channel.
///
/// # Errors
/// If the guest's stream cannot be opened.
pub fn complete(
    run: &mut Run,
    scenario: &Scenario,
    bench: &mut BenchRun,
    mut judged: Vec<GeneratorResult>,
) -> Result<()> {
    run.results.divided = divide(&mut judged, &bench.recording.modes);
    for judged in judged {
        let edges = &bench.recording.edges;
        let stimulus = edges.line(judged.stimulus).expect("it was judged");
        run.pictures.push(Picture::Screens(screens(edges, stimulus, &judged.answered, &scenario.about)));
        judged.answered.into_iter().for_each(|answered| answered.add_to(run));
    }
    if scenario.stream {
        let opened = std::fs::File::open(bench.channel_path());
        let channel = opened.map_err(|error| usage(format!("the guest's stream: {error}")))?;
        if stream::is_of_operations(scenario) {
            stream::add_operations(run, scenario, &Probe::carried()?.catalogue()?.operations, channel);
        } else {
            stream::add_to(run, scenario, std::io::BufReader::new(channel));
        }
    }
    Ok(())
}

/// Stores everything from which the figures can be computed again.
///
/// # Errors
/// If the folder cannot be written.
pub fn keep(scenario: &Scenario, folder: &RunFolder, bench: &BenchRun) -> Result<()> {
    folder.stream("edges.vcd", |file| vcd_write::write(&bench.recording.edges, file))?;
    folder.copy("edges.bin", &bench.edges_path())?;
    folder.write("console.txt", bench.console.as_bytes())?;
    if bench.recording.channel_bytes > 0 {
        let name = if traces_itself(scenario) { GUEST_TRACE_FILE } else { "channel.bin" };
        folder.copy(name, &bench.channel_path())?;
    }
    Ok(())
}

/// Whether the guest's kernel traces itself; then the trace is the only data in the channel.
fn traces_itself(scenario: &Scenario) -> bool {
    scenario.options.split_whitespace().any(|word| word.starts_with("bench-trace="))
}
