// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict on a row.
use super::{ALPHA, Row};
use backwall_stats::holm;
use backwall_stats::permutation::smallest_chance;
use backwall_stats::shift::normal_quantile;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Equivalent,
    Improved,
    CannotTell,
    Regressed,
}

const MOST_RUNS: u64 = 1_000;

/// Corrects the probabilities for the number of rows, and sets each row's verdict. `exact`: the figures are executed
/// instructions, so identical repeats leave nothing to chance.
pub(super) fn decide(rows: &mut [Row], exact: bool) {
    let chances: Vec<f64> = rows.iter().filter_map(|row| row.p).collect();
    let mut corrected = holm::corrected(&chances).into_iter();
    let questions = chances.len();
    for row in rows.iter_mut() {
        row.p = row.p.and_then(|_| corrected.next());
        if exact && row.identical {
            (row.low, row.high, row.p, row.decides) = (Some(row.ratio), Some(row.ratio), None, row.effect);
        }
        row.verdict = verdict(row);
        row.needs_runs = match row.verdict {
            Verdict::CannotTell => {
                let fewest = fewest(questions);
                let few = row.runs.iter().any(|runs| (*runs as u64) < fewest);
                let needed = row.needs_runs.map(|runs| runs.max(fewest)).or(few.then_some(fewest));
                needed.filter(|runs| *runs <= MOST_RUNS)
            }
            _ => None,
        };
    }
}

/// A change counts if it is unlikely by chance, if both confidence limits are on the same side of 1, and if the estimate
/// exceeds the effect that matters. The limits themselves need not exceed that effect: if they had to, a comparison of six
/// runs per side would miss half of all changes of a tenth.
fn verdict(row: &Row) -> Verdict {
    let (Some(low), Some(high)) = (row.low, row.high) else { return Verdict::CannotTell };
    let (matters, decides) = (1.0 + row.effect, 1.0 + row.decides);
    let by_chance = row.p.is_some_and(|p| p >= ALPHA);
    if high <= matters && low >= 1.0 / matters {
        Verdict::Equivalent
    } else if by_chance {
        Verdict::CannotTell
    } else if row.ratio > decides && low > 1.0 {
        Verdict::Regressed
    } else if row.ratio < 1.0 / decides && high < 1.0 {
        Verdict::Improved
    } else {
        Verdict::CannotTell
    }
}

/// The fewest runs per side that could decide a row; `None` if a row is decided or both sides have enough runs.
pub(super) fn fewest_runs(rows: &[Row]) -> Option<u64> {
    let fewest = fewest(rows.iter().filter(|row| row.p.is_some()).count());
    let few = |row: &Row| row.runs.iter().any(|runs| (*runs as u64) < fewest);
    (!rows.is_empty() && rows.iter().all(|row| row.verdict == Verdict::CannotTell && few(row))).then_some(fewest)
}

fn fewest(questions: usize) -> u64 {
    let wanted = ALPHA / questions.max(1) as f64;
    (2..).find(|&runs| smallest_chance(runs, runs) <= wanted || runs as u64 > MOST_RUNS).unwrap_or(2) as u64
}

/// Estimates how many runs per side would decide the row: the confidence limits must lie within the effect that matters, or
/// exclude 1 if the shift is large enough to count. The result is more than the present number of runs, which did not decide it.
/// `None` if the spread is unknown, if more than MOST_RUNS are needed, or if the shift lies between both effects, which no number
/// of runs decides.
pub(super) fn runs_needed(a: &[f64], b: &[f64], shift: f64, [matters, decides]: [f64; 2]) -> Option<u64> {
    let spread = (variance(a)? + variance(b)?).sqrt();
    let below = matters.ln_1p() - shift.abs();
    let beyond = if shift.abs() > decides.ln_1p() { shift.abs() } else { -1.0 };
    let distance = below.max(beyond);
    if distance < 0.0 {
        return None;
    }
    let runs = (normal_quantile(1.0 - ALPHA / 2.0) * spread / distance).powi(2).ceil();
    (runs <= MOST_RUNS as f64).then(|| (runs as u64).max(a.len().max(b.len()) as u64 + 1))
}

/// `None` for a single number, whose spread is unknown.
fn variance(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.len() > 1).then(|| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0))
}
