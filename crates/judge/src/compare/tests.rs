// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated experiments: how often the answer is wrong, and how often a change is found.
mod simulated;

use super::*;
use backwall_model::{InvalidPhase, Plan, Span};
use backwall_stats::{Block, SeriesBuilder};
use simulated::{Random, side, six_short};

const QUESTION: Question = Question { effect: 0.05, seed: 1 };

fn answer<'a>(found: &'a Comparison, metric: &str) -> &'a Row {
    found.rows.iter().find(|row| row.metric.starts_with(metric)).unwrap()
}

// Eight runs per side. The benchmark of the comparison makes more.
#[test]
fn nothing_is_called_a_change_that_is_none_and_a_doubled_tail_is_found() {
    let trials = 6;
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut false_alarms, mut rows, mut found) = (0, 0, 0);
    for _ in 0..trials {
        let before = side(&mut random, 8, 0.002, 1.0);
        let same = compare(&before, &side(&mut random, 8, 0.002, 1.0), &QUESTION);
        let changed = |row: &&Row| matches!(row.verdict, Verdict::Regressed | Verdict::Improved);
        false_alarms += same.rows.iter().filter(changed).count();
        rows += same.rows.len();
        let doubled = compare(&before, &side(&mut random, 8, 0.004, 1.0), &QUESTION);
        found += usize::from(answer(&doubled, "beyond").verdict == Verdict::Regressed);
    }
    assert!(rows >= 4 * trials && false_alarms * 20 <= rows, "{false_alarms} of {rows}");
    assert!(found * 10 >= trials * 7, "{found} of {trials}");
}

// The power and the false alarms of the comparison, with fixed seeds.
#[test]
fn a_change_of_a_tenth_is_found_in_two_of_three_and_a_false_one_in_three_of_a_hundred() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let has = |found: &Comparison, verdict: Verdict| found.rows.iter().any(|row| row.verdict == verdict);
    let found = (0..60).filter(|_| {
        let (a, b) = (six_short(&mut random, 1.0), six_short(&mut random, 1.1));
        has(&compare(&a, &b, &QUESTION), Verdict::Regressed)
    });
    let found = found.count();
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let false_alarms = (0..100).filter(|_| {
        let found = compare(&six_short(&mut random, 1.0), &six_short(&mut random, 1.0), &QUESTION);
        has(&found, Verdict::Regressed) || has(&found, Verdict::Improved)
    });
    let false_alarms = false_alarms.count();
    assert!(found >= 40, "{found} of 60");
    assert!(false_alarms <= 3, "{false_alarms} of 100");
}

// The present runs do not decide the comparison, so fewer runs never could.
#[test]
fn more_runs_are_needed_than_there_are() {
    let (mut random, mut asked) = (Random(11), 0);
    for _ in 0..12 {
        let (a, b) = (side(&mut random, 7, 0.002, 1.0), side(&mut random, 7, 0.002, 1.03));
        let found = compare(&a, &b, &QUESTION);
        let needed = found.rows.iter().filter_map(|row| row.needs_runs);
        asked += needed.inspect(|runs| assert!(*runs > 7, "{runs}")).count();
    }
    assert!(asked > 10, "{asked}");
}

