// SPDX-License-Identifier: MIT OR Apache-2.0
//! Notes in every export of a run that could be overrated: not from a machine, invalid, without samples, with clashing names.
use crate::sample;
use crate::tool::tool_in as tool;
use backwall_formats::export::{self, csv, cyclictest, cyclictest_json, junit, kcidb, ktap, lava, prometheus};
use backwall_model::units::Unit;
use backwall_model::{Origin, Outcome, Requirement, Run};
use std::collections::BTreeSet;
use std::fs;

fn passed(text: &str) -> Requirement {
    Requirement {
        text: text.to_string(),
        outcome: Outcome::Pass,
        confidence: 0.95,
        needs_more: 0,
        because: "largest 7 us".to_string(),
    }
}

fn asked() -> Run {
    let mut run = sample::tour();
    run.requirements = vec![passed("max < 1s")];
    run
}

fn outcomes(run: &Run) -> [String; 5] {
    let line = |text: String, part: &str| text.lines().find(|line| line.contains(part)).unwrap().to_string();
    let json: serde_json::Value = serde_json::from_str(&kcidb::kcidb(run)).unwrap();
    let tests = json["tests"].as_array().unwrap();
    let test = tests.iter().find(|test| test["path"].as_str().unwrap().ends_with("required.max-1s")).unwrap();
    let returned: serde_json::Value = serde_json::from_str(&cyclictest_json::cyclictest_json(run)).unwrap();
    [
        line(ktap::ktap(run), " max < 1s"),
        line(lava::lava(run), "max-1s"),
        test["status"].as_str().unwrap().to_string(),
        line(prometheus::prometheus(run), "requirement=\"max < 1s\",outcome=\"pass\""),
        returned["return_code"].to_string(),
    ]
}

#[test]
fn what_a_file_calls_passed_has_passed_only_where_the_run_decides_something() {
    let mut run = asked();
    let [ktap, lava, kcidb, prometheus, returned] = outcomes(&run);
    assert!(ktap.starts_with("ok ") && lava.ends_with("--result pass") && prometheus.ends_with(" 1"), "{ktap} {lava}");
    assert_eq!((kcidb.as_str(), returned.as_str()), ("PASS", "0"));
    run.spoil("the clock stood");
    let [ktap, lava, kcidb, prometheus, returned] = outcomes(&run);
    assert!(ktap.starts_with("not ok ") && ktap.contains("# ERROR undecided: no evidence: the clock stood"), "{ktap}");
    assert!(lava.ends_with("--result unknown") && prometheus.ends_with(" 0"), "{lava} {prometheus}");
    assert_eq!((kcidb.as_str(), returned.as_str()), ("ERROR", "1"));
    assert!(junit::junit(&run).contains("errors=\"2\""));
    assert!(!lava::lava(&run).contains("-max --result pass") && csv::csv(&run).contains(",measured,no,"));
    assert!(cyclictest::all(&run).contains(" is invalid\n") && ktap::ktap(&run).contains("; measured, no evidence\n"));
}

#[test]
fn a_run_without_a_sample_is_evidence_of_nothing() {
    let mut run = asked();
    run.series.clear();
    assert!(junit::junit(&run).contains("no evidence (no sample)"));
    assert!(ktap::ktap(&run).contains("\nnot ok 1 the run is evidence # ERROR no evidence (no sample)\n"));
    assert!(lava::lava(&run).contains("lava-test-case the-run-is-evidence --result unknown\n"));
}

