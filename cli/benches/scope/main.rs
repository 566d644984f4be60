// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of the scope: the engine (an edge file to series), and the readers of dumps and sigrok sessions, each next to its peers.
//!
//! Prints one tab-separated line per figure: name, value, unit, goal, met, peer, peer value, conditions.
mod dump;
mod processor_time;
mod session;

use backwall_capture::pairing::PairingRule;
use backwall_capture::recording;
use backwall_capture::wiring::{Watched, Wiring};
use processor_time::{children_seconds, rate_of};
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

const PULSES: u64 = 2_000_000;
const EDGES_PER_PULSE: u64 = 6; // stimulus, IST and APP, up and down
const PERIOD: u64 = 200_000;
const GOAL: f64 = 80.0;
const REPEATS: usize = 5;

const PEER_PULSES: usize = 30_000;
const PEER_EDGES: f64 = PEER_PULSES as f64 * 4.0; // its decoder takes two lines
const PEER_PERIOD_SAMPLES: usize = 50;

fn main() {
    engine();
    dump::reader();
    session::reader();
}

// Prints one figure: a rate in `unit`, its goal, and a peer's rate if any.
fn print((name, unit): (&str, &str), rate: f64, goal: f64, (peer, peer_rate): (&str, Option<f64>), conditions: &str) {
    let met = if rate >= goal { "yes" } else { "no" };
    let (peer, peer_rate) = peer_rate.map_or(("-", "-".to_string()), |rate| (peer, format!("{rate:.3}")));
    println!("{name}\t{rate:.1}\t{unit}\t{goal:.0}\t{met}\t{peer}\t{peer_rate}\t{conditions}");
}

const EDGES: &str = "million edges/s";

fn engine() {
    let file = edge_file(PULSES);
    let rate = rate_of(PULSES * EDGES_PER_PULSE, || judge(&file));
    let conditions = format!(
        "read, check, pair twice, statistics; {PULSES} pulses on 3 lines from memory, processor time, best of {REPEATS}; \
         sigrok: one pairing, no statistics"
    );
    print(("scope engine", EDGES), rate, GOAL, ("sigrok-cli jitter decoder", peer_rate()), &conditions);
}

fn judge(file: &[u8]) {
    let recording = recording::read(file).expect("a good file");
    let wiring = Wiring {
        stimulus: "stimulus_a",
        responses: &["ist", "app"].map(Watched::line),
        rule: PairingRule::default(),
        load: "none",
        idle: "as-is",
    };
    let answered = wiring.judge(&recording.edges).expect("its lines");
    assert!(answered.iter().all(|line| line.series.done == PULSES));
    black_box(answered);
}

// Latencies as a loaded guest has them: a floor, a spread and a rare outlier, from a fixed seed.
fn latency(pulse: u64, floor: u64) -> u64 {
    let noise = (pulse.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 1_000;
    floor + noise + if noise == 7 { 20_000 } else { 0 }
}

fn edge_file(pulses: u64) -> Vec<u8> {
    let mut bytes = b"BWEDGES\0\x01\0\x20\0\x10\0\0\0".to_vec();
    bytes.extend(1_000_000_000u64.to_le_bytes());
    bytes.extend([0; 8]);
    for pulse in 0..pulses {
        let at = (pulse + 1) * PERIOD;
        let (ist, app) = (at + latency(pulse, 4_000), at + latency(pulse, 9_000));
        let edges =
            [(at, 0, 1), (ist, 17, 1), (app, 18, 1), (at + 40_000, 0, 0), (at + 50_000, 17, 0), (at + 60_000, 18, 0)];
        for (at, line, level) in edges {
            record(&mut bytes, at, line, level, 0);
        }
    }
    for (at, line, reason) in [(pulses, 0xFFFC, 0), (0, 0xFFFD, 0), (0, 0xFFFE, 0), ((pulses + 2) * PERIOD, 0xFFFF, 1)]
    {
        record(&mut bytes, at, line, reason, 128);
    }
    bytes
}

fn record(bytes: &mut Vec<u8>, at: u64, line: u16, level: u8, flags: u8) {
    bytes.extend(at.to_le_bytes());
    bytes.extend(line.to_le_bytes());
    bytes.extend([level, flags, 0, 0, 0, 0]);
}

// Million edges per second of CPU time of `sigrok-cli -P jitter`; `None` if not installed.
fn peer_rate() -> Option<f64> {
    let samples = (0..PEER_PULSES * PEER_PERIOD_SAMPLES).map(|sample| {
        let phase = sample % PEER_PERIOD_SAMPLES;
        u8::from(phase < 10) | u8::from((3..15).contains(&phase)) << 1
    });
    let path = std::env::temp_dir().join(format!("backwall-bench-scope-{}.bin", std::process::id()));
    std::fs::write(&path, samples.collect::<Vec<u8>>()).ok()?;
    let seconds = jitter_seconds(&path, &["-I", "binary:numchannels=2:samplerate=1000000"]);
    let _ = std::fs::remove_file(&path);
    Some(PEER_EDGES / seconds? / 1e6)
}

// CPU time of sigrok's jitter decoder on two lines of a file; `None` if not installed.
fn jitter_seconds(file: &Path, format: &[&str]) -> Option<f64> {
    let start = children_seconds();
    let mut command = Command::new("sigrok-cli");
    command.args(format).args(["-P", "jitter:clk=0:sig=1", "-i"]).arg(file);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.ok()?.success().then(|| children_seconds() - start)
}
