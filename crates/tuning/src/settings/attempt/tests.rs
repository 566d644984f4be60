// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trials of a machine of files, whose figures are simulated from what its files hold.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
#[allow(dead_code, reason = "a trial makes its sides run by run")]
#[path = "../../../../judge/src/compare/tests/simulated.rs"]
mod simulated;

use super::*;
use crate::settings::form::Form;
use crate::settings::known;
use crate::settings::place::Place;
use crate::settings::trial::SLICES;
use backwall_model::units::Unit;
use backwall_model::{Key, Origin, Plan, Run, Span};
use backwall_stats::{Block, SeriesBuilder};
use simulated::Random;
use std::convert::Infallible;
use tempfile::TempDir;

const FILE: &str = "/proc/sys/vm/knob";
const QUESTION: Question = Question { effect: 0.05, seed: 1 };

static KNOB: Setting = Setting {
    name: "knob",
    checks: &[],
    against: &[],
    does: "turns the knob",
    harm: "none",
    changes: |machine| Change::to(machine, Place::file(FILE, Form::Text), "2").into_iter().collect(),
};

fn machine() -> (TempDir, Machine) {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::under(folder.path(), 0);
    for (path, text) in [(FILE, "1"), ("/etc/machine-id", "m"), ("/proc/sys/kernel/random/boot_id", "b")] {
        std::fs::create_dir_all(machine.place(path).parent().unwrap()).unwrap();
        std::fs::write(machine.place(path), text).unwrap();
    }
    (folder, machine)
}

fn knob(machine: &Machine) -> String {
    machine.read(FILE).unwrap()
}

fn tried(machine: &Machine, random: &mut Random, factor: f64) -> Outcome {
    let mut journal = Journal::open(machine).unwrap();
    let mut measure = |name: &str, side: Side| -> Result<_, Infallible> {
        let turned = knob(machine) == "2";
        assert_eq!((name, turned), ("knob", side == Side::With));
        let run = simulated::simulated(random, 0.002, if turned { factor } else { 1.0 });
        Ok(Some(PlacedRun { place: String::new(), run }))
    };
    match try_setting(&mut journal, machine, &KNOB, &QUESTION, &mut measure) {
        Ok(outcome) => outcome,
        Err(Broken::Journal(why)) => panic!("{why}"),
        Err(Broken::Unmeasured(never)) => match never {},
    }
}

#[test]
fn what_helps_is_kept_and_what_harms_or_does_nothing_is_taken_back() {
    let mut random = Random(3);
    for (factor, decision, held) in
        [(0.5, Some(Decision::Kept), "2"), (1.5, Some(Decision::Harms), "1"), (1.0, None, "1")]
    {
        let (_folder, machine) = machine();
        let outcome = tried(&machine, &mut random, factor);
        let open = matches!(outcome.decision, Decision::NoHelp | Decision::Inconclusive { .. });
        let rightly = decision.map_or(open, |decision| outcome.decision == decision);
        assert!(rightly && knob(&machine) == held, "{factor}: {:?}", outcome.decision);
        let mut journal = Journal::open(&machine).unwrap();
        assert!(journal.recover(&machine).unwrap().is_empty());
        journal.restore(&machine, |_| true).unwrap();
        assert_eq!(knob(&machine), "1");
    }
}

// An improvement that these slices leave undecided is not "nothing improved": the required number of slices is given.
#[test]
fn a_small_improvement_is_inconclusive_with_the_slices_that_would_decide() {
    let mut random = Random(5);
    let decisions: Vec<Decision> = (0..12)
        .map(|_| {
            let (_folder, machine) = machine();
            tried(&machine, &mut random, 0.97).decision
        })
        .collect();
    let slices = decisions.iter().filter_map(|decision| match decision {
        Decision::Inconclusive { slices } => Some(*slices),
        _ => None,
    });
    let slices: Vec<Option<u64>> = slices.collect();
    assert!(!slices.is_empty(), "{decisions:?}");
    assert!(slices.iter().flatten().all(|slices| *slices > SLICES as u64), "{slices:?}");
    assert!(!decisions.contains(&Decision::Harms), "{decisions:?}");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the soak asks for many, and is told the count"
)]
fn of_settings_that_change_nothing_hardly_any_is_kept() {
    let mut random = Random(17);
    let trials: usize = std::env::var("BACKWALL_TRIALS").ok().and_then(|trials| trials.parse().ok()).unwrap_or(8);
    let kept = (0..trials).filter(|_| {
        let (_folder, machine) = machine();
        tried(&machine, &mut random, 1.0).decision == Decision::Kept
    });
    let kept = kept.count();
    println!("tune: {kept} of {trials} settings that change nothing were kept");
    assert!(
        kept <= (trials / 20).max(1),
        "{kept} of {trials}, with a chance of 2.5 % each: two of eight come once in 170 seeds"
    );
}

// Faults that a machine may have, each by the setting that mends it.
const FAULTS: [&str; 12] = [
    "governor",
    "idle-states",
    "interrupt-affinity",
    "throttling",
    "quota",
    "workqueues",
    "timer-migration",
    "huge-pages",
    "compaction",
    "swappiness",
    "vm-statistics",
    "writeback",
];

