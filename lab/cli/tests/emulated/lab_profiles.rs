// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares docs/evidence/profiles.md, on Detent's profiles and the paper, with what the bench measures now. Needs QEMU.
use backwall_lab::bench::{self, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::Machine;
use backwall_lab::result::judge;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;
use backwall_model::Series;
use std::process::Command;

// Longest trial, in instructions: CE 2.12's pulses are a tick of 50 ms apart.
const SPAN: u64 = 800_000_000;
// The allowed relative error of a figure if the kernel was not built by the documented compiler.
const OTHER_COMPILER: f64 = 0.25;

// A row of the table: the largest response of the ISR, the smallest and the largest of APP_TEST, a period at which APP_TEST
// misses no pulse, and one at which it misses some.
#[derive(Debug)]
struct Row {
    name: String,
    figures: [u64; 3],
    answers: Option<u64>,
    misses: Option<u64>,
}

fn documented() -> Vec<Row> {
    let text = include_str!("../../../../docs/evidence/profiles.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| scenario | ISR max |")).skip(2);
    let rows: Vec<Row> = table.take_while(|line| line.starts_with('|')).map(row).collect();
    let scenarios = shipped::group("detent-profiles").unwrap().scenarios.iter();
    assert_eq!(rows.len(), scenarios.filter(|name| !name.contains("-isr")).count());
    rows
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let number = |cell: &str| cell.replace(',', "").parse().ok();
    let figure = |place: usize| number(cells[place]).unwrap_or_else(|| panic!("a number in {line}"));
    Row {
        name: cells[1].trim_matches('`').to_string(),
        figures: [figure(2), figure(3), figure(4)],
        answers: number(cells[5]),
        misses: number(cells[6]),
    }
}

fn found(scenario: &Scenario) -> [Series; 2] {
    let emulator = Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test");
    let settings = Settings { seed: 1, ..Settings::default() };
    let mut bench = bench::run(scenario, &emulator, &settings).expect("the guest answers");
    let judged = judge(scenario, &mut bench.recording.edges);
    let mut lines = judged.into_iter().flat_map(|judged| judged.answered).map(|answered| answered.series);
    [lines.next().expect("the ISR"), lines.next().expect("APP_TEST")]
}

fn scenario(name: &str) -> Scenario {
    shipped::find(name).unwrap().remove(0)
}

// How many pulses are lost with this period, tried as `backwall lab saturate` does, without warm-up.
fn lost_at(name: &str, period: u64) -> u64 {
    let mut scenario = scenario(name);
    let generator = scenario.generator.a.as_mut().unwrap();
    (generator.period, generator.count, generator.warmup) = (period, 400.min(SPAN / period), 0);
    (generator.step, generator.delay) = (Some(0), Some(period.max(1_000_000)));
    found(&scenario)[1].missed.unwrap()
}

pub fn is_documented_compiler() -> bool {
    let version = Command::new("gcc").arg("-dumpversion").output().expect("the kernel was built with it");
    String::from_utf8_lossy(&version.stdout).trim() == "12"
}

// The whole run must give the documented figures. All figures of a shortened run must be within them.
fn agree(name: &str, cut: bool, found: [u64; 3], said: [u64; 3]) {
    let share = if is_documented_compiler() { 0.0 } else { OTHER_COMPILER };
    let [isr_max, app_min, app_max] = [0, 1, 2].map(|place| {
        let (found, said) = (found[place] as f64, said[place] as f64);
        (found - said) / said
    });
    let within = isr_max <= share && app_min >= -share && app_max <= share;
    let equal = isr_max.abs() <= share && app_min.abs() <= share && app_max.abs() <= share;
    assert!(if cut { within } else { equal }, "{name}: {found:?} found, docs/evidence/profiles.md says {said:?}");
}

fn holds(row: &Row) {
    let mut shortened = scenario(&row.name);
    let generator = shortened.generator.a.as_mut().unwrap();
    let cut = generator.count * generator.period > SPAN;
    generator.count = generator.count.min(SPAN / generator.period);
    let [isr, app] = found(&shortened);
    let figures = [isr.max, app.min, app.max].map(|figure| figure.expect("answers"));
    agree(&row.name, cut, figures, row.figures);
    assert_eq!((isr.missed, app.missed), (Some(0), Some(0)), "{}", row.name);
    if let Some(period) = row.answers {
        assert_eq!(lost_at(&row.name, period), 0, "{} answers a pulse every {period}", row.name);
    }
    if let Some(period) = row.misses {
        assert!(lost_at(&row.name, period) > 0, "{} does not bear a pulse every {period}", row.name);
    }
}

fn all_of(profile: &str) -> Vec<Row> {
    let rows: Vec<Row> = documented().into_iter().filter(|row| row.name.starts_with(profile)).collect();
    assert_eq!(rows.len(), 2);
    rows.iter().for_each(holds);
    rows
}

#[test]
fn polygons_delays_app_test_of_ce_3_0_and_no_isr() {
    let [alone, loaded] = <[Row; 2]>::try_from(all_of("detent-ce30")).unwrap();
    assert_eq!(alone.figures[0], loaded.figures[0], "no load delays an ISR");
    assert!(loaded.figures[2] > 20 * alone.figures[2], "{loaded:?}");
    assert!(loaded.misses.unwrap() > 20 * alone.answers.unwrap(), "the highest frequency falls: {loaded:?}");
}

#[test]
fn polygons_hardly_delays_app_test_of_ce_net() {
    let [alone, loaded] = <[Row; 2]>::try_from(all_of("detent-cenet")).unwrap();
    assert_eq!(alone.figures[0], loaded.figures[0], "no load delays an ISR");
    assert!(loaded.figures[2] < 3 * alone.figures[2], "{loaded:?}");
    assert_eq!(loaded.answers, alone.answers, "nor does the highest frequency fall");
}

#[test]
fn ce_2_12_answers_one_pulse_a_tick_loaded_or_not() {
    let [alone, loaded] = <[Row; 2]>::try_from(all_of("detent-ce212")).unwrap();
    for row in [alone, loaded] {
        assert!(row.answers.unwrap() > 40_000_000 && row.misses.unwrap() < 50_000_000, "a tick is 50,000,000: {row:?}");
    }
}

#[test]
fn with_app_test_off_the_isr_alone_answers_every_pulse() {
    let emulator = Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test");
    let alone = shipped::group("detent-profiles").unwrap().scenarios.iter().filter(|name| name.ends_with("-isr"));
    let mut tried = 0;
    for name in alone {
        let mut bench = bench::run(&scenario(name), &emulator, &Settings::default()).expect("the guest answers");
        let judged = judge(&scenario(name), &mut bench.recording.edges);
        let answered: Vec<Series> =
            judged.into_iter().flat_map(|judged| judged.answered).map(|one| one.series).collect();
        let [isr] = answered.as_slice() else { panic!("{name}: {answered:?}") };
        assert_eq!((isr.key.name.as_str(), isr.missed), ("isr", Some(0)), "{name}");
        tried += 1;
    }
    assert_eq!(tried, 2);
}
