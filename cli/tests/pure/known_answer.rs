// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole chain on a scripted clock: every number of `run.json` is known beforehand.
//!
//! The script (`probe/port/fake.c`): one count is 100 ns; wait k ends `50 + k % 10` counts late, 1,200 when
//! `k % 100` is 99, and 35,000 when k is 500, which at a period of 1 ms costs the three releases after it.
use backwall_model::units::{Nanoseconds, Unit};
use backwall_model::{Origin, Overrun, Quantile, Run, Series, Slice};
use std::fs;
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const FAKE: &str = backwall_runner::device::built::FAKE;
const PERIOD_NS: u64 = 1_000_000;
const WARMUP: u64 = 100;
const COUNT: u64 = 600;

fn script() -> Vec<(u64, u64)> {
    let seq_of = |wait: u64| if wait > 500 { wait + 3 } else { wait };
    let latency = |wait: u64| match wait {
        500 => 35_000,
        wait if wait % 100 == 99 => 1_200,
        wait => 50 + wait % 10,
    };
    (0..WARMUP + COUNT - 3).map(|wait| (seq_of(wait), latency(wait) * 100)).collect()
}

fn samples() -> Vec<(u64, u64)> {
    script().into_iter().filter(|(seq, _)| *seq >= WARMUP).collect()
}

fn run() -> (Run, Vec<Series>) {
    run_on(Path::new(FAKE))
}

fn run_on(program: &Path) -> (Run, Vec<Series>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("run").arg("--probe").arg(program);
    command.args(["--load", "none", "--for", "600ms", "--seed", "7", "--quiet", "--keep-samples", "--output"]);
    let output = command.arg(&out).arg("--require").arg("wakeup.p50 < 100us").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    assert!(out.join("report.html").exists());
    let kept = backwall_store::samples::read(&out.join("samples.parquet"), NonZero::new(2).unwrap()).unwrap();
    (serde_json::from_slice(&std::fs::read(out.join("run.json")).unwrap()).unwrap(), kept)
}

