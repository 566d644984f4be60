// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings and trials as text: planned changes, results, and kept changes.
pub mod boot;
pub mod status;

use crate::comparison::value;
use crate::phrase;
use crate::printable::printable;
use crate::wrap::wrapped;
use backwall_judge::compare::{Comparison, Row, Verdict};
use backwall_model::{CheckVerdict, Key};
use backwall_tuning::settings::journal::{Entry, RestoreResult};
use backwall_tuning::settings::{Change, Decision, Outcome, PlannedSetting, UnreachedTime};
use std::path::Path;

const PLACES: usize = 4;

pub fn plan(cpu: u32, planned: &[PlannedSetting], left: Option<UnreachedTime>, columns: usize) -> String {
    if planned.is_empty() {
        return format!("CPU {cpu}: every setting that backwall knows is set already or missing on this machine\n");
    }
    let blocks: String = planned.iter().map(|planned| block(planned, columns)).collect();
    let settings = if planned.len() == 1 { "setting" } else { "settings" };
    format!(
        "{}CPU {cpu}: {} {settings} would change something. To measure whether one helps here:\n  backwall tune try --apply {}\n\n{blocks}",
        left.map_or(String::new(), |left| unreached(&left, columns)),
        planned.len(),
        planned[0].setting
    )
}

fn unreached(left: &UnreachedTime, columns: usize) -> String {
    let percent = |share: f64| (100.0 * share).round();
    if percent(left.share) < 1.0 {
        return String::new();
    }
    let own = match percent(left.of_application) {
        some if some >= 1.0 => {
            format!("; with --app, settings of the application's own threads may help against {some:.0} %")
        }
        _ => String::new(),
    };
    let said = format!(
        "{:.0} % of the run's late responses have a cause that none of these settings addresses{own}. backwall blame \
            of that run names the cause, and backwall tune boot tries what needs a reboot",
        percent(left.share)
    );
    wrapped(&said, columns)
}

fn block(planned: &PlannedSetting, columns: usize) -> String {
    let percent = (100.0 * planned.share.unwrap_or_default()).round();
    let mark = match planned.verdict {
        _ if percent >= 1.0 => format!("  (against {percent:.0} % of the run's late responses)"),
        Some(CheckVerdict::Bad) => "  (check: makes responses late)".to_string(),
        _ => String::new(),
    };
    let mut said = format!("{}{mark}\n", planned.setting);
    said += &indented(planned.does, columns);
    said += &indented(&format!("may harm: {}", planned.harm), columns);
    said + &places(&planned.changes)
}

fn indented(text: &str, columns: usize) -> String {
    wrapped(text, columns.saturating_sub(4)).lines().map(|line| format!("    {}\n", line.trim_start())).collect()
}

fn places(changes: &[Change]) -> String {
    let line = |change: &Change| format!("    {}\n", written(change));
    let shown: String = changes.iter().take(PLACES).map(line).collect();
    let more = changes.len().saturating_sub(PLACES);
    if more == 0 { shown } else { format!("{shown}    and {more} more places; --json lists all\n") }
}

fn written(change: &Change) -> String {
    let place = printable(&change.place.to_string());
    format!("{place}: {} -> {}", printable(&change.before), printable(&change.wanted))
}

pub fn dry(planned: &[PlannedSetting], slices: usize, columns: usize) -> String {
    if planned.is_empty() {
        return "nothing to try: set already, or missing on this machine\n".to_string();
    }
    let every = |planned: &PlannedSetting| {
        let lines: String = planned.changes.iter().map(|change| format!("    {}\n", written(change))).collect();
        format!("{}\n{}{lines}", planned.setting, indented(&format!("may harm: {}", planned.harm), columns))
    };
    let all: String = planned.iter().map(every).collect();
    format!(
        "{all}\nnothing was changed. With --apply, each setting has {slices} slices: backwall sets it in half of them and \
        restores it in between\n"
    )
}

pub fn outcome(outcome: &Outcome, columns: usize) -> String {
    let because = outcome.comparison.as_ref();
    let said = match &outcome.decision {
        Decision::Kept => format!("KEPT: {}; nothing is worse", moved(because, Verdict::Improved)),
        Decision::NoHelp => format!("restored: nothing improved{}", of_metrics(because)),
        Decision::Inconclusive { slices } => format!("restored: {}", inconclusive(*slices, because)),
        Decision::Harms => format!("restored: {}", moved(because, Verdict::Regressed)),
        Decision::Disturbed => "stopped: another program changes the same setting, so nothing was decided".to_string(),
        Decision::Refused(why) => format!("not tried: {why}"),
        Decision::NothingToChange => "nothing to change here".to_string(),
        Decision::Stopped => "stopped: everything is as it was before this trial".to_string(),
    };
    let mut text = wrapped(&printable(&format!("{}: {said}", outcome.setting)), columns);
    if !matches!(outcome.decision, Decision::Refused(_)) {
        text.extend(outcome.told.iter().map(|line| wrapped(&printable(&format!("  {line}")), columns)));
    }
    text
}