// A loop that takes twice as long while any place of the fault still has its faulty value.
#[test]
fn a_planted_fault_is_in_the_plan_and_is_mended() {
    let mut random = Random(5);
    for fault in FAULTS {
        let folder = tempfile::tempdir().unwrap();
        let machine = known::tests::machine(folder.path(), &known::tests::FILES);
        for (path, text) in [
            ("/etc/machine-id", "m"),
            ("/proc/sys/kernel/random/boot_id", "b"),
            ("/sys/fs/cgroup/user.slice/cpu.max", "10000 100000"),
        ] {
            std::fs::create_dir_all(machine.place(path).parent().unwrap()).unwrap();
            std::fs::write(machine.place(path), text).unwrap();
        }
        let setting = known::named(fault).unwrap();
        assert!(
            crate::settings::plan(&machine, &[], &[]).iter().any(|planned| planned.setting == fault),
            "{fault} is found"
        );
        let faulty = setting.changes(&machine);
        let mut measure = |_: &str, _: Side| -> Result<_, Infallible> {
            let mended = |change: &Change| change.place.read(&machine).unwrap() == change.wanted;
            let factor = if faulty.iter().all(mended) { 0.5 } else { 1.0 };
            Ok(Some(PlacedRun { place: String::new(), run: simulated::simulated(&mut random, 0.002, factor) }))
        };
        let mut journal = Journal::open(&machine).unwrap();
        let outcome =
            try_setting(&mut journal, &machine, setting, &QUESTION, &mut measure).map_err(|_| "broken").unwrap();
        assert_eq!(outcome.decision, Decision::Kept, "{fault}");
        assert!(faulty.iter().all(|change| change.place.read(&machine).unwrap() == change.wanted), "{fault}");
        journal.restore(&machine, |_| true).unwrap();
        assert_eq!(setting.changes(&machine), faulty, "{fault} is back when it is undone");
    }
}

#[test]
fn a_user_who_stops_a_slice_that_fails_and_a_value_that_does_not_stay_leave_the_machine_as_it_was() {
    let (_folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    let mut slices = 0;
    let mut stopped = |_: &str, _: Side| -> Result<Option<PlacedRun>, &str> {
        slices += 1;
        if slices < 3 { Ok(Some(PlacedRun { place: String::new(), run: empty() })) } else { Ok(None) }
    };
    let outcome = try_setting(&mut journal, &machine, &KNOB, &QUESTION, &mut stopped).unwrap();
    assert_eq!((outcome.decision, knob(&machine).as_str()), (Decision::Stopped, "1"));

    let mut failing = |_: &str, side: Side| match side {
        Side::With => Err("no loop"),
        Side::Without => Ok(Some(PlacedRun { place: String::new(), run: empty() })),
    };
    let broken = try_setting(&mut journal, &machine, &KNOB, &QUESTION, &mut failing).unwrap_err();
    assert!(matches!(broken, Broken::Unmeasured("no loop")));
    assert_eq!(knob(&machine), "1");
}

// Whichever slice another program writes in, its value is not overwritten, and measuring stops.
#[test]
fn what_another_program_writes_in_any_slice_stays_and_ends_the_trial() {
    for foreign in 0..order().len() {
        let (_folder, machine) = machine();
        let mut journal = Journal::open(&machine).unwrap();
        let (mut random, mut slices) = (Random(3), 0);
        let mut measure = |_: &str, _: Side| -> Result<_, &str> {
            let run = simulated::simulated(&mut random, 0.002, if knob(&machine) == "2" { 0.5 } else { 1.0 });
            if slices == foreign {
                std::fs::write(machine.place(FILE), "33").unwrap();
            }
            assert!(slices < foreign || knob(&machine) == "33", "slice {slices} of a value written in {foreign}");
            slices += 1;
            Ok(Some(PlacedRun { place: String::new(), run }))
        };
        let outcome = try_setting(&mut journal, &machine, &KNOB, &QUESTION, &mut measure).unwrap();
        assert_eq!((outcome.decision, knob(&machine).as_str()), (Decision::Disturbed, "33"), "written in {foreign}");
        assert!(slices <= foreign + 2 && outcome.told.len() == 1, "{foreign}: {slices} slices, {:?}", outcome.told);
        assert!(outcome.told[0].contains("has 33, written by another program since; left unchanged"));
        assert!(journal.entries().is_empty() && !Journal::is_there(&machine));
    }
}

#[test]
fn what_is_refused_at_the_end_is_not_called_kept() {
    let (_folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    let (mut random, mut slices) = (Random(3), 0);
    let mut measure = |_: &str, _: Side| -> Result<_, &str> {
        let run = simulated::simulated(&mut random, 0.002, if knob(&machine) == "2" { 0.5 } else { 1.0 });
        slices += 1;
        if slices == order().len() {
            std::fs::remove_file(machine.place(FILE)).unwrap();
        }
        Ok(Some(PlacedRun { place: String::new(), run }))
    };
    let outcome = try_setting(&mut journal, &machine, &KNOB, &QUESTION, &mut measure).unwrap();
    assert!(matches!(outcome.decision, Decision::Refused(_)), "{:?}", outcome.decision);
    assert!(journal.entries().is_empty());
}

#[test]
fn what_is_set_already_is_not_measured() {
    let (_folder, machine) = machine();
    std::fs::write(machine.place(FILE), "2").unwrap();
    let mut journal = Journal::open(&machine).unwrap();
    let mut never = |_: &str, _: Side| -> Result<Option<PlacedRun>, &str> { Err("measured") };
    let outcome = try_setting(&mut journal, &machine, &KNOB, &QUESTION, &mut never).unwrap();
    assert_eq!(outcome.decision, Decision::NothingToChange);
}

fn empty() -> Run {
    Run::begin(Origin::Simulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH)
}
