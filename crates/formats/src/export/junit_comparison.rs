// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a comparison of two sets of runs as JUnit XML: a test case per metric of a series.
//!
//! A regression becomes a failure, "cannot tell" an error. Other differences between the two sides are in the properties.
use super::junit_suite::{Case, Suite, Wrong};
use backwall_judge::compare::{Comparison, Row, Verdict};

pub fn comparison(comparison: &Comparison) -> String {
    let settings = comparison.settings.iter();
    let differs =
        settings.map(|one| (one.name.clone(), format!("{} -> {}", one.before.join(" | "), one.after.join(" | "))));
    let sides = [("before", &comparison.before), ("after", &comparison.after)];
    let sides = sides.map(|(name, places)| (name.to_string(), places.join(" ")));
    let suite = Suite {
        class: "backwall.compare",
        seconds: 0.0,
        started: None,
        properties: sides.into_iter().chain(differs).collect(),
        cases: comparison.rows.iter().map(case).collect(),
    };
    suite.text()
}

fn case(row: &Row) -> Case {
    let wrong = match row.verdict {
        Verdict::Equivalent | Verdict::Improved => None,
        Verdict::Regressed => Some(Wrong::Failure(format!("regressed by {}", change(row)))),
        Verdict::CannotTell => Some(Wrong::Error(format!("cannot tell: {}{}", change(row), needs(row)))),
    };
    Case { name: format!("{} {}", row.key, row.metric), wrong }
}

fn change(row: &Row) -> String {
    let percent = |ratio: f64| format!("{:+.1} %", 100.0 * (ratio - 1.0));
    match (row.low, row.high) {
        _ if row.is_exact() => format!("{}, exactly", percent(row.ratio)),
        (Some(low), Some(high)) => format!("{}, at 95 % {} to {}", percent(row.ratio), percent(low), percent(high)),
        _ => format!("{}, without limits", percent(row.ratio)),
    }
}

fn needs(row: &Row) -> String {
    row.needs_runs.map_or(String::new(), |runs| format!("; about {runs} runs on each side would decide"))
}
