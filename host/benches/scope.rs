// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of the scope engine (an edge file to series) and of the dump reader, each beside a peer.
//!
//! Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
use backwall::scope::pairing::PairingRule;
use backwall::scope::wiring::Wiring;
use backwall::scope::{recording, vcd_read, vcd_write};
use std::hint::black_box;
use std::process::{Command, Stdio};

const PULSES: u64 = 2_000_000;
const EDGES_PER_PULSE: u64 = 6; // stimulus, IST and APP, up and down
const PERIOD: u64 = 200_000;
const GOAL: f64 = 50.0;
const REPEATS: usize = 5;

const DUMP_PULSES: u64 = 300_000;
const DUMP_GOAL: f64 = 25.0;

const PEER_PULSES: usize = 30_000;
const PEER_EDGES: f64 = PEER_PULSES as f64 * 4.0; // its decoder takes two lines
const PEER_PERIOD_SAMPLES: usize = 50;

fn main() {
    engine();
    dump_reader();
}

/// Prints one figure.
fn print(name: &str, rate: f64, goal: f64, peer: &str, peer_rate: Option<f64>, conditions: &str) {
    let met = if rate >= goal { "yes" } else { "no" };
    let (peer, peer_rate) = peer_rate.map_or(("-", "-".to_string()), |rate| (peer, format!("{rate:.3}")));
    println!("{name}\t{rate:.1}\tmillion edges/s\t{goal:.0}\t{met}\t{peer}\t{peer_rate}\t{conditions}");
}

fn engine() {
    let file = edge_file(PULSES);
    let rate = rate_of(PULSES * EDGES_PER_PULSE, || judge(&file));
    let conditions = format!(
        "read, check, pair twice, statistics; {PULSES} pulses on 3 lines from memory, processor time, best of {REPEATS}; \
         sigrok: one pairing, no statistics"
    );
    print("scope engine", rate, GOAL, "sigrok-cli jitter decoder", peer_rate(), &conditions);
}

fn dump_reader() {
    let edges = recording::read(&edge_file(DUMP_PULSES)[..]).expect("a good file").edges;
    let mut dump = Vec::new();
    vcd_write::write(&edges, &mut dump).expect("memory");
    let count = DUMP_PULSES * EDGES_PER_PULSE;
    let rate = rate_of(count, || vcd_read::read(&dump[..]).expect("a good dump"));
    let peer = rate_of(count, || {
        let parser = vcd::Parser::new(&dump[..]);
        parser.filter(|command| matches!(command, Ok(vcd::Command::ChangeScalar(..)))).count()
    });
    let conditions = format!(
        "value change dump of {DUMP_PULSES} pulses on 3 lines from memory, processor time, best of {REPEATS}; vcd: parsing alone"
    );
    print("value change dump reader", rate, DUMP_GOAL, "vcd crate", Some(peer), &conditions);
}

/// Million edges a second of processor time, the best of some repeats.
fn rate_of<T>(edges: u64, work: impl Fn() -> T) -> f64 {
    let best = (0..REPEATS).map(|_| seconds_of(&work)).fold(f64::INFINITY, f64::min);
    edges as f64 / best / 1e6
}

/// Processor time of this thread, so that other work on the machine counts less.
fn seconds_of<T>(work: impl FnOnce() -> T) -> f64 {
    let start = on_processor_ns();
    black_box(work());
    (on_processor_ns() - start) as f64 / 1e9
}

/// First field of /proc/thread-self/schedstat (proc(5)).
fn on_processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux with scheduler statistics");
    text.split(' ').next().and_then(|field| field.parse().ok()).expect("nanoseconds")
}

/// Processor time of ended children, in the 10 ms ticks of /proc/self/stat (proc(5), cutime and cstime).
fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = text.rsplit(") ").next().expect("fields");
    let fields: Vec<f64> = after_name.split(' ').filter_map(|field| field.parse().ok()).collect();
    (fields[12] + fields[13]) / 100.0
}

fn judge(file: &[u8]) {
    let recording = recording::read(file).expect("a good file");
    let wiring = Wiring {
        stimulus: "stimulus_a",
        responses: &["ist", "app"],
        rule: PairingRule::default(),
        load: "none",
        idle: "as-is",
    };
    let answered = wiring.judge(&recording.edges).expect("its lines");
    assert!(answered.iter().all(|line| line.series.done == PULSES));
    black_box(answered);
}

/// Latencies as a loaded guest has them: a floor, a spread and a rare outlier, from a fixed seed.
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

/// Million edges a second of processor time of `sigrok-cli -P jitter`; `None` where it is not installed.
fn peer_rate() -> Option<f64> {
    let samples = (0..PEER_PULSES * PEER_PERIOD_SAMPLES).map(|sample| {
        let phase = sample % PEER_PERIOD_SAMPLES;
        u8::from(phase < 10) | u8::from((3..15).contains(&phase)) << 1
    });
    let path = std::env::temp_dir().join(format!("backwall-bench-scope-{}.bin", std::process::id()));
    std::fs::write(&path, samples.collect::<Vec<u8>>()).ok()?;
    let run = || {
        Command::new("sigrok-cli")
            .args(["-I", "binary:numchannels=2:samplerate=1000000", "-P", "jitter:clk=0:sig=1", "-i"])
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    let start = children_seconds();
    let status = run();
    let seconds = children_seconds() - start;
    let _ = std::fs::remove_file(&path);
    status.ok()?.success().then_some(PEER_EDGES / seconds / 1e6)
}
