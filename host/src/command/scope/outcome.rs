// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is kept of judged edges: a dump of them, and a run without its series.
use crate::invocation;
use crate::run::{Device, Extension, Plan, Run, Scope};
use crate::scope::asked::shown;
use crate::scope::capture::Capture;
use crate::scope::pairing::PairingRule;
use crate::scope::tick::TickRate;
use crate::scope::vcd_write;
use crate::scope::wiring::Wiring;
use crate::store::RunFolder;
use jiff::Timestamp;

/// Every edge, for other programs.
pub(super) fn keep(folder: &RunFolder, capture: &Capture) -> anyhow::Result<()> {
    folder.stream("edges.vcd", |file| vcd_write::write(&capture.edges, file))
}

/// A run without series: what is known of a device from its capture alone.
pub(super) fn run_of(title: &str, capture: &Capture, wiring: &Wiring, started: Timestamp) -> Run {
    let (clock, clock_hz) = match capture.edges.rate {
        TickRate::Instructions => ("executed instructions".to_string(), 0),
        TickRate::Clock(rate) => ("ticks of the capture".to_string(), rate.hz()),
    };
    let kernel = format!("capture {title}");
    let cpu = "unnamed device".to_string();
    let mut run = Run::begin(capture.origin, plan(wiring), invocation::words(), started);
    run.seconds = started.duration_until(Timestamp::now()).as_secs_f64();
    run.interrupted = capture.interrupted;
    run.device = Device { kind: "capture".into(), kernel, cpu, clock, clock_hz, ..Device::default() };
    run.values.insert("edges".to_string(), capture.edges.count() as u64);
    run.warnings.clone_from(&capture.warnings);
    run
}

fn plan(wiring: &Wiring) -> Plan {
    let PairingRule { stimulus, response, shortest_pulse, deadline, .. } = wiring.rule;
    let asked = Scope {
        stimulus: wiring.stimulus.to_string(),
        responses: wiring.responses.iter().map(shown).collect(),
        completion: wiring.responses.iter().any(|watched| watched.completion),
        stimulus_edge: stimulus.into(),
        response_edge: response.into(),
        shortest_pulse_ticks: shortest_pulse.0,
        deadline_ticks: deadline.map(|deadline| deadline.0),
    };
    Plan {
        measures: vec!["scope".to_string()],
        loads: vec![wiring.load.to_string()],
        idle: wiring.idle.to_string(),
        extension: Extension::Scope(asked),
        ..Plan::default()
    }
}
