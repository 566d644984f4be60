// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the histograms of a run in cyclictest's format, for scripts that read it: a row per microsecond, a column per series.
//!
//! A histogram class wider than a microsecond (there are none below a millisecond) is in the row of its lower bound, except for
//! the largest sample. Comments above the rows say what is left out, invalid, or not measured on a real machine.
use super::said;
use backwall_model::units::Unit;
use backwall_model::{Run, Series};
use std::collections::BTreeMap;

// A histogram ends at one second.
const MOST_ROWS: u64 = 1_000_000;

/// One row per microsecond up to the largest value, and one row more.
pub fn all(run: &Run) -> String {
    let series = run.series.iter().filter(|series| series.unit == Unit::Ns);
    let largest = series.filter_map(|series| series.max).max().unwrap_or(0);
    histograms(run, (largest / 1_000 + 1).min(MOST_ROWS) as u32)
}

/// Rows from 0 to below `last_us` microseconds. Larger values are only counted in a line below them. Series in other units are
/// left out.
pub fn histograms(run: &Run, last_us: u32) -> String {
    let series: Vec<&Series> = run.series.iter().filter(|series| series.unit == Unit::Ns).collect();
    let columns: Vec<BTreeMap<u64, u64>> = series.iter().map(|series| by_microsecond(series)).collect();
    let mut text: String = series.iter().map(|series| format!("# {}\n", one_line(&series.key.to_string()))).collect();
    text += &remarks(run);
    text.push_str("# Histogram\n");
    for row in 0..u64::from(last_us) {
        let counts = columns.iter().map(|column| format!("{:06}", column.get(&row).copied().unwrap_or(0)));
        text.push_str(&format!("{row:06} {}\n", counts.collect::<Vec<_>>().join("\t")));
    }
    let inside = |column: &BTreeMap<u64, u64>| {
        column.range(..u64::from(last_us)).fold(0u64, |sum, (_, count)| sum.saturating_add(*count))
    };
    let all = |of: &dyn Fn(usize) -> String| (0..series.len()).map(of).collect::<Vec<_>>().join(" ");
    let us = |value: Option<u64>| format!("{:05}", value.unwrap_or(0) / 1_000);
    text += &format!("# Total: {}\n", all(&|at| format!("{:09}", inside(&columns[at]))));
    text += &format!("# Min Latencies: {}\n", all(&|at| us(series[at].min)));
    text += &format!("# Avg Latencies: {}\n", all(&|at| us(series[at].mean.map(|mean| mean as u64))));
    text += &format!("# Max Latencies: {}\n", all(&|at| us(series[at].max)));
    let beyond = |at: usize| format!("{:05}", series[at].counted().saturating_sub(inside(&columns[at])));
    text += &format!("# Histogram Overflows: {}\n", all(&beyond));
    text
}

/// Comments for a human reader. No comment line ends like a series name, so that `backwall import` cannot mistake a comment for a
/// name.
fn remarks(run: &Run) -> String {
    let origin = said::unusual(run).map(|origin| format!("# figures are {origin}\n"));
    let each = run.series.iter().filter_map(|series| {
        let key = one_line(&series.key.to_string());
        match series.unit {
            Unit::Ns if said::doubtful(series, run) => Some(format!("# {key} is invalid\n")),
            Unit::Ns => None,
            other => Some(format!("# {key} is left out: its unit is {}\n", other.name())),
        }
    });
    origin.into_iter().chain(each).collect()
}

/// A name from outside must not add lines or contain control characters.
pub(super) fn one_line(name: &str) -> String {
    backwall_model::printable::printable(name)
}

/// The number of samples for each microsecond that has any. The largest sample is known exactly, so it counts at its own value
/// and not at the lower bound of its class.
pub(super) fn by_microsecond(series: &Series) -> BTreeMap<u64, u64> {
    let mut rows: BTreeMap<u64, u64> = BTreeMap::new();
    let mut add = |at: u64, count: u64| {
        let row = rows.entry(at / 1_000).or_insert(0);
        *row = row.saturating_add(count);
    };
    for (low, next, count) in series.histogram.classes() {
        let largest = series.max.filter(|max| (low..next).contains(max) && count > 0);
        // In the first class no sample is below the minimum.
        add(low.max(series.min.unwrap_or(0)), count - u64::from(largest.is_some()));
        largest.into_iter().for_each(|max| add(max, 1));
    }
    rows.retain(|_, count| *count > 0);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;

    #[test]
    fn rows_are_microseconds_and_every_sample_is_in_one_or_beyond() {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        [900, 2_100, 2_900, 5_000, 700_000].iter().for_each(|value| builder.sample(0, 0, *value, false));
        let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
        run.series.push(builder.build());
        let expected = "# wakeup[load=none,idle=as-is]\n# Histogram\n000000 000001\n000001 000000\n000002 000002\n\
            # Total: 000000003\n# Min Latencies: 00000\n# Avg Latencies: 00142\n# Max Latencies: 00700\n\
            # Histogram Overflows: 00002\n";
        assert_eq!(histograms(&run, 3), expected);
    }

    #[test]
    fn a_name_makes_no_rows() {
        let key = Key::new("wakeup", "x]\n000001 99\u{1b}[2J", "as-is");
        let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
        builder.sample(0, 0, 1_500, false);
        let mut run = Run::begin(Origin::Measured, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.series.push(builder.build());
        assert!(all(&run).starts_with("# wakeup[load=x]?000001 99?[2J,idle=as-is]\n# Histogram\n"), "{}", all(&run));
    }
}
