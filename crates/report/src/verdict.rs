// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict: one sentence in plain words, made to be pasted into a ticket.
use super::interference;
use super::osbench;
use super::paper;
use super::phrase;
use super::printable::printable;
use super::tasks;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Extension, Iltiming, NO_LOAD, Origin, RefusedPriority, Run, Series, Stages, Warning};

/// What was measured, how late it was, what was lost, and what may own the maximum.
///
/// The sentence is about [`headline`]; where the same series ran without load, that back wall stands beside it.
pub fn sentence(run: &Run) -> String {
    printable(&whole(run))
}

fn whole(run: &Run) -> String {
    if let Some(found) = osbench::sentence(run).or_else(|| paper::event_sentence(run)) {
        return format!("{}{}: {found}.", caveats(run), conditions(run, None));
    }
    if let Some(found) = tasks::sentence(run).or_else(|| interference::sentence(run)) {
        return format!("{}{}: {found}.", caveats(run), conditions(run, None));
    }
    let Some(series) = headline(run) else {
        return format!("{}{}: nothing was measured.", caveats(run), conditions(run, None));
    };
    let mut parts = vec![lateness(series), losses(series)];
    parts.extend(without_load(run, series));
    parts.extend(others(run, series));
    parts.extend(doubts(run, series));
    format!("{}{}: {}.", caveats(run), conditions(run, Some(series)), parts.join("; "))
}

/// What the verdict is about: the phase under load with the largest value, or without load where there was none; of the
/// thread where its interrupt was timed too (the interrupt timing analysis, timerlat), of the lab's lines the one with the largest, of a set of tasks the responses of the
/// task that came nearest to its deadline, else of the first series. A phase without evidence comes behind all others.
pub fn headline(run: &Run) -> Option<&Series> {
    if osbench::is_of(run) || interference::of(run).is_some() || paper::is_of_events(run) {
        return None; // of many operations or cases none stands for the others
    }
    if let Some(set) = tasks::of(run) {
        return tasks::worst(run, set);
    }
    let awaited = match run.plan.extension {
        Extension::Iltiming(_) => Some(Iltiming::IST),
        Extension::Import(_) => Some("wakeup"),
        _ => None,
    };
    if let Extension::Lab(_) = run.plan.extension {
        let begun = run.series.iter().filter(|series| !series.completes());
        return begun.max_by_key(|series| series.max); // whichever line answers last
    }
    let thread = |series: &&Series| awaited.is_some_and(|name| series.key.name == name);
    let first = run.series.iter().find(thread).or(run.series.first())?;
    let same = run.series.iter().filter(|series| series.key.name == first.key.name && series.unit == first.unit);
    let sound = |series: &Series| run.no_evidence_of(&series.key).is_none();
    same.max_by_key(|series| (sound(series), series.key.load != NO_LOAD, series.max)).or(Some(first))
}

/// The figure that a reader looks for first, where no series stands for the others: what it is of, and its value.
pub(super) fn foremost(run: &Run) -> Option<(String, String)> {
    osbench::slowest(run).or_else(|| interference::decided(run)).or_else(|| paper::event_foremost(run))
}

/// What a reader must know before any figure.
pub(super) fn caveats(run: &Run) -> String {
    let mut text = reservations(run);
    if let Some(stretch) = run.unfinished() {
        text.push_str(&format!("unfinished, until {} ({}): ", stretch.until, phrase::measured(run)));
    } else if let Some(how) = run.ended_early() {
        text.push_str(&format!("{how} after {:.0} s: ", run.seconds));
    }
    if run.origin != Origin::Measured {
        text.push_str(&format!("{}: ", phrase::origin(run.origin)));
    }
    text
}

/// Why the figures are not what was asked for; empty where they are.
pub(super) fn reservations(run: &Run) -> String {
    let mut text = String::new();
    let lost = run.warnings.iter().find(|warning| warning.kind == Warning::TRACE_LOST);
    if let Some(Warning { text: said, .. }) = lost {
        text.push_str(&format!("TRACE INCOMPLETE, {said}: "));
    }
    if let Some(spoiled) = run.spoiled_line() {
        text.push_str(&format!("NO EVIDENCE {spoiled}: "));
    }
    if let Some(RefusedPriority { priority: refused_priority, remedy, .. }) = &run.refused_priority {
        text.push_str(&format!("ORDINARY PRIORITY, for real-time {refused_priority} is refused here ({remedy}): "));
    }
    text
}

/// The system and the setting of the headline.
pub(super) fn conditions_of(run: &Run) -> String {
    conditions(run, headline(run))
}

fn conditions(run: &Run, series: Option<&Series>) -> String {
    let mut parts = vec![format!("{} on {}", phrase::system(run), phrase::processor(run))];
    parts.extend(series.map(phrase::from_to));
    parts.extend(phrase::processors(&run.plan));
    parts.extend(phrase::priority(run));
    let period = run.plan.period_ns.filter(|_| series.is_some());
    parts.extend(period.map(|period| format!("every {}", period_text(period.0))));
    parts.join(", ")
}

/// A period as it is typed: `1 ms`, `200 us`, `1.5 ms`.
fn period_text(period_ns: u64) -> String {
    let (unit_ns, unit) = if period_ns >= 1_000_000 { (1e6, "ms") } else { (1e3, "us") };
    format!("{} {unit}", period_ns as f64 / unit_ns)
}

