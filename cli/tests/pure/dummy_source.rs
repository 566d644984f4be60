// SPDX-License-Identifier: MIT OR Apache-2.0
//! A source of runs for tests: latencies as another tool might write them. It costs this file and a `mod` line, and its runs are judged,
//! stored, drawn and read like any other.
use backwall::deliver::{self, Output};
use backwall::exit::Exit;
use backwall::options::{Printing, Requirements};
use backwall_model::units::Unit;
use backwall_model::{IDLE_AS_IS, Key, Origin, Plan, PlannedSeries, Run, Span};
use backwall_stats::SeriesBuilder;
use backwall_store::RunFolder;
use std::collections::BTreeMap;

const NAME: &str = "latency";

fn import(text: &str) -> Run {
    let mut series: BTreeMap<&str, SeriesBuilder> = BTreeMap::new();
    for (line, seq) in text.lines().zip(0u64..) {
        let (load, value) = line.split_once(' ').unwrap();
        let new = || SeriesBuilder::new(Key::new(NAME, load, IDLE_AS_IS), Span::new("expiry", "thread", Unit::Ns));
        let builder = series.entry(load).or_insert_with(new);
        match value.parse() {
            Ok(value) => builder.sample(seq, seq * 1_000_000_000, value, false),
            Err(_) => builder.missed(seq * 1_000_000_000, 1),
        }
    }
    let loads = series.keys().map(|load| load.to_string()).collect();
    let plan = Plan { measures: vec![NAME.into()], loads, idle: IDLE_AS_IS.into(), ..Plan::default() };
    let command = vec!["backwall".into(), "import".into()];
    let mut run = Run::begin(Origin::Imported, plan, command, jiff::Timestamp::UNIX_EPOCH);
    run.series = series.values().map(SeriesBuilder::build).collect();
    run
}

#[test]
fn a_run_of_another_tool_is_judged_stored_and_drawn_like_any_other() {
    let top = tempfile::tempdir().unwrap();
    let out = top.path().join("run");
    let require = ["latency[load=none].max < 10us", "latency[load=all].max < 10us", "latency[load=all].missed == 1"];
    let requirements = Requirements { require: require.map(String::from).into() };
    let printing = Printing { quiet: true, ..Printing::default() };
    let run = import("none 4000\nnone 5000\nall 70000\nall lost\nnone 6000\n");
    let planned: Vec<PlannedSeries> =
        run.series.iter().map(|series| PlannedSeries { key: series.key.clone(), unit: series.unit }).collect();
    let demands = deliver::applicable(requirements.rules().unwrap(), planned).unwrap();
    let folder = RunFolder::create(Some(&out), "import", jiff::Timestamp::UNIX_EPOCH).unwrap();
    let exit = deliver::deliver(run.clone(), &demands, &folder, printing, Output::USUAL).unwrap();
    assert_eq!(exit, Exit::Failed);
    let stored = backwall_store::read(&out).unwrap();
    assert_eq!(stored.series, run.series);
    assert_eq!((stored.series[0].due, stored.series[0].missed, stored.series[1].max), (Some(2), Some(1), Some(6_000)));
    assert_eq!(stored.requirements.len(), require.len());
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("imported from another tool") && page.contains("maximum "));
}
