// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports of a run, read by independent readers.
use crate::sample;
use crate::tool::tool_in as tool;
use backwall_formats::export::{self, csv, cyclictest, junit, prometheus};
use backwall_model::{Outcome, Requirement, Run, Series, Session};
use prometheus_parse::{Scrape, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn judged() -> Run {
    let requirement = |text: &str, outcome| Requirement {
        text: text.to_string(),
        outcome,
        confidence: 0.95,
        needs_more: 0,
        because: format!("of <{text}> & \"more\""),
    };
    let mut run = sample::tour();
    run.requirements = vec![
        requirement("max < 1s", Outcome::Pass),
        requirement("p99 < \"1\" us\u{1b}", Outcome::Fail),
        requirement("p99.999 < 1ms", Outcome::Undecided),
    ];
    run
}

fn scraped(run: &Run) -> Scrape {
    let text = prometheus::prometheus(run);
    Scrape::parse(text.lines().map(|line| Ok(line.to_string()))).unwrap()
}

fn values<'a>(scrape: &'a Scrape, metric: &str) -> Vec<(&'a prometheus_parse::Labels, f64)> {
    let of = scrape.samples.iter().filter(|sample| sample.metric == metric);
    let value = |value: &Value| match value {
        Value::Counter(value) | Value::Gauge(value) | Value::Untyped(value) => *value,
        other => panic!("{metric}: {other:?}"),
    };
    of.map(|sample| (&sample.labels, value(&sample.value))).collect()
}

#[test]
fn no_form_of_a_run_has_letters_that_command_a_terminal() {
    let evil = "a\u{1b}]0;b\u{7}\u{9b}31m\u{202e}c\nd\u{2066}";
    let mut run = judged();
    run.command = vec![evil.to_string()];
    run.device.kernel = format!("Linux {evil} {evil}");
    run.device.cpu = evil.to_string();
    run.warnings = vec![backwall_model::Warning::new("evil", evil)];
    run.spoil(evil.to_string());
    for series in &mut run.series {
        series.key.load = evil.to_string();
    }
    for form in &export::ALL {
        // The lines of CSV end so, and cyclictest parts its columns by tabs; `evil` has none.
        let text = (form.text)(&run).replace("\r\n", "\n");
        let acts = |letter: char| !['\n', '\t'].contains(&letter) && backwall_model::printable::commands(letter);
        assert!(!text.contains(acts), "{}: {text:?}", form.name);
    }
}

#[test]
fn an_independent_reader_of_metrics_finds_the_figures_of_the_run() {
    let run = judged();
    let scrape = scraped(&run);
    let due: Vec<f64> = values(&scrape, "backwall_stimuli_due_total").iter().map(|(_, value)| *value).collect();
    assert_eq!(due, run.series.iter().map(|series| series.due.unwrap() as f64).collect::<Vec<_>>());
    let max = values(&scrape, "backwall_latency_max_seconds");
    for ((labels, value), series) in max.iter().zip(&run.series) {
        assert_eq!((labels.get("load"), labels.get("idle")), (Some(&*series.key.load), Some(&*series.key.idle)));
        assert!((value * 1e9 - series.max.unwrap() as f64).abs() < 0.5);
    }
    let mut histograms = 0;
    for sample in &scrape.samples {
        let Value::Histogram(counts) = &sample.value else { continue };
        let is_of = |series: &&Series| {
            (sample.labels.get("load"), sample.labels.get("idle")) == (Some(&*series.key.load), Some(&*series.key.idle))
        };
        let series = run.series.iter().find(is_of).unwrap();
        let mut counts: Vec<(f64, f64)> = counts.iter().map(|count| (count.less_than, count.count)).collect();
        counts.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(counts.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{counts:?}");
        assert_eq!(*counts.last().unwrap(), (f64::INFINITY, series.counted() as f64));
        histograms += 1;
    }
    assert_eq!(histograms, run.series.len());
    let outcomes = values(&scrape, "backwall_requirement");
    let holds: Vec<_> =
        outcomes.iter().filter(|(_, value)| *value == 1.0).map(|(labels, _)| labels.get("outcome")).collect();
    assert_eq!(holds, [Some("pass"), Some("fail"), Some("undecided")]);
}

#[test]
fn every_metric_has_its_help_and_type_once_and_its_unit_in_its_name() {
    let mut run = judged();
    run.sessions = vec![Session { until: "2026-11-22T00:00:00Z".into(), ..Session::default() }];
    let text = prometheus::prometheus(&run);
    let mut typed: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("# TYPE ")) {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(text.contains(&format!("# HELP {} ", words[2])), "{line}");
        assert!(typed.insert(words[2].to_string(), words[3].to_string()).is_none(), "{line} twice");
        let whole_name = words[3] != "counter" || words[2].ends_with("_total");
        assert!(whole_name, "{line}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
        assert!(typed.contains_key(name) || family.is_some_and(|family| typed.contains_key(family)), "{line}");
    }
    assert_eq!(typed["backwall_latency_seconds"], "histogram");
    assert!(
        text.contains("\nbackwall_run_unfinished 1\n")
            && text.contains("\nbackwall_run_until_timestamp_seconds 1795305600\n"),
        "{text}"
    );
}

#[test]
fn an_independent_reader_of_junit_finds_every_requirement_and_what_did_not_pass() {
    let suites = junit_parser::from_reader(junit::junit(&judged()).as_bytes()).unwrap();
    assert_eq!((suites.tests, suites.failures, suites.errors), (5, 1, 1));
    let suite = &suites.suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors, suite.cases.len()), (5, 1, 1, 5));
    let wrong: Vec<&str> =
        suite.cases.iter().filter(|case| !case.status.is_success()).map(|case| case.original_name.as_str()).collect();
    assert_eq!(wrong, ["p99 < \"1\" us\u{fffd}", "p99.999 < 1ms"]);
    let mut doubtful = judged();
    doubtful.spoil("a test");
    doubtful.interrupted = true;
    let suites = junit_parser::from_reader(junit::junit(&doubtful).as_bytes()).unwrap();
    assert_eq!((suites.failures, suites.errors), (1, 4), "no evidence, not whole, and what it passed are no success");
}