// A device behind a pipe gets only the words and the stream of this machine.
#[test]
fn a_device_behind_a_pipe_gives_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("device");
    fs::write(&program, format!("#!/bin/sh\nenv -i '{FAKE}' \"$@\" </dev/null | cat\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let ((near, kept), (far, kept_there)) = (run(), run_on(&program));
    assert_eq!((far.series[0].done, far.valid), (near.series[0].done, near.valid));
    assert_eq!(serde_json::to_value(&far.series).unwrap(), serde_json::to_value(&near.series).unwrap());
    assert_eq!(kept_there.len(), kept.len());
    assert!(kept.iter().zip(&kept_there).all(|(near, far)| near.done == far.done && near.worst == far.worst));
}

#[test]
fn every_number_of_a_scripted_run_is_the_one_that_was_scripted() {
    let (run, kept) = run();
    check_frame(&run);
    assert_eq!(serde_json::to_value(&kept).unwrap(), serde_json::to_value(&run.series).unwrap());
    assert_eq!(run.series.len(), 1);
    let series = &run.series[0];
    check_account(series);
    check_figures(series);
    check_histogram(series);
    check_worst(series);
    check_over_time(series);
}

fn check_frame(run: &Run) {
    assert_eq!(run.origin, Origin::Simulated);
    assert!(run.valid && !run.interrupted && run.loads.is_empty() && run.stages.is_empty());
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    assert!(run.self_check.is_none());
    let device = &run.device;
    assert_eq!((device.kind.as_str(), device.clock.as_str(), device.clock_hz), ("fake", "scripted", 10_000_000));
    assert_eq!((device.cpus, device.preemption.as_str()), (1, "none (scripted)"));
    let plan = &run.plan;
    assert_eq!((&plan.measures[..], &plan.loads[..]), (&["wakeup".to_string()][..], &["none".to_string()][..]));
    assert_eq!((plan.phase_ns, plan.period_ns), (Some(Nanoseconds(600_000_000)), Some(Nanoseconds(PERIOD_NS))));
    assert_eq!(
        (plan.priority, plan.overrun, plan.idle.as_str(), plan.seed),
        (Some(95), Some(Overrun::Skip), "as-is", 7)
    );
    for clock_cost in ["min", "median", "p999", "max"] {
        assert_eq!(run.values[&format!("overhead_{clock_cost}_cycles")], 1);
    }
    assert_eq!((run.values["resident_start_bytes"], run.values["resident_end_bytes"]), (4_194_304, 4_194_304));
    assert_eq!(run.requirements[0].text, "wakeup.p50 < 100us");
}

fn check_account(series: &Series) {
    let names = [&series.key.name, &series.from, &series.to, &series.key.load, &series.key.idle].map(String::as_str);
    assert_eq!(names, ["wakeup", "expiry", "thread", "none", "as-is"]);
    assert_eq!(series.unit, Unit::Ns);
    assert_eq!((series.due, series.done, series.missed), (Some(WARMUP + COUNT), WARMUP + COUNT - 3, Some(3)));
    assert_eq!(series.skipped, 3, "all that is lost was passed by the late answer");
    assert_eq!((series.late, series.overflow, series.warmup), (Some(1), 0, WARMUP));
}

fn check_figures(series: &Series) {
    let mut values: Vec<u64> = samples().into_iter().map(|(_, value)| value).collect();
    values.sort_unstable();
    let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
    assert_eq!((series.min, series.max, series.jitter), (Some(5_000), Some(3_500_000), Some(3_495_000)));
    assert!((series.mean.unwrap() - mean).abs() < 1e-6, "{:?} {mean}", series.mean);
    assert_eq!(series.quantiles.len(), 7);
    series.quantiles.iter().for_each(|quantile| check_quantile(quantile, &values));
}

// The exact quantile lies between the limits, and the value within one class (1/1024) of it.
fn check_quantile(quantile: &Quantile, sorted: &[u64]) {
    let beyond = ((1.0 - quantile.q) * sorted.len() as f64 + 1e-9) as usize;
    let exact = sorted[sorted.len() - beyond - 1];
    let Some(value) = quantile.value else {
        assert!(quantile.q > 0.99, "600 samples tell the {} quantile", quantile.q);
        return;
    };
    assert!(value.abs_diff(exact) <= exact / 1024 + 1, "q {}: {value}, exactly {exact}", quantile.q);
    assert!(quantile.low.is_none_or(|low| low <= exact) && quantile.high.is_none_or(|high| high >= exact));
}

fn check_histogram(series: &Series) {
    let histogram = &series.histogram;
    assert_eq!(histogram.bounds.len(), histogram.counts.len() + 1);
    for (pair, count) in histogram.bounds.windows(2).zip(&histogram.counts) {
        let inside = samples().into_iter().filter(|(_, value)| (pair[0]..pair[1]).contains(value)).count();
        assert_eq!(*count, inside as u64, "{pair:?}");
    }
    assert_eq!(histogram.counts.iter().sum::<u64>(), samples().len() as u64);
}

fn check_worst(series: &Series) {
    let mut expected = samples();
    expected.sort_by_key(|(seq, value)| (std::cmp::Reverse(*value), *seq));
    let kept: Vec<_> = series.worst.iter().map(|worst| (worst.seq, worst.value)).collect();
    assert_eq!(kept, expected);
    assert!(series.worst.iter().all(|worst| worst.at == Some(worst.seq * PERIOD_NS) && worst.blame.is_none()));
    assert_eq!(kept[0], (500, 3_500_000));
}

fn check_over_time(series: &Series) {
    let slices = &series.over_time;
    let ends = slices[1..].iter().map(|next| next.at).chain([u64::MAX]);
    slices.iter().zip(ends).for_each(|(slice, end)| check_slice(slice, end));
    assert_eq!(slices.iter().map(|slice| slice.done).sum::<u64>(), samples().len() as u64);
    assert_eq!(slices.iter().map(|slice| slice.missed).sum::<u64>(), 3);
}

fn check_slice(slice: &Slice, end: u64) {
    let inside = samples().into_iter().filter(|(seq, _)| (slice.at..end).contains(&(seq * PERIOD_NS)));
    let values: Vec<u64> = inside.map(|(_, value)| value).collect();
    assert_eq!(slice.done, values.len() as u64, "{slice:?}");
    if let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) {
        let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
        assert_eq!((slice.min, slice.max), (*min, *max), "{slice:?}");
        assert!((slice.mean - mean).abs() < 1e-6, "{slice:?}");
    }
}

#[test]
fn the_histogram_text_is_cyclictests() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args([
        "run",
        "--probe",
        backwall_runner::device::built::FAKE,
        "-m",
        "-h",
        "100",
        "-l",
        "600",
        "--load",
        "none",
    ]);
    let output = command.arg("--output").arg(folder.path().join("run")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\n# Histogram\n000000 000000\n"), "{text}");
    assert!(text.contains("\n# Histogram Overflows: 00006\n") && text.contains("\n# Max Latencies: 03500\n"), "{text}");
}
