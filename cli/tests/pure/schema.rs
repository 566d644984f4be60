// SPDX-License-Identifier: MIT OR Apache-2.0
//! run.json against its published schema, and back into the run it was.
use crate::sample;
use backwall_model::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/reference/run.schema.json")).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn tour() -> Value {
    serde_json::to_value(sample::tour()).unwrap()
}

#[test]
fn a_full_and_an_empty_run_follow_the_schema() {
    let validator = validator();
    let mut full = sample::tour();
    full.device.say("hypervisor", "KVM");
    full.plan.extension = Extension::Lab(Lab { scenario: json!({ "name": "x" }) });
    full.environment.add("interrupts", json!([1, 2]));
    full.spoil("--best-effort");
    let phase = InvalidPhase { load: "all".into(), idle: "off".into(), traced: true };
    full.spoil_phase(phase, "load disk did nothing");
    assert_eq!(read(&serde_json::to_string(&full).unwrap()).unwrap(), full);
    for run in [full, sample::empty()] {
        let value = serde_json::to_value(run).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

// The schema's description of an edge matches what is written, and old words are still readable.
#[test]
fn the_edges_of_a_scope_are_written_as_the_schema_has_them() {
    let (validator, mut run) = (validator(), sample::empty());
    let (stimulus, responses) = ("D0".to_string(), vec!["D1".to_string()]);
    run.plan.extension = Extension::Scope(Scope {
        stimulus,
        responses,
        completion: false,
        stimulus_edge: Slope::Rise,
        response_edge: Slope::Fall,
        shortest_pulse_ticks: 0,
        deadline_ticks: None,
    });
    let written = serde_json::to_value(&run).unwrap();
    let errors: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut older = written.clone();
    for (name, word) in [("stimulus_edge", "rising"), ("response_edge", "falling")] {
        older["plan"]["extension"][name] = word.into();
    }
    let read: Run = serde_json::from_value(older).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), written);
}

fn broken() -> Vec<(&'static str, Value)> {
    vec![
        ("/schema", json!("backwall/run/3")),
        ("/started", json!("yesterday")),
        ("/seconds", json!(-1.0)),
        ("/interrupted", json!("no")),
        ("/origin", json!("guessed")),
        ("/device/cpus", json!("two")),
        ("/device/hypervisor", json!(1)),
        ("/plan/overrun", json!("drop")),
        ("/plan/period_ns", json!(-5)),
        ("/series/0/unit", json!("us")),
        ("/series/0/due", json!(1.5)),
        ("/series/0/max", json!("412 us")),
        ("/series/0/quantiles/0/q", json!(50)),
        ("/series/0/histogram/counts", json!([-1])),
        ("/series/0/worst/0/blame", Value::Null),
        ("/series/0/worst/0/blame", json!("disk held the processor")),
        ("/stages/0/worst/0/blame/kind", json!("guessed")),
        ("/stages/0/worst/0/blame/shares/0/cause", json!("A disk!")),
        ("/stages/0/worst/0/blame/shares/0/culprit/holder", json!("disk")),
        ("/stages/0/causes/0/what", json!("cc1")),
        ("/loads/0/per_second", json!(3)),
        ("/stages/0/of_worst", Value::Null),
        ("/self_check/p50_ns", json!(0.5)),
        ("/environment/checks/0/verdict", json!("fine")),
        ("/requirements/0/outcome", json!("maybe")),
        ("/requirements/0/confidence", json!(95)),
        ("/warnings", json!("one")),
    ]
}

#[test]
fn a_wrong_value_anywhere_is_refused() {
    let validator = validator();
    for (place, wrong) in broken() {
        let mut run = tour();
        match run.pointer_mut(place) {
            Some(value) => *value = wrong,
            None => {
                let (parent, name) = place.rsplit_once('/').unwrap();
                run.pointer_mut(parent).unwrap()[name] = wrong;
            }
        }
        assert!(!validator.is_valid(&run), "{place} was accepted");
    }
}

fn objects(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| objects(value, format!("{at}/{name}"), found));
            found.push(at);
        }
        Value::Array(items) => items.first().into_iter().for_each(|value| objects(value, format!("{at}/0"), found)),
        _ => {}
    }
}

fn optional(place: &str, name: &str) -> bool {
    let of_plan = ["phase_ns", "cpu", "priority", "period_ns", "overrun", "keep_samples"];
    match place {
        "/values" => true,
        "/plan" => of_plan.contains(&name),
        _ if place.ends_with("/thread") => true,
        _ => ["at", "hypervisor", "blame", "culprit", "more", "part_of", "longest_ns"].contains(&name),
    }
}

#[test]
fn a_member_that_is_missing_or_unknown_is_refused_in_every_object() {
    let validator = validator();
    let run = tour();
    let mut places = Vec::new();
    objects(&run, String::new(), &mut places);
    assert!(places.len() > 12, "{places:?}");
    for place in places {
        let open = ["/device", "/environment", "/values"].contains(&place.as_str());
        let mut more = run.clone();
        more.pointer_mut(&place).unwrap()["surprise"] = json!([]);
        assert_eq!(validator.is_valid(&more), open && !["/device", "/values"].contains(&place.as_str()), "{place}");
        let names: Vec<String> = run.pointer(&place).unwrap().as_object().unwrap().keys().cloned().collect();
        let needed = |name: &&String| !optional(&place, name);
        for name in names.iter().filter(needed) {
            let mut less = run.clone();
            less.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(name);
            assert!(!validator.is_valid(&less), "{place} without {name} was accepted");
        }
    }
}

proptest! {
    #[test]
    fn a_run_read_back_is_the_run_that_was_written_and_follows_the_schema(run in sample::any::run()) {
        let written = serde_json::to_string(&run).unwrap();
        let read: Run = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let value = serde_json::to_value(&read).unwrap();
        let errors: Vec<String> = validator().iter_errors(&value).map(|error| error.to_string()).collect();
        prop_assert!(errors.is_empty(), "{:?}", errors);
    }
}

fn printed(words: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backwall"));
    command
        .args(["run", "--load", "none", "--for", "300ms", "--json", "--output"])
        .arg(folder.path().join("run"))
        .args(words);
    let output = command.output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run: Run = serde_json::from_value(printed.clone()).unwrap();
    assert_eq!(output.status.code(), crate::tool::code_of(&run), "{}", String::from_utf8_lossy(&output.stderr));
    let stored: Value = serde_json::from_slice(&std::fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!(printed, stored);
    printed
}

#[test]
fn real_runs_follow_the_schema_and_their_accounting() {
    const FAKE: &str = backwall_runner::device::built::FAKE;
    for words in [["--probe", FAKE].as_slice(), ["--best-effort", "--priority", "0"].as_slice()] {
        let value = printed(words);
        let errors: Vec<String> = validator().iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{words:?}: {errors:?}");
        let run: Run = serde_json::from_value(value).unwrap();
        assert!(!run.series.is_empty(), "{words:?}");
        for series in &run.series {
            assert_eq!(series.due, series.missed.map(|lost| series.done + lost), "{words:?}");
            let counted: u64 = series.histogram.counts.iter().sum::<u64>() + series.overflow + series.warmup;
            assert_eq!(counted, series.done, "{words:?}");
            assert!(series.worst.first().is_none_or(|worst| Some(worst.value) == series.max), "{words:?}");
        }
        assert_eq!(run.environment.checks.is_empty(), run.origin != backwall_model::Origin::Measured);
    }
}