#[test]
fn csv_has_a_row_a_series_and_as_many_cells_in_each() {
    let run = judged();
    let text = csv::csv(&run);
    let rows: Vec<Vec<&str>> = text.split_terminator("\r\n").map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), run.series.len() + 1);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let at = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    for (row, series) in rows[1..].iter().zip(&run.series) {
        assert_eq!(
            (row[at("due")], row[at("max")]),
            (&*series.due.unwrap().to_string(), &*series.max.unwrap().to_string())
        );
        let p99 = series.quantiles.iter().find(|quantile| quantile.q == 0.99).unwrap();
        assert_eq!(row[at("q0.99")], p99.value.map_or(String::new(), |value| value.to_string()));
    }
}

#[test]
fn the_histogram_has_a_row_for_the_largest_value_and_leaves_nothing_out() {
    let text = cyclictest::all(&judged());
    assert!(
        text.lines().any(
            |line| line.starts_with("# Histogram Overflows:") && !line.contains(|c: char| ('1'..='9').contains(&c))
        ),
        "{}",
        text.lines().last().unwrap()
    );
}

#[test]
fn a_stored_run_is_written_for_each_tool_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.json"), serde_json::to_string(&judged()).unwrap()).unwrap();
    for exporter in &export::ALL {
        let printed = tool(folder.path(), &["export", exporter.name, "."]);
        assert_eq!(printed.status.code(), Some(0), "{}", String::from_utf8_lossy(&printed.stderr));
        let written = tool(folder.path(), &["export", exporter.name, ".", "-o", "text"]);
        assert_eq!((written.status.code(), written.stdout.len()), (Some(0), 0));
        assert_eq!(std::fs::read(folder.path().join("text")).unwrap(), printed.stdout, "{}", exporter.name);
        assert!(!folder.path().join("text.part").exists());
    }
    for (words, said) in [
        (&["export", "junit", ".", "-o", "no/such/x.xml"][..], "no/such/x.xml: "),
        (&["export", "xml", "."], "invalid value 'xml'"),
        (&["export", "csv", ".", "--out", "x"], "unknown option '--out'"),
        (&["export", "csv", ".", "-o", "/dev/null"], "/dev/null: not a regular file"),
        (&["export", "csv", ".", "-o", "."], ".: Is a directory"),
        (&["export", "csv", ".", "-o", ""], "--output"),
        (&["export", "csv", "nothing"], "nothing: "),
    ] {
        let refused = tool(folder.path(), words);
        let line = String::from_utf8(refused.stderr).unwrap();
        assert!(
            [Some(2), Some(4)].contains(&refused.status.code()) && line.lines().count() == 1 && line.contains(said),
            "{line}"
        );
    }
}

#[test]
fn as_json_an_export_is_its_text_or_names_the_file_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.json"), serde_json::to_string(&judged()).unwrap()).unwrap();
    let told = |words: &[&str]| -> serde_json::Value {
        let output = tool(folder.path(), words);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let printed = tool(folder.path(), &["export", "junit", "."]).stdout;
    let text = told(&["export", "junit", ".", "--json"]);
    assert_eq!((text["format"].as_str(), text["text"].as_str()), (Some("junit"), std::str::from_utf8(&printed).ok()));
    let file = told(&["export", "junit", ".", "--json", "-o", "x.xml"]);
    assert_eq!((file["file"].as_str(), file.get("text")), (Some("x.xml"), None));
    assert_eq!(std::fs::read(folder.path().join("x.xml")).unwrap(), printed);
}

#[test]
fn metrics_that_cannot_be_written_are_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (file, because) in
        [("nowhere/x.prom", "No such file"), (".", "not a regular file"), ("/dev/null", "not a regular file")]
    {
        let mut command = crate::tool::backwall(&folder.path().join("run"));
        let output = command.args(["--for", "1s", "--metrics"]).arg(folder.path().join(file)).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(4) && told.contains(because) && told.lines().count() == 1, "{told}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was begun");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_name_however_strange_breaks_a_form(run in sample::any::run(), text in any::<String>()) {
        let mut run = run;
        run.requirements = judged().requirements;
        run.requirements[1].because = text.clone();
        run.requirements[2].text = text;
        prop_assert!(junit_parser::from_reader(junit::junit(&run).as_bytes()).is_ok());
        let metrics = prometheus::prometheus(&run);
        for line in metrics.lines().filter(|line| !line.starts_with('#')) {
            prop_assert!(line.starts_with("backwall_") && line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{}", line);
        }
        prop_assert!(csv::csv(&run).ends_with("\r\n"));
    }
}
