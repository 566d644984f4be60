// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of recording and of reading samples back: `cargo bench --bench stats -- FOLDER MILLIONS`.
//!
//! One line for each figure, tab-separated: name, value, unit, goal, met, peer, its value, conditions.
use backwall_model::units::Unit;
use backwall_model::{IDLE_AS_IS, Key, NO_LOAD, Origin, Plan, Run, Span};
use backwall_os::folder::Folder;
use backwall_stats::{Block, SeriesBuilder};
use backwall_store::samples::{FILE_NAME, Writer, read};
use backwall_store::{RunFolder, seal};
use jiff::Timestamp;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

const BLOCK: usize = 1 << 13;
const PERIOD_NS: u64 = 200_000;
const NO_PEER: (&str, &str) = ("-", "-");
const SEED: u64 = 88_172_645_463_325_252;

// Latencies as of a wake-up: a narrow body, one in 1,024 up to some milliseconds. A xorshift
// generator, so that every run sees the same.
struct Latencies(u64);

impl Iterator for Latencies {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let random = self.0;
        let body = 3_000 + (random >> 40) % 4_000 + (random >> 20) % 4_000;
        Some(if random % 1_024 == 0 { body + (random >> 32) % 5_000_000 } else { body })
    }
}

fn key() -> Key {
    Key::new("wakeup", NO_LOAD, IDLE_AS_IS)
}

fn span() -> Span {
    Span::new("expiry", "thread", Unit::Ns)
}

fn builder() -> SeriesBuilder {
    SeriesBuilder::new(key(), span())
}

fn main() {
    // `cargo test` and `cargo bench` pass flags of their own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [folder, millions] = arguments.as_slice() else {
        println!("stats: measures nothing without FOLDER and MILLIONS; see tools/bench.sh");
        return;
    };
    let samples = millions.parse::<u64>().expect("MILLIONS is a whole number") * 1_000_000;
    record_blocks(samples);
    record_singly(samples / 4);
    read_back(Path::new(folder), samples);
    verify_sealed(Path::new(folder), samples);
}

// A sealed run with `samples` samples: hashes and every claim.
fn verify_sealed(folder: &Path, samples: u64) {
    let (home, out) = (folder.join("bench-run"), folder.join("bench-sealed"));
    let clear = || [&home, &out].into_iter().for_each(|place| drop(std::fs::remove_dir_all(place)));
    clear();
    std::fs::create_dir(&home).expect("a folder can be made");
    let mut writer = Writer::create(&Folder::open(&home).expect("just made")).expect("a file can be made");
    let id = writer.series(key(), span());
    for (seq, value) in (0..samples).zip(Latencies(SEED)) {
        writer.sample(id, seq, seq * PERIOD_NS, value, false).expect("there is room");
    }
    writer.finish().expect("there is room");
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let mut run = Run::begin(Origin::Simulated, Plan::default(), vec!["bench".into()], Timestamp::UNIX_EPOCH);
    run.series = read(&home.join(FILE_NAME), threads).expect("just written");
    std::fs::write(home.join("run.json"), serde_json::to_string(&run).expect("a run is JSON")).expect("there is room");
    let sealed = RunFolder::create(Some(&out), "bench", Timestamp::UNIX_EPOCH).expect("a folder can be made");
    seal::write(&home, &sealed).expect("a run that can be sealed");
    let started = Instant::now();
    let found = seal::verify(&out).expect("just sealed");
    let seconds = started.elapsed().as_secs_f64();
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    let met = if seconds <= 10.0 { "yes" } else { "no" };
    let (claims, millions) = (found.claims, samples / 1_000_000);
    println!(
        "verify a sealed run\t{seconds:.1}\ts\t10\t{met}\t-\t-\t{millions} million samples, {claims} claims, files in the page cache"
    );
    clear();
}