/// Says how to get a result: a trial that is too short proves nothing about the setting.
fn inconclusive(slices: Option<u64>, comparison: Option<&Comparison>) -> String {
    let undecided = comparison.into_iter().flat_map(|comparison| &comparison.rows);
    let undecided = undecided.filter(|row| row.verdict == Verdict::CannotTell);
    let best = undecided.min_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let moved =
        best.map_or(String::new(), |row| format!("{} {:+.0} %, ", printable(&row.metric), 100.0 * (row.ratio - 1.0)));
    let had = best.map_or(0, |row| row.runs[0].min(row.runs[1]));
    match slices {
        Some(slices) => {
            format!(
                "INCONCLUSIVE: {moved}{slices} slices are needed on each side, there were {had}: repeat with longer slices \
                (-D)"
            )
        }
        None => format!("INCONCLUSIVE: {moved}even 1,000 slices would not decide: repeat with longer slices (-D)"),
    }
}

fn moved(comparison: Option<&Comparison>, verdict: Verdict) -> String {
    let rows = comparison.iter().flat_map(|comparison| &comparison.rows).filter(|row| row.verdict == verdict);
    let mut rows: Vec<&Row> = rows.collect();
    rows.sort_by(|a, b| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
    let Some(first) = rows.first() else { return String::new() };
    let more = if rows.len() > 1 { format!(", and {} more", rows.len() - 1) } else { String::new() };
    format!("{} {}{more}", figure(&first.key, &first.metric), from_to(first))
}

/// A figure as people call it: `p99`, `p99 while idle`, `isr p99 under load spin`.
fn figure(key: &Key, metric: &str) -> String {
    let name = match key.name.as_str() {
        "wakeup" | "attached" => String::new(),
        _ => key.label() + " ",
    };
    format!("{name}{metric}{}", phrase::during(&phrase::phase_of(key)))
}

fn from_to(row: &Row) -> String {
    let word = if row.verdict == Verdict::Regressed { " (worse)" } else { "" };
    format!("{} -> {}, {:+.0} %{word}", value(row, row.before), value(row, row.after), 100.0 * (row.ratio - 1.0))
}

fn of_metrics(comparison: Option<&Comparison>) -> String {
    comparison.map_or(String::new(), |comparison| {
        format!(" ({} metrics, {} slices a side)", comparison.rows.len(), comparison.before.len())
    })
}

pub fn end(outcomes: &[Outcome], left: usize, folder: &Path) -> String {
    let kept: Vec<&str> =
        outcomes.iter().filter(|outcome| outcome.decision == Decision::Kept).map(|outcome| outcome.setting).collect();
    let tried = outcomes.len();
    let is_disturbed = outcomes.iter().any(|outcome| outcome.decision == Decision::Disturbed);
    let said = if kept.is_empty() {
        let rest = match (left, is_disturbed) {
            (0, false) => "this machine is as before".to_string(),
            (0, true) => "values written by another program stay; the rest is as before".to_string(),
            (left, _) => format!("cannot restore {left} places; backwall tune undo tries again"),
        };
        format!("none of {tried} was kept; {rest}")
    } else {
        format!(
            "{} of {tried} kept until the next reboot: {}; backwall tune undo restores them",
            kept.len(),
            kept.join(", ")
        )
    };
    format!("{said}\nevery slice is a run in {}\n", folder.display())
}

pub fn recovered(restored: &[(Entry, RestoreResult)], forgotten: usize) -> String {
    let mut said: String =
        restored.iter().map(|(entry, what)| format!("left by a trial: {}\n", line(entry, what))).collect();
    if forgotten > 0 {
        said += &format!("this machine has rebooted since, which undid {forgotten} changes\n");
    }
    said
}

fn line(entry: &Entry, what: &RestoreResult) -> String {
    let place = entry.change.place.to_string();
    format!("{}: {}: {}", entry.setting, printable(&place), printable(&what.to_string()))
}

pub fn restored(restored: &[(Entry, RestoreResult)]) -> String {
    if restored.is_empty() {
        return "none of its changes was kept\n".to_string();
    }
    restored.iter().map(|(entry, what)| line(entry, what) + "\n").collect()
}

pub fn restored_row(entry: &Entry, what: &RestoreResult) -> serde_json::Value {
    serde_json::json!({ "setting": entry.setting, "place": entry.change.place, "outcome": what.to_string() })
}

#[cfg(test)]
mod tests;
