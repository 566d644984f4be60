// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes a run from a capture, still without series: it contains what the capture alone says about the device.
use crate::capture::Capture;
use crate::pairing::PairingRule;
use crate::request::shown;
use crate::tick::TickRate;
use crate::wiring::Wiring;
use backwall_model::{Device, Extension, Plan, Run, Scope};
use jiff::Timestamp;

/// The run, without series.
pub fn run_of(
    title: &str,
    capture: &Capture,
    wiring: &Wiring,
    command: Vec<String>,
    (started, now): (Timestamp, Timestamp),
) -> Run {
    let (clock, clock_hz) = match capture.edges.rate {
        TickRate::Instructions => ("executed instructions".to_string(), 0),
        TickRate::Clock(rate) => ("ticks of the capture".to_string(), rate.hz()),
    };
    let kernel = format!("capture {title}");
    let cpu = "unnamed device".to_string();
    let mut run = Run::begin(capture.origin, plan(wiring), command, started);
    run.seconds = started.duration_until(now).as_secs_f64();
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
