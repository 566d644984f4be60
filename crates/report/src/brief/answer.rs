// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first lines of the screen: one for each reason to distrust the figures, then the overall maximum with its own cause,
//! and the counts.
use super::{Limits, Line, Tone, ended, next, one_line, short};
use crate::printable::printable;
use crate::verdict;
use crate::wrap::wrapped_at;
use crate::{interference, osbench, paper, phrase};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Extension, Origin, RefusedPriority, Run, Series};

pub(super) fn lines(run: &Run, columns: usize, limits: Limits) -> Vec<Line> {
    let spoiled = |text: &String| {
        let wrapped = wrapped_at(&printable(text), columns - 2, 2);
        super::taken(wrapped.lines().map(|line| (Tone::Bad, line.to_string())).collect(), limits.reservation)
    };
    let mut lines: Vec<Line> = reservations(run).iter().flat_map(spoiled).collect();
    let tone = if run.crossed() { Tone::Bad } else { Tone::Warn };
    lines.extend(
        ended(run).into_iter().flat_map(|text| head(&text, columns, limits.head)).map(|(_, line)| (tone, line)),
    );
    let Some(series) = verdict::headline(run) else {
        let found =
            osbench::sentence(run).or_else(|| interference::sentence(run)).or_else(|| paper::event_sentence(run));
        lines.extend(head(&found.unwrap_or("nothing was measured".to_string()), columns, limits.head));
        return lines;
    };
    lines.extend(head(&maximum(run, series), columns, limits.head));
    lines.extend(one_line(Tone::Plain, &losses(run, series), columns));
    lines
}

fn head(text: &str, columns: usize, most: usize) -> Vec<Line> {
    let wrapped = wrapped_at(&printable(text), columns - 2, 2);
    let lines: Vec<Line> = wrapped.lines().map(|line| (Tone::Head, line.to_string())).collect();
    super::taken(lines, most)
}

/// The reason begins with this if a run is invalid because too many events were lost.
const LOST: &str = "the kernel's trace lost";

/// The warnings that must precede any figure, one line each: the reason and the way out.
pub fn reservations(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    let lost = verdict::lost(run);
    let none = no_evidence(run);
    let incomplete = |why: &str| format!("TRACE INCOMPLETE{why}; more wakeups may have been late");
    // If the lost events invalidate the run, one line says both.
    match (lost, none) {
        (Some(_), Some(why)) if why.contains(LOST) => lines.push(incomplete(&format!(", {why}"))),
        (lost, none) => {
            lines.extend(lost.map(|lost| incomplete(&format!(": {}", lost.text))));
            lines.extend(none);
        }
    }
    if let Some(RefusedPriority { priority: wanted, remedy, .. }) = &run.refused_priority {
        // If a command can grant the right, the `next` line shows it. Otherwise this line says how to get the right.
        let granted = next::with_rights(run).is_some();
        let way = if granted { String::new() } else { format!(": {}", phrase::first_way(remedy)) };
        lines.push(format!("ORDINARY PRIORITY: real-time {wanted} was refused{way}"));
    }
    lines
}

/// Lists every reason once, with the number of phases it invalidates; the most frequent reason comes first.
fn no_evidence(run: &Run) -> Option<String> {
    let mut reasons: Vec<(&str, usize, bool)> = Vec::new();
    for spoiled in &run.invalid {
        match reasons.iter_mut().find(|(known, ..)| *known == spoiled.reason) {
            Some((_, count, _)) => *count += 1,
            None => reasons.push((&spoiled.reason, 1, spoiled.phase.is_none())),
        }
    }
    reasons.sort_by_key(|(_, count, whole)| (!whole, std::cmp::Reverse(*count)));
    let (reason, count, whole) = reasons.first().copied()?;
    let phase = run.invalid.iter().find(|spoiled| spoiled.reason == reason)?.phase.as_ref();
    let of = match phase {
        Some(phase) if !whole && count == 1 => format!(" of {}", super::named(run, phase)),
        _ if !whole && !run.series.iter().all(|series| run.no_evidence_of(&series.key).is_some()) => {
            format!(" of {count} phases")
        }
        _ => String::new(),
    };
    let more = match reasons.len() - 1 {
        0 => String::new(),
        1 => " (and one more reason)".to_string(),
        more => format!(" (and {more} more reasons)"),
    };
    Some(format!("NO EVIDENCE{of}: {reason}{more}"))
}

