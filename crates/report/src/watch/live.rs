// SPDX-License-Identifier: MIT OR Apache-2.0
//! The view of `backwall watch --live`: the worst response and its cause, each thread, each chain, and a bar per range of
//! response times. A mark among the bars shows the deadline.
use super::{cause, chains};
use crate::phrase;
use crate::printable::printable;
use crate::table::{Align, Table};
use crate::text::quantile_cell;
use crate::trace::chained::ChainReport;
use crate::wrap::{cut, wrapped};
use backwall_model::Series;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_trace::chain::ChainSoFar;
use backwall_watch::{Recipe, TheWorst};
use std::collections::BTreeMap;

const CAUSE_LINES: usize = 4;
const CHAIN_LINES: usize = 2;
const MOST_CHAINS: usize = 4;
const MOST_THREADS: usize = 8;
/// Columns of the longest bar; every bar has at least one.
const WIDEST: usize = 40;

#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub recipe: &'a Recipe,
    pub series: &'a [Series],
    pub chains: &'a [ChainSoFar],
    pub worst: Option<&'a TheWorst>,
    pub deadline_ns: Option<u64>,
}

pub fn lines(view: &View, columns: usize, rows: usize) -> Vec<String> {
    let mut lines = vec![head(view)];
    let caused = view.worst.map(|worst| wrapped(cause(worst).trim_start_matches(": "), columns)).unwrap_or_default();
    lines.extend(caused.lines().take(CAUSE_LINES).map(String::from));
    lines.extend(threads(view.series).within(columns, &["p99", "p50", "unseen"]).lines().map(String::from));
    for chain in view.chains.iter().take(MOST_CHAINS) {
        let said = wrapped(&chains::so_far(view.recipe, &ChainReport::of(chain)), columns);
        lines.extend(said.lines().take(CHAIN_LINES).map(String::from));
    }
    lines.extend(bars(view.series, view.deadline_ns, columns));
    lines.truncate(rows.saturating_sub(1).max(1));
    lines.push("q and Enter, or Ctrl-C, ends it".to_string());
    lines.iter().map(|line| cut(line, columns)).collect()
}

fn head(view: &View) -> String {
    let View { recipe, series, worst, deadline_ns, .. } = view;
    let sum = |of: fn(&Series) -> u64| series.iter().map(of).sum::<u64>();
    let mut head =
        format!("{}: {} responses", printable(&recipe.name), grouped(sum(|one| one.due.unwrap_or(one.done))));
    if let Some(TheWorst { thread, ns, .. }) = worst {
        head += &format!(
            ", worst {} of {} {}",
            DisplayedValue(*ns, Unit::Ns),
            printable(&recipe.called),
            printable(thread)
        );
    }
    if let Some(limit) = deadline_ns {
        let late = grouped(sum(|one| one.late.unwrap_or(0)));
        head += &format!("; {late} later than {} ({})", DisplayedValue(*limit, Unit::Ns), printable(&recipe.late));
    }
    let unseen = sum(|series| series.unseen);
    head + &if unseen > 0 { format!("; {} not seen to their end", grouped(unseen)) } else { String::new() }
}

fn threads(series: &[Series]) -> Table {
    let figures = ["responses", "unseen", "late", "p50", "p99", "max"].map(|name| (name, Align::Right));
    let mut table = Table::new(&[&[("thread", Align::Left)], &figures[..], &[("us", Align::Left)]].concat());
    let mut sorted: Vec<&Series> = series.iter().collect();
    sorted.sort_by_key(|one| std::cmp::Reverse(one.max));
    for one in sorted.iter().take(MOST_THREADS) {
        // A single thread needs no name in its key.
        let name = one.key.variant.values().next().map_or("all", String::as_str).to_string();
        let counts = [Some(one.counted()), Some(one.unseen), one.late].map(phrase::count);
        let longest = one.max.map_or("-".to_string(), |max| phrase::figure(max, one.unit));
        let cells = [0.5, 0.99].map(|q| quantile_cell(one, q)).into_iter().chain([longest]);
        table.row(std::iter::once(name).chain(counts).chain(cells).collect());
    }
    if sorted.len() > MOST_THREADS {
        table.row(vec![format!("and {} more", sorted.len() - MOST_THREADS)]);
    }
    table
}

