// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a run in the format of `cyclictest --json=FILE -h US`: one thread per series, classes of a microsecond, values rounded
//! down. `return_code` is 0 if the run is valid and complete and passed all requirements.
use super::cyclictest::by_microsecond;
use super::junit::cases;
use backwall_model::printable::printable_lines;
use backwall_model::units::Unit;
use backwall_model::{Run, Series};
use jiff::fmt::rfc2822;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde_json::{Map, Value, json};

const US: u64 = 1_000;

pub fn cyclictest_json(run: &Run) -> String {
    let series: Vec<&Series> = run.series.iter().filter(|series| series.unit == Unit::Ns).collect();
    let threads: Map<String, Value> =
        series.iter().enumerate().map(|(at, series)| (at.to_string(), thread(series))).collect();
    let started = run.began();
    let lasted = (run.seconds.clamp(0.0, 1e9) as i64).seconds();
    let ended = started.and_then(|started| started.checked_add(lasted).ok());
    let document = json!({
        "file_version": 1,
        "cmdline:": format!("{} ({}, in cyclictest's format)", run.command.join(" "), run.origin.name()),
        "rt_test_version:": concat!("backwall ", env!("CARGO_PKG_VERSION")),
        "start_time": instant(started),
        "end_time": instant(ended),
        "return_code": u8::from(cases(run).iter().any(|case| case.wrong.is_some())),
        "sysinfo": sysinfo(run),
        "num_threads": series.len(),
        "resolution_in_ns": 0,
        "thread": threads,
    });
    // JSON does not escape every control character.
    printable_lines(&format!("{document:#}\n"))
}

fn thread(series: &Series) -> Value {
    let us = |value: Option<u64>| value.unwrap_or(0) / US;
    let rows: Map<String, Value> =
        by_microsecond(series).into_iter().map(|(row, count)| (row.to_string(), count.into())).collect();
    json!({
        "histogram": rows,
        "cycles": series.counted(),
        "min": us(series.min),
        "max": us(series.max),
        "avg": series.mean.map_or(0.0, |mean| (mean / 10.0).round() / 100.0),
        "cpu": series.key.cpu.unwrap_or(0),
        "node": 0,
    })
}

/// Splits the kernel's description into name, release and version, which are its first words and the rest.
fn sysinfo(run: &Run) -> Value {
    let mut words = run.device.kernel.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default().to_string();
    let realtime = u8::from(run.device.preemption.contains("PREEMPT_RT") && !run.device.preemption.contains("not"));
    json!({
        "sysname": next(), "nodename": "", "release": next(), "version": next(),
        "machine": run.device.cpu, "realtime": realtime,
    })
}

fn instant(at: Option<Timestamp>) -> String {
    at.and_then(|at| rfc2822::to_string(&at.to_zoned(TimeZone::UTC)).ok()).unwrap_or_default()
}
