// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a run in Prometheus' text format (version 0.0.4), for node_exporter's textfile collector: without timestamps, in base
//! units. The unit is part of a metric's name.
//!
//! If a run was not measured on a real machine, its `origin` is a label.
//!
//! A histogram has few buckets. A class that crosses the bound of a bucket counts in the next bucket, so that a bucket never
//! contains too many samples; a class is at most 1/1024 of its values wide. Sum, count, minimum and maximum are exact.
use super::distinct::distinct;
use super::said;
use backwall_model::column::{COLUMNS, Figure};
use backwall_model::printable::commands;
use backwall_model::units::Unit;
use backwall_model::{Outcome, Run, Series};
use std::fmt::Write;

/// Upper bounds of the buckets in nanoseconds or instructions: 1, 2 and 5 of each decade, from a microsecond to a second.
const BOUNDS: [u64; 19] = [
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Prometheus' own text, version 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0: the name of a counter's family lacks the `_total` of its samples, and the text ends with a marker.
    OpenMetrics,
}

struct Text {
    form: Form,
    text: String,
}

pub fn prometheus(run: &Run) -> String {
    metrics(run, Form::Prometheus)
}

pub(super) fn metrics(run: &Run, form: Form) -> String {
    let mut text = Text { form, text: String::new() };
    let labels = distinct(run.series.iter().map(|series| labels(series, run)), ",again=\"", "\"");
    let labelled: Vec<Labelled> = labels.iter().map(String::as_str).zip(&run.series).collect();
    for column in &COLUMNS {
        let (Some((name, help)), Figure::Count(count) | Figure::Fault(count)) = (column.metric, column.figure) else {
            continue;
        };
        let known =
            labelled.iter().filter_map(|(labels, series)| Some((labels.to_string(), count(series)?.to_string())));
        family(&mut text, (name, "counter", help), known);
    }
    for (unit, suffix) in [(Unit::Ns, "seconds"), (Unit::Instructions, "instructions")] {
        let series: Vec<Labelled> = labelled.iter().filter(|(_, series)| series.unit == unit).copied().collect();
        latencies(&mut text, &series, suffix);
    }
    let evidence = labelled.iter().map(|(labels, series)| (labels.to_string(), flag(!said::doubtful(series, run))));
    family(&mut text, ("backwall_series_evidence", "gauge", "0 if the figures of a series are invalid."), evidence);
    of_the_run(&mut text, run);
    required(&mut text, run);
    if form == Form::OpenMetrics {
        text.text.push_str("# EOF\n");
    }
    text.text
}

type Labelled<'a> = (&'a str, &'a Series);

fn flag(holds: bool) -> String {
    u64::from(holds).to_string()
}