/// The back wall, and how late the largest share of responses is that the samples bound at 95 % confidence.
pub(super) fn lateness(series: &Series) -> String {
    let Some(max) = phrase::max_value(series) else {
        return format!("no response at all {}", phrase::under_phase(series));
    };
    let wall = format!(
        "back wall (largest of {}) {max} {}",
        grouped(series.done.saturating_sub(series.warmup)),
        phrase::under_phase(series)
    );
    limit(series).map_or(wall.clone(), |limit| format!("{wall}; {limit}"))
}

/// How late the largest share of responses is that the samples bound at 95 % confidence.
fn limit(series: &Series) -> Option<String> {
    let (q, limit) = phrase::highest_bounded(series)?;
    let (share, limit) = (phrase::percent(q), phrase::value(limit, series.unit));
    Some(format!("{share} % of responses within {limit} at 95 % confidence"))
}

/// How many were lost and late.
pub(super) fn losses(series: &Series) -> String {
    if phrase::is_attached(series) {
        return unseen(series);
    }
    let stimuli = if series.from == "expiry" { "releases" } else { "stimuli" };
    let late = match series.late {
        None | Some(0) => String::new(),
        Some(late) => format!(", {} late", grouped(late)),
    };
    match series.missed.zip(series.due) {
        Some((lost, due)) => format!("{} of {} {stimuli} missed{late}", grouped(lost), grouped(due)),
        None => format!("how many {stimuli} were missed is not known{late}"),
    }
}

/// Of a thread that was attached to nothing was lost: the trace did not show how some of its wake-ups ended.
fn unseen(series: &Series) -> String {
    let late = series.late.filter(|late| *late > 0).map_or(String::new(), |late| format!(", {} late", grouped(late)));
    let (unseen, due) = (grouped(series.unseen), phrase::count(series.due));
    format!("{unseen} of {due} wake-ups not seen to their end{late}")
}

/// The largest of all phases, where it is not that of the headline; it may own less of the load, but it was that late.
pub(super) fn larger(run: &Run, headline: &Series) -> Option<String> {
    let alike = |series: &&Series| series.key.name == headline.key.name && series.unit == headline.unit;
    let largest =
        run.series.iter().filter(alike).filter(|series| series.max > headline.max).max_by_key(|series| series.max)?;
    let doubt = phrase::doubtful(run, &largest.key);
    let value = phrase::value(largest.max?, largest.unit);
    Some(format!("larger still: {value} {}{doubt}", phrase::under_phase(largest)))
}

/// The traced phase that says why the headline was late: its own, one of the same load, or any other that was traced.
pub(super) fn explained(run: &Run) -> Option<&Stages> {
    let blamed = |stages: &&Stages| !stages.causes.is_empty();
    let key = headline(run).map(|series| &series.key);
    let same = |stages: &&Stages| key.is_some_and(|key| stages.key.load == key.load && stages.key.idle == key.idle);
    let own = |stages: &&Stages| Some(&stages.key) == key;
    let found = |which: &dyn Fn(&&Stages) -> bool| run.stages.iter().filter(blamed).find(which);
    found(&own).or_else(|| found(&same)).or_else(|| found(&|_| true))
}

/// The first cause of the worst responses of that phase, and its share of their time.
pub(super) fn cause(run: &Run) -> Option<String> {
    let stages = explained(run)?;
    let (what, share) = phrase::top_cause(stages)?;
    let whose = if tasks::of(run).is_some() { "missed jobs" } else { "worst" };
    let of = grouped(stages.blamed);
    Some(format!("{what}: {share:.0} % of the {of} {whose}, {}", phrase::phase_of(&stages.key)))
}

/// What to change about it.
pub(super) fn change(run: &Run) -> Option<&str> {
    phrase::advice(explained(run)?)
}

/// The same series in the phases without load, where the headline is under load.
fn without_load(run: &Run, headline: &Series) -> Option<String> {
    if headline.key.load == NO_LOAD {
        return None;
    }
    let alike = |series: &&Series| series.key.name == headline.key.name && series.unit == headline.unit;
    let quiet = run.series.iter().filter(alike).filter(|series| series.key.load == NO_LOAD);
    let max = quiet.filter_map(|series| series.max).max()?;
    Some(format!("back wall {} without load", phrase::value(max, headline.unit)))
}

/// More responses than this are in the table only.
const MOST_OTHERS: usize = 3;

/// The back walls of the other responses to the same stimuli, in the same phase.
fn others(run: &Run, headline: &Series) -> Vec<String> {
    let beside = |series: &&Series| {
        series.key.name != headline.key.name && series.key.beside(&headline.key) && series.from == headline.from
    };
    let others: Vec<&Series> = run.series.iter().filter(beside).collect();
    if others.len() > MOST_OTHERS {
        return Vec::new();
    }
    let wall = |series: &&Series| {
        let lost = match series.known_missed() {
            0 => String::new(),
            lost => format!(" with {} missed", grouped(lost)),
        };
        Some(format!("{} back wall {}{lost}", phrase::from_to(series), phrase::value(series.max?, series.unit)))
    };
    others.iter().filter_map(wall).collect()
}

/// No hole of throttling or of a fair server is shorter than this, unless someone set it so.
const HOLE_NS: u64 = 40_000_000;

/// What else may own the maximum.
fn doubts(run: &Run, series: &Series) -> Vec<String> {
    let mut doubts = Vec::new();
    if run.environment.steal_ticks > 0 {
        doubts.push(phrase::steal(run.environment.steal_ticks));
    }
    let as_long = series.unit == Unit::Ns && series.max.is_some_and(|max| max >= HOLE_NS);
    if run.environment.throttled && as_long {
        doubts.push("real-time throttling or a fair server was active and may own it too".into());
    }
    doubts
}
