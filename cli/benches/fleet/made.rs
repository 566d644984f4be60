// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs to fill a fleet with: simulated latencies, each run with a figure of its own and a beginning of its own.
use backwall_model::units::Unit;
use backwall_model::{Key, Origin, Plan, Run, Span};
use backwall_stats::{Block, SeriesBuilder};
use std::collections::BTreeMap;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

// Few, because a run lists all of them as its worst: with 5,000 the 20,000 runs of the page took 28 GB.
const SAMPLES: u64 = 500;
// The run before all others began then: 2026-01-01.
const BEGAN_SECONDS: i64 = 1_767_225_600;

pub struct Runs {
    run: Run,
    number: u64,
}

impl Runs {
    pub fn new(series: usize) -> Self {
        let seq: Vec<u64> = (0..SAMPLES).collect();
        let value: Vec<u64> =
            seq.iter().map(|n| 20_000 + n * 7_919 % 5_003 + if n % 997 == 0 { 90_000 } else { 0 }).collect();
        let began = jiff::Timestamp::UNIX_EPOCH;
        let mut run = Run::begin(Origin::Simulated, Plan::default(), vec!["backwall".into(), "run".into()], began);
        run.device.kind = "linux".into();
        run.device.kernel = "Linux 6.12.1-rt #1 SMP PREEMPT_RT".into();
        for number in 0..series {
            let key = Key::new(format!("wakeup-{number}"), "none", "as-is");
            let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
            builder.samples(Block { seq: &seq, at: &seq, value: &value, late: 0 });
            run.series.push(builder.build());
        }
        Self { run, number: 0 }
    }

    // The next run, which begins at this hour. It differs from the others as real runs do.
    pub fn at(&mut self, hour: usize) -> Run {
        self.number += 1;
        let mut run = self.run.clone();
        let began = BEGAN_SECONDS + 3_600 * hour as i64;
        run.started = jiff::Timestamp::from_second(began).map(|at| at.to_string()).unwrap_or_default();
        run.seconds = self.number as f64;
        run
    }
}

pub fn store(folder: &Path, run: &Run) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("run.json"), serde_json::to_string(run)?)
}

pub struct Spool {
    folder: PathBuf,
    numbers: BTreeMap<String, usize>,
}

impl Spool {
    pub fn create(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_path_buf(), numbers: BTreeMap::new() })
    }

    pub fn push(&mut self, device: &str, run: &Run) -> Result<()> {
        let number = self.numbers.entry(device.to_string()).or_default();
        store(&self.folder.join(device).join(number.to_string()), run)?;
        *number += 1;
        Ok(())
    }
}

pub fn runs_of(fleet: &Path) -> Result<usize> {
    let mut level = vec![fleet.join("runs")];
    for _ in 0..4 {
        let below = level.iter().map(|folder| fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect());
        level = below.collect::<Result<Vec<Vec<PathBuf>>>>()?.concat();
    }
    Ok(level.len())
}