fn latencies(text: &mut Text, series: &[Labelled], suffix: &str) {
    let name = format!("backwall_latency_{suffix}");
    if !series.is_empty() {
        head(text, (&name, "histogram", "Latency, from the stimulus to the response."));
    }
    for (labels, series) in series {
        for (bound, count) in buckets(series) {
            let _ = writeln!(text.text, "{name}_bucket{{{labels},le=\"{}\"}} {count}", scaled(bound, series.unit));
        }
        let _ = writeln!(text.text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", series.counted());
        let sum = match series.sum {
            Some(sum) => exact(sum.0, series.unit),
            None if series.counted() == 0 => "0".to_string(),
            // OpenMetrics allows neither an unknown sum nor a count without a sum.
            None if text.form == Form::OpenMetrics => continue,
            None => "NaN".to_string(),
        };
        let _ = writeln!(text.text, "{name}_sum{{{labels}}} {sum}");
        let _ = writeln!(text.text, "{name}_count{{{labels}}} {}", series.counted());
    }
    for column in &COLUMNS {
        let extreme = |series: &Series| match column.figure {
            Figure::Min => series.min,
            Figure::Max => series.max,
            _ => None,
        };
        let (Some((name, help)), Figure::Min | Figure::Max) = (column.metric, column.figure) else { continue };
        let known = series
            .iter()
            .filter_map(|(labels, series)| Some((labels.to_string(), scaled(extreme(series)?, series.unit))));
        family(text, (&format!("{name}_{suffix}"), "gauge", help), known);
    }
}

fn buckets(series: &Series) -> Vec<(u64, u64)> {
    let mut classes = series.histogram.classes().peekable();
    let mut sum = 0u64;
    let below = |bound: &u64| {
        while let Some((_, _, count)) = classes.next_if(|(_, next, _)| next - 1 <= *bound) {
            sum = sum.saturating_add(count);
        }
        (*bound, sum)
    };
    BOUNDS.iter().map(below).collect()
}

fn of_the_run(text: &mut Text, run: &Run) {
    let going = run.unfinished();
    let one = |value: String| [(String::new(), value)].into_iter();
    let origin = [(format!("origin=\"{}\"", run.origin.name()), "1".to_string())].into_iter();
    family(text, ("backwall_run_origin", "gauge", "1 for the origin of the figures."), origin);
    family(text, ("backwall_run_seconds", "gauge", "Length of the measurement."), one(format!("{}", run.seconds)));
    family(
        text,
        ("backwall_run_unfinished", "gauge", "1 while the run is in progress, or if it was cut off."),
        one(flag(going.is_some())),
    );
    family(
        text,
        ("backwall_run_evidence", "gauge", "0 if the run, or a phase of it, is invalid."),
        one(flag(run.valid)),
    );
    family(
        text,
        ("backwall_run_stretches", "gauge", "Number of uninterrupted parts of the measurement."),
        one(run.sessions.len().to_string()),
    );
    let until = run.sessions.last().and_then(|last| last.until.parse::<jiff::Timestamp>().ok());
    let until = until.into_iter().map(|until| (String::new(), until.as_second().to_string()));
    family(
        text,
        ("backwall_run_until_timestamp_seconds", "gauge", "Time at which the last figure was measured."),
        until,
    );
    let steal = run.environment.steal_ticks as f64 / 100.0;
    family(
        text,
        ("backwall_run_steal_seconds", "gauge", "CPU time stolen by the hypervisor."),
        one(format!("{steal}")),
    );
}

fn required(text: &mut Text, run: &Run) {
    let doubt = run.undecided();
    let names = distinct(run.requirements.iter().map(|one| value(&one.text)), " (", ")");
    let outcomes = names.iter().zip(&run.requirements).flat_map(|(asked, requirement)| {
        let (found, _) = said::decided(requirement, doubt.as_deref());
        [("pass", Outcome::Pass), ("fail", Outcome::Fail), ("undecided", Outcome::Undecided)].map(|(name, outcome)| {
            (format!("requirement=\"{asked}\",outcome=\"{name}\"{}", of_origin(run)), flag(found == outcome))
        })
    });
    family(text, ("backwall_requirement", "gauge", "1 for the outcome of the requirement."), outcomes);
}

fn of_origin(run: &Run) -> String {
    said::unusual(run).map_or(String::new(), |origin| format!(",origin=\"{origin}\""))
}

fn head(text: &mut Text, (name, kind, help): (&str, &str, &str)) {
    let family = if text.form == Form::OpenMetrics { name.trim_end_matches("_total") } else { name };
    let _ = writeln!(text.text, "# HELP {family} {help}\n# TYPE {family} {kind}");
}

fn family(text: &mut Text, about: (&str, &str, &str), rows: impl Iterator<Item = (String, String)>) {
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        head(text, about);
    }
    for (labels, value) in rows {
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        let _ = writeln!(text.text, "{}{labels} {value}", about.0);
    }
}

fn labels(series: &Series, run: &Run) -> String {
    let key = &series.key;
    let variant: Vec<String> = key.variant.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cpu = key.cpu.map_or(String::new(), |cpu| cpu.to_string());
    let all = [
        ("series", &key.name),
        ("load", &key.load),
        ("idle", &key.idle),
        ("cpu", &cpu),
        ("variant", &variant.join(",")),
    ];
    let kept = all.iter().filter(|(name, text)| !text.is_empty() || *name == "series");
    kept.map(|(name, text)| format!("{name}=\"{}\"", value(text))).collect::<Vec<_>>().join(",") + &of_origin(run)
}

/// The value of a label: backslash, quote and line break are escaped, other control characters are removed.
fn value(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    text.chars().filter(|letter| !commands(*letter)).collect()
}

/// Nanoseconds as seconds, without rounding; instructions as they are.
fn scaled(value: u64, unit: Unit) -> String {
    exact(value.into(), unit)
}

fn exact(value: u128, unit: Unit) -> String {
    const NS: u128 = 1_000_000_000;
    match unit {
        Unit::Instructions => value.to_string(),
        Unit::Ns => {
            let text = format!("{}.{:09}", value / NS, value % NS);
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;

    #[test]
    fn a_bucket_holds_what_is_surely_in_it_and_the_last_one_all() {
        let key = Key::new("wakeup", "a \"lo\u{202e}ad\"\u{1b}\\", "as-is");
        let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
        [999, 1_000, 1_001, 5_000, 4_000_000_000, u64::MAX]
            .iter()
            .for_each(|value| builder.sample(0, 0, *value, false));
        let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
        run.series.push(builder.build());
        let text = prometheus(&run);
        let of = |le: &str| {
            format!(
                "backwall_latency_seconds_bucket{{series=\"wakeup\",load=\"a \\\"load\\\"\\\\\",idle=\"as-is\",le=\"{le}\"}}"
            )
        };
        // The class of 5,000 extends to 5,003.
        for (le, count) in [("0.000001", 2), ("0.000002", 3), ("0.000005", 3), ("0.00001", 4), ("1", 4), ("+Inf", 6)] {
            assert!(text.contains(&format!("{} {count}\n", of(le))), "{le}: {text}");
        }
        assert!(
            text.contains("_sum{series=\"wakeup\",load=\"a \\\"load\\\"\\\\\",idle=\"as-is\"} 18446744077.709559615\n"),
            "{text}"
        );
    }
}
