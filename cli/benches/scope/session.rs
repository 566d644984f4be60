// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of sigrok's sessions, next to sigrok's jitter decoder on the same file.
use super::processor_time::rate_of;
use super::{REPEATS, jitter_seconds, print};
use backwall_capture::capture::{self, CaptureHints};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

const GOAL: f64 = 1_000.0;
const PULSES: usize = 200_000;
// 50 us at 12.5 MHz.
const PERIOD: usize = 625;
const SAMPLES: u64 = (PULSES * PERIOD) as u64;
const CHUNK_BYTES: usize = 4 << 20;
const METADATA: &str = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=8\nsamplerate=12.5 MHz\n\
    total analog=0\nprobe1=INT\nprobe2=ISR\nprobe3=APP\nunitsize=1\n";

pub fn reader() {
    let path = std::env::temp_dir().join(format!("backwall-bench-session-{}.sr", std::process::id()));
    write(&path).expect("a folder for temporary files");
    let rate = rate_of(SAMPLES, || read(&path));
    let size = path.metadata().expect("it was just written").len();
    let peer = jitter_seconds(&path, &[]).map(|seconds| SAMPLES as f64 / seconds / 1e6);
    let _ = std::fs::remove_file(&path);
    let conditions = format!(
        "session of {PULSES} pulses on 3 lines, {SAMPLES} samples of one byte in {:.1} MB, unpacked, checked and searched, \
         processor time, best of {REPEATS}; sigrok: pairing of two lines as well",
        size as f64 / 1e6
    );
    print(("session reader", "million samples/s"), rate, GOAL, ("sigrok-cli jitter decoder", peer), &conditions);
}

fn read(path: &Path) {
    let file = BufReader::with_capacity(1 << 20, File::open(path).expect("it was just written"));
    let found = capture::read(file, &CaptureHints::default()).expect("a good session").edges;
    assert_eq!(found.count(), PULSES * 6);
}

// A stimulus, an ISR 1.2 to 1.5 us later, and APP up to 5 us after that, with an outlier in a thousand.
fn samples() -> Vec<u8> {
    let mut all = vec![0; PULSES * PERIOD];
    for (pulse, period) in all.chunks_exact_mut(PERIOD).enumerate() {
        let noise = (pulse as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let isr = 115 + (noise % 4) as usize;
        let app = isr + 38 + (noise % 25) as usize + if noise % 1_000 == 7 { 200 } else { 0 };
        for (bit, from, length) in [(0, 100, 100), (1, isr, 60), (2, app, 80)] {
            period[from..from + length].iter_mut().for_each(|sample| *sample |= 1 << bit);
        }
    }
    all
}

fn write(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let all = samples();
    let chunks = all.chunks(CHUNK_BYTES).zip(1..).map(|(chunk, number): (_, u32)| (format!("logic-1-{number}"), chunk));
    let texts =
        [("version", &b"2"[..]), ("metadata", METADATA.as_bytes())].map(|(name, text)| (name.to_string(), text));
    let mut file = File::create(path)?;
    let mut archive = ZipArchiveWriter::new(&mut file);
    for (name, content) in texts.into_iter().chain(chunks) {
        let (mut entry, config) = archive.new_file(&name).compression_method(CompressionMethod::DEFLATE).start()?;
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(content)?;
        let (encoder, descriptor) = writer.finish()?;
        encoder.finish()?;
        entry.finish(descriptor)?;
    }
    archive.finish()?;
    Ok(())
}