fn record_blocks(samples: u64) {
    let value: Vec<u64> = Latencies(SEED).take(1 << 20).collect();
    let mut builder = builder();
    let (mut seq, mut at) = (vec![0; BLOCK], vec![0; BLOCK]);
    let watch = Watch::start();
    for first in (0..samples).step_by(BLOCK) {
        let block = &value[first as usize % value.len()..][..BLOCK];
        for index in 0..BLOCK {
            seq[index] = first + index as u64;
            at[index] = seq[index] * PERIOD_NS;
        }
        builder.samples(Block { seq: &seq, at: &at, value: block, late: 0 });
    }
    watch.print("record in blocks", builder.done(), Some(100.0), NO_PEER, "all statistics, blocks of 8,192, one core");
}

fn record_singly(samples: u64) {
    let value: Vec<u64> = Latencies(SEED).take(1 << 20).collect();
    let peer = record_in_peer(&value, samples);
    let mut builder = builder();
    let watch = Watch::start();
    for seq in 0..samples {
        builder.sample(seq, seq * PERIOD_NS, value[seq as usize % value.len()], false);
    }
    let conditions = "all statistics, one core; the peer keeps a histogram only";
    watch.print("record one by one", builder.done(), None, ("hdrhistogram crate", &format!("{peer:.1}")), conditions);
}

// Millions a second of a histogram of the same range and at least the same resolution.
fn record_in_peer(value: &[u64], samples: u64) -> f64 {
    let mut histogram = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1 << 36, 3).expect("valid bounds");
    let started = Instant::now();
    for seq in 0..samples {
        histogram.record(value[seq as usize % value.len()]).expect("within its bounds");
    }
    histogram.len() as f64 / 1e6 / started.elapsed().as_secs_f64()
}

fn read_back(folder: &Path, samples: u64) {
    let path = folder.join(FILE_NAME);
    let folder = Folder::open(folder).expect("just made");
    let mut writer = Writer::create(&folder).expect("a file can be made");
    let id = writer.series(key(), span());
    let watch = Watch::start();
    for (seq, value) in (0..samples).zip(Latencies(SEED)) {
        writer.sample(id, seq, seq * PERIOD_NS, value, false).expect("there is room");
    }
    writer.finish().expect("there is room");
    let bytes = std::fs::metadata(&path).expect("just written").len() as f64 / samples as f64;
    watch.print("write samples", samples, None, NO_PEER, &format!("{bytes:.2} bytes a sample, one core"));
    for threads in 1..=2 {
        let watch = Watch::start();
        let series = read(&path, NonZero::new(threads).expect("not zero")).expect("just written");
        assert_eq!(series[0].done, samples, "every sample is read back");
        let conditions = format!("{} million into all statistics, file in the page cache", samples / 1_000_000);
        watch.print(&format!("read samples back, threads {threads}"), samples, Some(50.0), NO_PEER, &conditions);
    }
    std::fs::remove_file(&path).expect("just read");
}

// Wall clock and processor time, because a busy machine stretches only the first.
struct Watch {
    wall: Instant,
    processor_seconds: f64,
}

impl Watch {
    fn start() -> Self {
        Self { wall: Instant::now(), processor_seconds: processor_seconds() }
    }

    // Prints millions per second of wall-clock time, compared with `goal`; those of CPU time are in the conditions.
    fn print(&self, name: &str, samples: u64, goal: Option<f64>, (peer, of_peer): (&str, &str), conditions: &str) {
        let millions = samples as f64 / 1e6;
        let rate = millions / self.wall.elapsed().as_secs_f64();
        let of_processor = millions / (processor_seconds() - self.processor_seconds);
        let (met, goal) =
            goal.map_or(("-", "-".to_string()), |goal| (if rate >= goal { "yes" } else { "no" }, goal.to_string()));
        println!(
            "{name}\t{rate:.1}\tmillion/s\t{goal}\t{met}\t{peer}\t{of_peer}\t{conditions}; {of_processor:.0} million per second of processor time"
        );
    }
}

// Time of all threads of this process, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let after_name = stat.rsplit(')').next().expect("at least one part");
    let ticks = after_name.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}