#[test]
fn figures_of_no_machine_say_so_in_every_form() {
    let mut run = asked();
    for exporter in &export::ALL {
        assert!(!(exporter.text)(&run).contains("simulated"), "{}", exporter.name);
    }
    run.origin = Origin::Simulated;
    for exporter in &export::ALL {
        assert!((exporter.text)(&run).contains("simulated"), "{}", exporter.name);
    }
    let named = |text: &str, begin: &str| text.lines().filter(|line| line.starts_with(begin)).count();
    let lava = lava::lava(&run);
    assert_eq!(named(&lava, "lava-test-case simulated-"), named(&lava, "lava-test-case "));
    let text = prometheus::prometheus(&run);
    let latencies = text.lines().filter(|line| line.starts_with("backwall_latency_"));
    assert!(latencies.clone().count() > 10 && latencies.clone().all(|line| line.contains(",origin=\"simulated\"")));
}

#[test]
fn instructions_never_become_microseconds() {
    let folder = tempfile::tempdir().unwrap();
    let store = |run: &Run| fs::write(folder.path().join("run.json"), serde_json::to_string(run).unwrap()).unwrap();
    let mut run = asked();
    run.origin = Origin::Emulated;
    run.series[0].unit = Unit::Instructions;
    let left = format!("# {} is left out: its unit is instructions\n", run.series[0].key);
    assert!(cyclictest::all(&run).contains(&left), "{}", cyclictest::all(&run));
    run.series.iter_mut().for_each(|series| series.unit = Unit::Instructions);
    store(&run);
    for exporter in &export::ALL {
        let output = tool(folder.path(), &["export", exporter.name, "."]);
        let (said, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        if exporter.times {
            assert_eq!((output.status.code(), said.as_str()), (Some(2), ""), "{}", exporter.name);
            assert!(
                told.contains(".: this run has no samples in units of time") && told.lines().count() == 1,
                "{told}"
            );
            continue;
        }
        assert_eq!((output.status.code(), told.as_str()), (Some(0), ""), "{}", exporter.name);
        assert!(!said.contains("latency_seconds") && !said.contains("latency_max_seconds"), "{said}");
        assert!(!said.contains("\"unit\": \"s\"") && !said.contains("--units ns"), "{said}");
    }
}

// A reader takes the last of two results of one name, or refuses the file.
#[test]
fn names_that_fall_together_are_told_apart() {
    let mut run = asked();
    run.requirements = vec![passed("max < 1s"), passed("max < 1s"), passed("max <\u{1} 1s")];
    let mut others = run.series[0].clone();
    for name in ["a\u{1}", "a", "a-", "\u{e9}", "\u{540d}"] {
        others.key.name = name.to_string();
        run.series.push(others.clone());
    }
    for variant in [[("k", "v,l=w"), ("m", "")], [("k", "v"), ("l", "w,m=")]] {
        others.key.variant = variant.map(|(name, value)| (name.to_string(), value.to_string())).into();
        run.series.push(others.clone());
    }
    let once = |names: Vec<String>| {
        let all: BTreeSet<&String> = names.iter().collect();
        assert!(names.len() > 10 && all.len() == names.len(), "{names:#?}");
    };
    let text = prometheus::prometheus(&run);
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    once(samples.map(|line| line.rsplit_once(' ').unwrap().0.to_string()).collect());
    let script = lava::lava(&run);
    once(script.lines().skip(1).map(|line| line.split(' ').nth(1).unwrap().to_string()).collect());
    let json: serde_json::Value = serde_json::from_str(&kcidb::kcidb(&run)).unwrap();
    once(json["tests"].as_array().unwrap().iter().map(|test| test["path"].to_string()).collect());
    assert!(junit::junit(&run).contains("name=\"max &lt; 1s (2)\""));
}

#[test]
fn a_sum_that_nobody_kept_is_no_sum_of_nothing() {
    let mut run = asked();
    run.series.truncate(1);
    run.series[0].sum = None;
    let text = prometheus::prometheus(&run);
    assert!(
        text.lines().any(|line| line.starts_with("backwall_latency_seconds_sum{") && line.ends_with(" NaN")),
        "{text}"
    );
    let text = export::openmetrics::openmetrics(&run);
    assert!(!text.contains("_sum") && !text.contains("latency_seconds_count"), "{text}");
}