#[test]
fn a_slower_body_is_a_regression_and_a_faster_one_an_improvement() {
    let mut random = Random(7);
    let (slow, fast) = (side(&mut random, 6, 0.002, 1.3), side(&mut random, 6, 0.002, 1.0));
    assert_eq!(answer(&compare(&fast, &slow, &QUESTION), "p50").verdict, Verdict::Regressed);
    assert_eq!(answer(&compare(&slow, &fast, &QUESTION), "p50").verdict, Verdict::Improved);
    let ratio = answer(&compare(&fast, &slow, &QUESTION), "p50").ratio;
    assert!((1.2..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn a_change_below_what_matters_is_equivalent() {
    let mut random = Random(9);
    let (a, b) = (side(&mut random, 10, 0.0, 1.0), side(&mut random, 10, 0.0, 1.01));
    let question = Question { effect: 0.10, seed: 1 };
    assert_eq!(answer(&compare(&a, &b, &question), "p50").verdict, Verdict::Equivalent);
}

// 0 of twice as many samples is not less than 0, although one run lost a sample.
#[test]
fn none_of_many_is_no_less_than_none_of_few() {
    let mut random = Random(19);
    let [mut few, mut many] = [(); 2].map(|()| side(&mut random, 7, 0.002, 1.0));
    let lost = |side: &mut [PlacedRun], due: u64| {
        side.iter_mut()
            .for_each(|placed| (placed.run.series[0].due, placed.run.series[0].missed) = (Some(due), Some(0)));
    };
    lost(&mut few, 20_000);
    lost(&mut many, 60_000);
    few[0].run.series[0].missed = Some(1);
    for (a, b) in [(&few, &many), (&many, &few)] {
        let found = compare(a, b, &QUESTION);
        let row = answer(&found, "missed");
        assert!((0.7..1.4).contains(&row.ratio) && row.runs == [7, 7], "{row:?}");
        assert!(!matches!(row.verdict, Verdict::Improved | Verdict::Regressed), "{row:?}");
    }
    lost(&mut many, 2_000_000);
    many.iter_mut().for_each(|placed| placed.run.series[0].missed = Some(2_000));
    assert_eq!(answer(&compare(&few, &many, &QUESTION), "missed").verdict, Verdict::Regressed);
}

fn of_lost(due: u64, before: u64, after: u64) -> Verdict {
    let mut random = Random(23);
    let [a, b] = [before, after].map(|lost| {
        let mut side = side(&mut random, 6, 0.002, 1.0);
        let series = side.iter_mut().map(|placed| &mut placed.run.series[0]);
        series.for_each(|series| (series.due, series.missed) = (Some(due), Some(lost)));
        side
    });
    answer(&compare(&a, &b, &QUESTION), "missed").verdict
}

// If each run loses one of thousands of samples and the other side none, the result is neither better nor worse, nor the same.
#[test]
fn one_sample_of_thousands_in_each_run_decides_nothing() {
    use Verdict::{CannotTell, Improved, Regressed};
    for (due, fewer, more, worse, better) in [
        (20_000, 0, 1, CannotTell, CannotTell),
        (1_000, 0, 1, CannotTell, CannotTell),
        (20_000, 1, 2, CannotTell, CannotTell),
        (20_000, 3, 4, CannotTell, CannotTell),
        (20_000, 0, 2, Regressed, Improved),
        (20_000, 1, 3, Regressed, Improved),
        (20_000, 20, 40, Regressed, Improved),
        // Of a hundred samples, one is a share that matters.
        (100, 0, 1, Regressed, Improved),
    ] {
        let found = (of_lost(due, fewer, more), of_lost(due, more, fewer));
        assert_eq!(found, (worse, better), "{fewer} and {more} of {due}");
    }
    assert_eq!(of_lost(20_000, 20, 20), Verdict::Equivalent);
}

#[test]
fn one_run_a_side_decides_nothing_but_in_the_lab() {
    let mut random = Random(11);
    let (mut a, mut b) = (side(&mut random, 1, 0.002, 1.0), side(&mut random, 1, 0.002, 2.0));
    let found = compare(&a, &b, &QUESTION);
    assert!(found.rows.iter().all(|row| row.verdict == Verdict::CannotTell && row.low.is_none()), "{found:?}");
    let fewest = found.fewest_runs.unwrap();
    assert!((4..=8).contains(&fewest) && found.rows.iter().all(|row| row.needs_runs == Some(fewest)), "{fewest}");
    assert_eq!(found.largest.len(), 1, "{:?}", found.largest);
    a.iter_mut().chain(&mut b).for_each(|placed| placed.run.origin = Origin::Emulated);
    let row = compare(&a, &b, &QUESTION).rows[0].clone();
    assert_eq!((row.verdict, row.p, row.low), (Verdict::Regressed, None, Some(row.ratio)));
}

#[test]
fn what_differs_beside_the_figures_is_listed() {
    let mut random = Random(13);
    let (mut a, b) = (side(&mut random, 2, 0.0, 1.0), side(&mut random, 2, 0.0, 1.0));
    a[0].run.device.kernel = "6.1".into();
    a[0].run.plan.seed = 99;
    let found = compare(&a, &b, &QUESTION).settings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].name.as_str(), found[0].before.len()), ("device.kernel", 2));
}

#[test]
fn a_series_that_one_side_lacks_is_named() {
    let mut random = Random(17);
    let (a, mut b) = (side(&mut random, 2, 0.0, 1.0), side(&mut random, 2, 0.0, 1.0));
    b.iter_mut().for_each(|placed| placed.run.series[0].key.load = "all".into());
    let found = compare(&a, &b, &QUESTION);
    assert!(found.rows.is_empty() && found.warnings.len() == 2, "{found:?}");
}

// An invalid side is compared all the same, but decides nothing.
#[test]
fn a_run_without_evidence_on_either_side_tells_no_difference() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (before, mut after) = (side(&mut random, 8, 0.002, 1.0), side(&mut random, 8, 0.2, 1.0));
    assert_eq!(answer(&compare(&before, &after, &QUESTION), "beyond").verdict, Verdict::Regressed);
    after[3].run.spoil("a test");
    for (one, other) in [(&before, &after), (&after, &before)] {
        let found = compare(one, other, &QUESTION);
        assert!(!found.rows.is_empty() && found.rows.iter().all(|row| row.verdict == Verdict::CannotTell));
    }
}

#[test]
fn a_spoiled_phase_on_one_side_leaves_the_others_their_verdict() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (before, mut after) = (side(&mut random, 8, 0.002, 1.0), side(&mut random, 8, 0.2, 1.0));
    let Key { load, idle, .. } = after[3].run.series[0].key.clone();
    let other = InvalidPhase { load: "other".into(), idle: idle.clone(), traced: false };
    after[3].run.spoil_phase(other, "load other did nothing");
    let verdicts = |after: &[PlacedRun]| compare(&before, after, &QUESTION);
    assert_eq!(answer(&verdicts(&after), "beyond").verdict, Verdict::Regressed);
    after[3].run.spoil_phase(InvalidPhase { load, idle, traced: false }, "a processor was too hot");
    let found = verdicts(&after);
    assert!(found.rows.iter().all(|row| row.verdict == Verdict::CannotTell), "{found:?}");
    assert!(found.warnings.iter().any(|said| said.contains("(a processor was too hot)")), "{:?}", found.warnings);
}
