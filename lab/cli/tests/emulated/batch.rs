// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch`: every unit is done exactly once, whichever process dies during it, and the merged result equals that of
//! one run.
use crate::common::program::{program, programs};
use crate::tool::{Begin, tool_in as tool};
use backwall_model::Run;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

// A guest with random arrivals, different for each seed; few pulses, so that a unit is short.
const RANDOM: &str = "about = \"random\"\nguest = \"bare:service-irq7-1000\"\nload = \"loop\"\n[generator.a]\nshape = \"poisson\"\nperiod = 8000\ncount = 500\n";

fn planned(matrix: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("random.toml"), RANDOM).unwrap();
    fs::write(folder.path().join("matrix.toml"), format!("[matrix]\n{matrix}\n")).unwrap();
    let output = tool(folder.path(), &["lab", "batch", "plan", "matrix.toml", "--output", "many"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn status(folder: &Path) -> Value {
    serde_json::from_slice(&tool(folder, &["lab", "batch", "status", "many", "--json"]).stdout).unwrap()
}

fn merged(folder: &Path, scenario: &str) -> Run {
    backwall_store::read(&folder.join("many/merged").join(scenario)).unwrap()
}

#[test]
#[ignore = "make long"]
fn whoever_dies_at_a_unit_every_unit_is_done_once_and_the_whole_is_told() {
    let place = planned("scenario = [\"random.toml\", \"bare-answer\"]\nseeds = \"1-4\"");
    let folder = place.path();
    let nothing = tool(folder, &["lab", "batch", "merge", "many"]);
    assert_eq!(nothing.status.code(), Some(4), "{}", said(&nothing));
    // Two processes at once, killed one after the other once results exist. Their unfinished units are missing again.
    for _ in 0..2 {
        let start = || {
            let mut command = Command::new(program());
            command.args(["lab", "batch", "run", "many", "--jobs", "1", "--quiet"]).current_dir(folder);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let (mut one, mut other) = (start(), start());
        let before = status(folder)["done"].as_u64().unwrap();
        crate::tool::wait_until("a unit is done", || status(folder)["done"].as_u64().unwrap() > before);
        for child in [&mut one, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    crate::tool::wait_until("nobody is at it", || status(folder)["running"] == 0);
    let early = tool(folder, &["lab", "batch", "merge", "many", "--quiet"]);
    let done = status(folder)["done"].as_u64().unwrap();
    if done < 8 {
        assert_eq!(early.status.code(), Some(3), "{}", said(&early));
        assert!(said(&early).contains(&format!("incomplete: 8 units: {done} done, 0 running, {} missing", 8 - done)));
    }
    let output = tool(folder, &["lab", "batch", "run", "many"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains(&format!("{} done here; 8 units: 8 done", 8 - done)), "{}", said(&output));
    let output = tool(folder, &["lab", "batch", "run", "many", "--repeat", "20"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        said(&output).contains("0 done here; 2 repeated, with the same result; 8 units: 8 done"),
        "{}",
        said(&output)
    );
    let output = tool(folder, &["lab", "batch", "merge", "many", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(fs::read_dir(folder.join("many/part")).unwrap().count(), 0, "nothing half-made is left");

    let answer = merged(folder, "bare-answer");
    let counted = |run: &Run| run.results.units.map(|units| (units.done, units.different));
    assert_eq!(counted(&answer), Some((4, 1)));
    assert_eq!((answer.series[0].due, answer.series[0].max), (Some(1_000), Some(5)), "seeds are no samples");
    let poisson = merged(folder, "random");
    assert_eq!(counted(&poisson), Some((4, 4)));
    let alone: Vec<Run> = (1..=4)
        .map(|seed| {
            let (seed, out) = (seed.to_string(), format!("alone-{seed}"));
            let words = ["lab", "run", "random.toml", "--seed", &seed, "--output", &out, "--quiet"];
            assert!(tool(folder, &words).status.code().is_some_and(|code| [0, 1, 3].contains(&code)));
            backwall_store::read(&folder.join(&out)).unwrap()
        })
        .collect();
    let of = |run: &Run| (run.series[0].due.unwrap(), run.series[0].done, run.series[0].known_missed());
    let sum = alone.iter().map(of).fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    assert_eq!(of(&poisson), sum);
    assert_eq!(poisson.series[0].max, alone.iter().filter_map(|run| run.series[0].max).max());
    let histogram = |run: &Run| run.series[0].histogram.classes().map(|(_, _, count)| count).sum::<u64>();
    assert_eq!(histogram(&poisson), alone.iter().map(histogram).sum::<u64>());
}

#[test]
#[ignore = "make long"]
fn the_tasks_of_an_array_do_their_units_and_a_unit_of_another_machine_is_refused_here() {
    let place = planned("scenario = [\"bare-answer\"]\nseeds = \"1-3\"");
    let folder = place.path();
    let script = tool(folder, &["lab", "batch", "submit", "many", "--chunk", "2"]);
    fs::write(folder.join("array.sh"), &script.stdout).unwrap();
    let path = programs();
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let task = |number: &str| {
        let mut command = Command::new("sh");
        command.arg("array.sh").current_dir(folder).env("PATH", &path).env("SLURM_ARRAY_TASK_ID", number);
        assert!(command.status().unwrap().success());
    };
    task("2");
    assert_eq!(status(folder)["done"], 1);
    let units = folder.join("many/units.jsonl");
    let text = fs::read_to_string(&units).unwrap();
    let first = text.split('"').nth(3).unwrap().to_string();
    fs::write(&units, text.replacen(&first, &"0".repeat(32), 1)).unwrap();
    let output = tool(folder, &["lab", "batch", "run", "many", "--units", "1"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(
        said(&output).contains("the tool, emulator, kernel or scenario changed since the plan"),
        "{}",
        said(&output)
    );
    fs::write(&units, text).unwrap();
    task("1");
    assert_eq!(status(folder)["done"], 3);
}

// A unit runs the scenario text that was checked; later edits of the file have no effect.
#[test]
#[ignore = "make long"]
fn a_scenario_that_is_edited_while_units_run_gives_no_result_of_another_and_no_pass() {
    let place = planned("scenario = [\"random.toml\"]\nseeds = \"1-6\"");
    let folder = place.path();
    let mut command = Command::new(program());
    command.args(["lab", "batch", "run", "many", "--jobs", "1", "--quiet"]).current_dir(folder).stdout(Stdio::null());
    let mut runs = command.begin();
    crate::tool::wait_until("a unit is done", || status(folder)["done"].as_u64().unwrap() > 0);
    let scenario = folder.join("many/scenarios/random.toml");
    fs::write(&scenario, RANDOM.replace("8000", "9000").replace("500", "30") + "expect = []\n").unwrap();
    assert!(runs.wait().unwrap().success());
    let merge = tool(folder, &["lab", "batch", "merge", "many"]);
    assert_eq!(merge.status.code(), Some(2), "{}", said(&merge));
    assert!(said(&merge).contains("scenarios/random.toml: changed since the plan"), "{}", said(&merge));
    let again = tool(folder, &["lab", "batch", "run", "many", "--repeat", "100"]);
    assert_eq!(again.status.code(), Some(4), "{}", said(&again));
    fs::write(&scenario, RANDOM).unwrap();
    let again = tool(folder, &["lab", "batch", "run", "many", "--repeat", "100"]);
    assert!(said(&again).contains("6 repeated, with the same result"), "each is the planned one: {}", said(&again));
    let merge = tool(folder, &["lab", "batch", "merge", "many", "--quiet"]);
    assert_eq!(merge.status.code(), Some(0), "{}", said(&merge));
    assert_eq!(merged(folder, "random").series[0].due, Some(6 * 500));
    assert_eq!(fs::read_dir(folder.join("many/part")).unwrap().count(), 0, "nothing is left");
}

// The guest does the same after each of its marks, so a range's result equals that part of the whole sweep.
#[test]
fn a_sweep_in_ranges_is_the_sweep_and_searches_stand_side_by_side() {
    let place = planned("scenario = [\"bare-masked\"]\nlab = \"sweep\"\nranges = 3");
    let folder = place.path();
    let output = tool(folder, &["lab", "batch", "run", "many", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = tool(folder, &["lab", "batch", "merge", "many", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = tool(folder, &["lab", "sweep", "bare-masked", "--output", "alone", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let (parts, alone) = (merged(folder, "bare-masked"), backwall_store::read(&folder.join("alone")).unwrap());
    let swept = |run: &Run| {
        let series = &run.series[0];
        let classes: Vec<_> = series.histogram.classes().collect();
        (run.results.sweep, series.due, series.done, series.min, series.max, classes)
    };
    assert_eq!(swept(&parts), swept(&alone));
    assert_eq!((parts.results.units.unwrap().done, parts.results.sweep.unwrap().arrivals), (3, 200));

    let quick = |name: &str, guest: &str| {
        let text = format!(
            "about = \"{name}\"\nguest = \"{guest}\"\nload = \"loop\"\n[generator.a]\nshape = \"periodic\"\nperiod = 20_000\n\
             [saturate]\npulses = 20\nbudget = 6\n"
        );
        fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    };
    quick("short", "bare:service-irq7-1000");
    quick("long", "bare:service-irq7-1000");
    let matrix = "[matrix]\nscenario = [\"short.toml\", \"long.toml\"]\nlab = \"saturate\"\n";
    fs::write(folder.join("searches.toml"), matrix).unwrap();
    for words in [
        &["lab", "batch", "plan", "searches.toml", "--output", "searches", "--quiet"][..],
        &["lab", "batch", "run", "searches", "--quiet"],
    ] {
        let output = tool(folder, words);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
    let output = tool(folder, &["lab", "batch", "merge", "searches"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("Maximum and saturation frequency"), "{}", said(&output));
    assert!(["short", "long"].iter().all(|name| folder.join("searches/merged").join(name).join("run.json").exists()));
}

// A process that dies while it repeats units changes no result.
#[test]
#[ignore = "make long"]
fn a_repetition_that_is_ended_in_the_middle_changes_no_result() {
    let place = planned("scenario = [\"random.toml\"]\nseeds = \"1-3\"");
    let folder = place.path();
    let run = |more: &[&str]| tool(folder, &[&["lab", "batch", "run", "many"], more].concat());
    assert_eq!(run(&["--quiet"]).status.code(), Some(0));
    let results = || {
        let mut all: Vec<_> = crate::tool::files(&folder.join("many/units"));
        all.sort();
        all.iter().map(|unit| fs::read(unit.join("edges.bin")).unwrap()).collect::<Vec<_>>()
    };
    let before = results();
    let parts = || crate::tool::files(&folder.join("many/part"));
    for (signal, code) in [("INT", Some(4)), ("TERM", Some(4)), ("KILL", None)] {
        let mut command = Command::new(program());
        command.args(["lab", "batch", "run", "many", "--repeat", "100", "--jobs", "1", "--quiet"]).current_dir(folder);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).begin();
        crate::tool::wait_until("a unit is repeated", || !parts().is_empty() || crate::tool::ended(running.id()));
        crate::tool::signal(running.id(), signal);
        let ended = running.wait().unwrap().code();
        assert!(ended == code || ended == Some(0), "{signal}: {ended:?}, and 0 where all was done by then");
        assert_eq!(results(), before, "{signal}");
    }
    let output = run(&["--repeat", "100"]);
    assert!(said(&output).contains("3 repeated, with the same result; 3 units: 3 done"), "{}", said(&output));
    assert_eq!((parts().len(), results()), (0, before), "what a killed one left is taken away");
    for wrong in ["101", "-1", "half"] {
        let output = run(&["--repeat", wrong]);
        assert_eq!((output.status.code(), said(&output).contains(wrong)), (Some(2), true), "{}", said(&output));
    }
}

#[test]
fn a_damaged_result_is_told_with_what_mends_it() {
    let place = planned("scenario = [\"random.toml\"]\nseeds = \"1-2\"");
    let folder = place.path();
    let run = |words: &[&str]| tool(folder, &[&["lab", "batch"], words, &["many", "--quiet"]].concat());
    let damaged = |name: &str| {
        assert_eq!(run(&["run"]).status.code(), Some(0));
        let unit = crate::tool::files(&folder.join("many/units")).remove(0);
        let bytes = fs::read(unit.join(name)).unwrap();
        fs::write(unit.join(name), &bytes[..bytes.len() / 2]).unwrap();
        unit
    };
    let unit = damaged("run.json");
    let output = run(&["merge"]);
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    let key = unit.file_name().unwrap().to_str().unwrap();
    assert!(line.contains(&format!("remove many/units/{key} and call `backwall lab batch run` again")), "{line}");
    fs::remove_dir_all(unit).unwrap();
    assert_eq!([run(&["run"]), run(&["merge"])].map(|output| output.status.code()), [Some(0), Some(0)]);
}

// Cluster engines signal all processes of a task, so the unit gets the signal too; finished results are kept.
#[test]
fn a_unit_that_was_ended_early_by_others_is_no_result() {
    let place = planned("scenario = [\"random.toml\"]");
    let folder = place.path();
    let endless = RANDOM.replace("count = 500", "count = 4_000_000_000");
    fs::write(folder.join("endless.toml"), endless).unwrap();
    fs::write(folder.join("endless-matrix.toml"), "[matrix]\nscenario = [\"endless.toml\"]\n").unwrap();
    let output = tool(folder, &["lab", "batch", "plan", "endless-matrix.toml", "--output", "endless"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut command = Command::new(program());
    command.args(["lab", "batch", "run", "endless", "--quiet"]).current_dir(folder).env("TMPDIR", folder);
    let running = command.stdout(Stdio::null()).stderr(Stdio::piped()).begin();
    crate::tool::wait_until("the first pulses", || super::lab_processes::pulses_are_recorded(folder));
    // Only the unit's process gets the signal, not the process that runs the batch.
    let [unit] = &crate::tool::children(running.id())[..] else { panic!("one unit is carried out") };
    crate::tool::signal(unit.id, "TERM");
    let output = running.wait_with_output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("the unit was stopped early; the next call runs it again"), "{line}");
    assert_eq!(["endless/units", "endless/part"].map(|name| crate::tool::files(&folder.join(name)).len()), [0, 0]);
}

#[test]
fn what_is_wrong_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| fs::write(folder.path().join("m.toml"), text).unwrap();
    for (text, words, says) in [
        ("[matrix]\nscenario = [\"no-such\"]\n", &["plan", "m.toml", "--output", "c"][..], "unknown scenario"),
        (
            "[matrix]\nscenario = [\"bare-answer\"]\nseeds = \"x\"\n",
            &["plan", "m.toml", "--output", "c"],
            "m.toml: matrix.seeds: \"x\"",
        ),
        ("[matrix]\nscenario = [\"bare-answer\"]\n", &["plan", "m.toml"], "name the folder of the batch with --output"),
        ("", &["run", "nowhere"], "nowhere: "),
        ("", &["status", "."], "no batch"),
        ("", &["plan", "none.toml", "--output", "c"], "none.toml: "),
    ] {
        file(text);
        let output = tool(folder.path(), &[&["lab", "batch"], words].concat());
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains(says) && !folder.path().join("c").exists(), "{line}");
    }
}