/// `maximum 36.3 ms while idle: timer interrupt late …`.
pub(super) fn maximum(run: &Run, series: &Series) -> String {
    if series.max.is_none() {
        let what = match series.threshold {
            Some(threshold) => format!("nothing above {}", short::figure(threshold, series.unit)),
            None => "no response at all".to_string(),
        };
        return what + &short::during(run, &series.key);
    }
    let is_incomplete = verdict::lost(run).is_some();
    let doubt = if is_incomplete { "" } else { phrase::doubtful(run, &series.key) };
    let maximum = if is_incomplete { "maximum recorded" } else { "maximum" };
    let whose = if series.key.name == "wakeup" || phrase::is_attached(series) {
        String::new()
    } else {
        format!(" {}", phrase::from_to(series))
    };
    let unit = if series.unit == Unit::Instructions { " instructions" } else { "" };
    let what = format!("{maximum} {}{unit}{whose}{}{doubt}", short::max(series), short::during(run, &series.key));
    match cause(run, series) {
        Some(cause) => format!("{what}: {cause}"),
        None => what,
    }
}

/// The cause of a series' maximum. If the run recorded causes, but not the cause of this maximum, the text says so.
pub(crate) fn cause(run: &Run, series: &Series) -> Option<String> {
    match verdict::recorded(run, series) {
        Some(_) if run.no_evidence_of(&series.key).is_some() => Some(verdict::NO_CULPRIT.to_string()),
        Some(cause) => Some(cause),
        None if run.origin != Origin::Measured => None,
        None => match run.plan.extension {
            Extension::Run | Extension::Iltiming(_) => {
                let refused = "the kernel's trace was refused";
                let reason = |why| if next::with_rights(run).is_some() { refused } else { why };
                let why = verdict::unrecorded(run).map_or(String::new(), |why| format!(" ({})", reason(why)));
                Some(format!("cause not recorded{why}"))
            }
            _ => None,
        },
    }
}

fn losses(run: &Run, headline: &Series) -> String {
    let alike: Vec<&Series> = run.series.iter().filter(|series| verdict::is_alike(series, headline)).collect();
    let sum = |of: &dyn Fn(&Series) -> Option<u64>| {
        alike.iter().try_fold(0u64, |sum, series| of(series).map(|count| sum.saturating_add(count)))
    };
    let noun = noun(headline);
    let late = sum(&|series| series.late).filter(|late| *late > 0);
    let limit = run.plan.deadline_ns.or(run.plan.period_ns).filter(|_| headline.unit == Unit::Ns);
    let late = late.map_or(String::new(), |late| {
        let than =
            limit.map_or(" late".to_string(), |limit| format!(" later than {}", short::figure(limit.0, Unit::Ns)));
        format!(", {}{than}", grouped(late))
    });
    let unseen = alike.iter().fold(0u64, |sum, series| sum.saturating_add(series.unseen));
    let unseen = if unseen > 0 { format!(", {} not seen to their end", grouped(unseen)) } else { String::new() };
    // The table's rows leave out the warm-up, so this count does too.
    let due = |series: &Series| series.due.map(|due| due.saturating_sub(series.warmup));
    match (sum(&|series| series.missed), sum(&due)) {
        (Some(0), Some(due)) if phrase::is_attached(headline) => format!("{} {noun}{late}{unseen}", grouped(due)),
        (Some(missed), Some(due)) => format!("{} of {} {noun} missed{late}{unseen}", grouped(missed), grouped(due)),
        _ => format!("number of missed {noun} unknown{late}"),
    }
}

pub fn noun(series: &Series) -> &'static str {
    match series.from.as_str() {
        "expiry" => "wakeups",
        _ if phrase::is_chain(series) => "instances",
        _ if phrase::is_attached(series) => "wakeups",
        _ => "stimuli",
    }
}
