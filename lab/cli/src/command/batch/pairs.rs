// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges the pairs of a batch: what each function contributes to the difference of two guests, without a remainder.
use backwall::exit::{Exit, unable};
use backwall::options::Printing;
use backwall_lab::batch::counts::Counts;
use backwall_lab::batch::pairs::{Difference, Term, difference};
use backwall_lab::batch::place::Place;
use backwall_lab::batch::unit::Unit;
use backwall_os::console::{columns, complain};
use backwall_report::wrap::narrow;
use serde_json::{Value, json};
use std::path::Path;

/// Functions printed per pair. The others are summed in one row; the JSON has all.
const SHOWN: usize = 10;

/// Prints every finished pair. Exit code 3 if a pair is not finished, or if a difference has a remainder.
pub(super) fn merge(place: &Place, units: &[Unit], folder: &Path, printing: Printing) -> anyhow::Result<Exit> {
    let counts = Counts::of(place, units);
    if counts.done == 0 {
        return Err(unable(format!("{}: no unit is done; run them with `backwall lab batch run`", folder.display())));
    }
    let mut pairs = Vec::new();
    for unit in units {
        pairs.extend(difference(place, unit)?.map(|difference| (unit, difference)));
    }
    printing.show(
        || json!({ "planned": units.len(), "done": pairs.len(), "pairs": pairs.iter().map(value).collect::<Vec<_>>() }),
        || narrow(&pairs.iter().map(text).collect::<String>(), columns()),
    )?;
    if counts.done < units.len() {
        complain(&format!("backwall: incomplete: {}", counts.sentence()));
    }
    let whole = counts.done == units.len() && pairs.iter().all(|(_, difference)| difference.unexplained() == 0);
    Ok(if whole { Exit::Done } else { Exit::Undecided })
}

fn second(unit: &Unit) -> &str {
    unit.against.as_deref().unwrap_or_default()
}

fn value((unit, difference): &(&Unit, Difference)) -> Value {
    json!({
        "first": unit.scenario, "second": second(unit), "seed": unit.seed, "difference": difference.difference,
        "unexplained": difference.unexplained(), "terms": difference.terms,
    })
}

fn text((unit, difference): &(&Unit, Difference)) -> String {
    let (shown, others) = difference.terms.split_at(difference.terms.len().min(SHOWN));
    let row = |term: &Term| {
        let user = if term.user { " (user)" } else { "" };
        format!("  {:>+10}  {}{user}\n", term.difference, term.function)
    };
    let rows: String = shown.iter().filter(|term| term.difference != 0).map(row).collect();
    let others: Vec<i64> = others.iter().map(|term| term.difference).filter(|added| *added != 0).collect();
    let rest = match others.len() {
        0 => String::new(),
        count => format!("  {:>+10}  {count} other functions\n", others.iter().sum::<i64>()),
    };
    format!(
        "{}\n{}\n  {:>+10}  instructions (second minus first), {} unexplained\n{rows}{rest}",
        unit.scenario,
        second(unit),
        difference.difference,
        difference.unexplained()
    )
}