/// One bar per bound: responses of all threads between half the bound and the bound. The scale is logarithmic, so that one late
/// response is visible among millions. A mark shows the deadline and the number of later responses.
fn bars(series: &[Series], deadline_ns: Option<u64>, columns: usize) -> Vec<String> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for (low, _, count) in series.iter().flat_map(|one| one.histogram.classes()) {
        *counts.entry(64 - low.leading_zeros()).or_default() += count;
    }
    let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().last().copied()) else {
        return Vec::new();
    };
    let most = counts.values().max().copied().unwrap_or(1);
    let widest = WIDEST.min(columns.saturating_sub(32)).max(1);
    let deadline_power = deadline_ns.map(|deadline| 64 - deadline.leading_zeros());
    let late = || grouped(series.iter().filter_map(|one| one.late).sum());
    let mark =
        || deadline_ns.map(|deadline| format!("-- deadline {}: {} later", DisplayedValue(deadline, Unit::Ns), late()));
    let mut lines = Vec::new();
    for power in first..=last {
        let count = counts.get(&power).copied().unwrap_or(0);
        let upper = DisplayedValue(1u64.checked_shl(power).unwrap_or(u64::MAX), Unit::Ns).to_string();
        lines.push(format!("< {upper:>9} {:<widest$} {}", "#".repeat(length(count, most, widest)), grouped(count)));
        lines.extend(mark().filter(|_| deadline_power == Some(power)));
    }
    let overflow: u64 = series.iter().map(|one| one.overflow).sum();
    lines.extend((overflow > 0).then(|| format!("longer than the last bar: {}", grouped(overflow))));
    lines.extend(mark().filter(|_| deadline_power.is_some_and(|power| power > last)));
    if deadline_power.is_some_and(|power| power < first) {
        lines.splice(0..0, mark());
    }
    lines
}

/// Length of a bar: none without a response, otherwise at least one.
fn length(count: u64, most: u64, widest: usize) -> usize {
    let share = (count as f64).ln_1p() / (most as f64).ln_1p();
    ((share * widest as f64).round() as usize).max(usize::from(count > 0)).min(widest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Blame, Key, Span};
    use backwall_stats::{Block, SeriesBuilder};
    use backwall_watch::shipped;

    fn series(thread: &str, values: &[u64]) -> Series {
        let mut key = Key::new("attached", "as-found", "as-is");
        key.variant.insert("thread".to_string(), thread.to_string());
        let mut builder = SeriesBuilder::new(key, Span::new("timer or waking", "thread", Unit::Ns));
        let seq: Vec<u64> = (0..values.len() as u64).collect();
        let late = values.iter().filter(|value| **value > 500_000).count() as u64;
        builder.samples(Block { seq: &seq, at: &seq, value: values, late });
        builder.build()
    }

    fn drawn(series: &[Series], deadline_ns: Option<u64>, columns: usize, rows: usize) -> Vec<String> {
        let recipe = shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap();
        let worst = TheWorst { thread: "jackd-203".to_string(), ns: 812_000, blame: Blame::Unfitting };
        lines(&View { recipe: &recipe, series, chains: &[], worst: Some(&worst), deadline_ns }, columns, rows)
    }

    #[test]
    fn the_view_has_the_worst_its_cause_each_thread_and_the_deadline_among_the_bars() {
        let values: Vec<u64> = [vec![3_000; 1_000], vec![812_000]].concat();
        let lines = drawn(&[series("jackd-203", &values), series("client-9", &[5_000])], Some(500_000), 100, 40);
        assert_eq!(
            lines[0],
            "jack: 1,002 responses, worst 812.0 us of audio driver jackd-203; 1 later than 500.0 us (xrun)"
        );
        assert!(lines[1].starts_with("of 812.0 us: 812.0 us unexplained"), "{lines:#?}");
        let row = |name: &str| lines.iter().position(|line| line.starts_with(name)).unwrap();
        assert!(row("thread") < row("jackd-203") && row("jackd-203") < row("client-9"), "{lines:#?}");
        let (short, mark) = (row("<    4.1 us"), row("-- deadline 500.0 us: 1 later"));
        let late = lines.iter().rposition(|line| line.contains('#')).unwrap();
        assert!(short < mark && mark < late && lines[short].ends_with(" 1,000"), "{lines:#?}");
        let hashes = |line: &str| line.matches('#').count();
        assert!(hashes(&lines[short]) == WIDEST && hashes(&lines[late]) >= 1, "{lines:#?}");
        assert!(lines.last().unwrap().contains("Ctrl-C"));
    }

    #[test]
    fn no_view_is_wider_or_higher_than_its_terminal() {
        let all: Vec<Series> = (0..20).map(|number| series(&format!("a-long-name-{number}"), &[1, 900_000])).collect();
        for (columns, rows) in [(200, 60), (80, 24), (40, 10), (20, 3), (10, 1)] {
            for deadline in [None, Some(1), Some(500_000), Some(u64::MAX)] {
                let lines = drawn(&all, deadline, columns, rows);
                assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
                assert!(lines.len() <= rows.max(2), "{lines:#?}");
            }
        }
        assert!(drawn(&[], Some(1), 80, 24).len() >= 2);
    }
}
