// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of leaving C-states: median with them minus median without, if a run has both.
use super::phrase;
use backwall_model::units::{Unit, tenths};
use backwall_model::{IDLE_AS_IS, IDLE_OFF, Quantile, Run, Series};

/// One sentence with both medians and the limits of their difference; `None` if the run lacks one of the medians.
pub fn sentence(run: &Run) -> Option<String> {
    let (with, without) = pair(run)?;
    let (before, after) = (median(with)?, median(without)?);
    let words = format!("median {} with C-states, {} without", shown(before.value?), shown(after.value?));
    Some(match (before.low.zip(after.high), before.high.zip(after.low)) {
        (Some((low, most_after)), Some((high, least_after))) => {
            // Each interval holds at 95 %. The limits computed from the ends of both intervals are wider than a 95 % interval of
            // the difference.
            judged(&words, difference(low, most_after), difference(high, least_after))
        }
        _ => format!("C-state exit cost undecided: too few samples ({words})"),
    })
}

fn judged(words: &str, least: i64, most: i64) -> String {
    let us = |ns: i64| tenths(ns as f64 / 1e3);
    if least > 0 {
        return format!("C-state exit costs {} to {} us at the median ({words})", us(least), us(most));
    }
    if most < 0 {
        return format!("C-state exit costs nothing at the median: disabling C-states made responses slower ({words})");
    }
    format!("C-state exit has no measurable cost at the median: between {} and {} us ({words})", us(least), us(most))
}

/// The first time series that ran under one load both with C-states unchanged and with C-states off.
fn pair(run: &Run) -> Option<(&Series, &Series)> {
    let in_time = |series: &&Series| series.unit == Unit::Ns;
    let with = run.series.iter().filter(in_time).filter(|series| series.key.idle == IDLE_AS_IS);
    let twin = |with: &Series| run.series_of(&with.key.with_idle(IDLE_OFF)).filter(in_time);
    let mut pairs = with.filter_map(|with| Some((with, twin(with)?)));
    pairs.next()
}

fn median(series: &Series) -> Option<&Quantile> {
    series.quantile(0.5)
}

fn shown(ns: u64) -> String {
    phrase::value(ns, Unit::Ns)
}

fn difference(a: u64, b: u64) -> i64 {
    i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_claims_a_cost_only_where_the_limits_do() {
        assert_eq!(judged("w", 2_900, 4_100), "C-state exit costs 2.9 to 4.1 us at the median (w)");
        assert_eq!(
            judged("w", -500, 700),
            "C-state exit has no measurable cost at the median: between -0.5 and 0.7 us (w)"
        );
        assert!(judged("w", -700, -500).contains("made responses slower"));
    }
}
