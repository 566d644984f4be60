// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of recording and of reading samples back: `cargo bench --bench stats -- FOLDER MILLIONS`.
//!
//! One line for each figure, tab-separated: name, value, unit, goal, met, peer, its value, conditions.
use backwall::samples::{Writer, read};
use backwall::stats::{Block, Label, SeriesBuilder};
use backwall::units::Unit;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

const BLOCK: usize = 1 << 13;
const PERIOD_NS: u64 = 200_000;

/// Latencies as of a wake-up: a narrow body, one in 1,024 up to some milliseconds. A xorshift
/// generator, so that every run sees the same.
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

fn label() -> Label {
    let text = |text: &str| text.to_string();
    let (name, from, to) = (text("wakeup"), text("expiry"), text("thread"));
    Label { name, from, to, unit: Unit::Ns, load: text("none"), idle: text("as-is") }
}

fn main() {
    // `cargo test` and `cargo bench` pass flags of their own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [folder, millions] = arguments.as_slice() else {
        println!("stats: measures nothing without FOLDER and MILLIONS; see tools/bench_stats.sh");
        return;
    };
    let samples = millions.parse::<u64>().expect("MILLIONS is a whole number") * 1_000_000;
    record_blocks(samples);
    record_singly(samples / 4);
    read_back(Path::new(folder), samples);
}

fn record_blocks(samples: u64) {
    let value: Vec<u64> = Latencies(88_172_645_463_325_252).take(1 << 20).collect();
    let mut builder = SeriesBuilder::of(label());
    let (mut seq, mut at) = (vec![0; BLOCK], vec![0; BLOCK]);
    let started = Instant::now();
    let mut first = 0;
    while first < samples {
        let block = &value[(first as usize) % value.len()..][..BLOCK];
        for index in 0..BLOCK as u64 {
            seq[index as usize] = first + index;
            at[index as usize] = (first + index) * PERIOD_NS;
        }
        builder.samples(Block { seq: &seq, at: &at, value: block, late: 0 });
        first += BLOCK as u64;
    }
    let rate = builder.done() as f64 / started.elapsed().as_secs_f64() / 1e6;
    print("record in blocks", rate, "100", rate >= 100.0, "blocks of 8,192, one core, statistics only");
}

fn record_singly(samples: u64) {
    let value: Vec<u64> = Latencies(88_172_645_463_325_252).take(1 << 20).collect();
    let mut builder = SeriesBuilder::of(label());
    let started = Instant::now();
    for seq in 0..samples {
        builder.sample(seq, seq * PERIOD_NS, value[seq as usize % value.len()], false);
    }
    let rate = builder.done() as f64 / started.elapsed().as_secs_f64() / 1e6;
    print("record one by one", rate, "", true, "one core, statistics only");
}

fn read_back(folder: &Path, samples: u64) {
    let path = folder.join("bench-samples.parquet");
    let mut writer = Writer::create(&path).expect("a file can be made");
    let id = writer.series(label());
    let started = Instant::now();
    for (seq, value) in (0..samples).zip(Latencies(88_172_645_463_325_252)) {
        writer.sample(id, seq, seq * PERIOD_NS, value, false).expect("there is room");
    }
    writer.finish().expect("there is room");
    let rate = samples as f64 / started.elapsed().as_secs_f64() / 1e6;
    let bytes = std::fs::metadata(&path).expect("just written").len() as f64 / samples as f64;
    print("write samples", rate, "", true, &format!("one core, {bytes:.2} bytes a sample"));
    for threads in 1..=2 {
        let started = Instant::now();
        let series = read(&path, NonZero::new(threads).expect("not zero")).expect("just written");
        let rate = samples as f64 / started.elapsed().as_secs_f64() / 1e6;
        assert_eq!(series[0].done, samples, "every sample is read back");
        let conditions = format!("{} million samples into all statistics, file in the page cache", samples / 1_000_000);
        print(&format!("read samples back, threads {threads}"), rate, "50", rate >= 50.0, &conditions);
    }
    std::fs::remove_file(&path).expect("just read");
}

fn print(name: &str, rate: f64, goal: &str, met: bool, conditions: &str) {
    println!("{name}\t{rate:.1}\tmillion/s\t{goal}\t{met}\t\t\t{conditions}");
}
