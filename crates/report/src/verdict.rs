// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict: one sentence in plain words that can be pasted into a ticket.
use super::axis::short_time;
use super::interference;
use super::osbench;
use super::paper;
use super::phrase;
use super::printable::printable;
use super::tasks;
use super::trace::{accused, cause, remedy};
use backwall_model::units::{Unit, grouped};
use backwall_model::{
    Blame, Cause, Extension, Iltiming, NO_LOAD, Origin, RefusedPriority, Run, Series, Stages, Warning,
};

/// What was measured, how late it was, what was lost, and what may have caused the maximum.
///
/// The sentence is about [`headline`]; it adds the maximum of the idle phases, or of the loaded ones.
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
    parts.extend(other_phases(run, series));
    parts.extend(others(run, series));
    parts.extend(doubts(run, series));
    format!("{}{}: {}.", caveats(run), conditions(run, Some(series)), parts.join("; "))
}

/// The series of the verdict: for a task set the one nearest to its deadline, for the lab the line with the largest maximum. For
/// interrupt timing analysis and imports it is the thread's series, for other runs the first series. Of its phases, the one with
/// the largest maximum counts; invalid phases come last.
pub fn headline(run: &Run) -> Option<&Series> {
    if let Some(chosen) = chosen(run) {
        return chosen;
    }
    let first = first(run)?;
    let sound = |series: &Series| run.no_evidence_of(&series.key).is_none();
    let alike = run.series.iter().filter(|series| is_alike(series, first));
    alike.max_by_key(|series| (sound(series), series.max)).or(Some(first))
}

/// As [`headline`], but prefers a loaded phase; used to compare runs of one device.
pub fn loaded(run: &Run) -> Option<&Series> {
    if let Some(chosen) = chosen(run) {
        return chosen;
    }
    let first = first(run)?;
    let sound = |series: &Series| run.no_evidence_of(&series.key).is_none();
    let alike = run.series.iter().filter(|series| is_alike(series, first));
    alike.max_by_key(|series| (sound(series), series.key.load != NO_LOAD, series.max)).or(Some(first))
}

pub(super) fn is_alike(series: &Series, other: &Series) -> bool {
    series.key.name == other.key.name && series.unit == other.unit
}

/// The series that this kind of run prescribes. The inner `None` means that no single series represents the run.
fn chosen(run: &Run) -> Option<Option<&Series>> {
    if osbench::is_of(run) || interference::of(run).is_some() || paper::is_of_events(run) {
        return Some(None); // with many operations or cases, no single series represents the run
    }
    if let Some(set) = tasks::of(run) {
        return Some(tasks::worst(run, set));
    }
    if let Extension::Lab(_) = run.plan.extension {
        let begun = run.series.iter().filter(|series| !series.completes());
        return Some(begun.max_by_key(|series| series.max)); // the line with the largest maximum
    }
    None
}

fn first(run: &Run) -> Option<&Series> {
    let awaited: &[&str] = match run.plan.extension {
        Extension::Iltiming(_) => &[Iltiming::IST],
        // A thread of timerlat -u is late until it is back in user space.
        Extension::Import(_) => &["user", "wakeup"],
        _ => &[],
    };
    let named = |name: &&str| run.series.iter().find(|series| series.key.name == **name && series.done > 0);
    awaited
        .iter()
        .find_map(named)
        .or_else(|| run.series.iter().find(|series| awaited.contains(&&*series.key.name)))
        .or(run.series.first())
}

/// The most important figure, as subject and value, if no series represents the others.
pub(super) fn foremost(run: &Run) -> Option<(String, String)> {
    osbench::slowest(run).or_else(|| interference::decided(run)).or_else(|| paper::event_foremost(run))
}

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

/// Why the figures differ from the request; empty if they do not.
pub(super) fn reservations(run: &Run) -> String {
    let mut text = String::new();
    if let Some(Warning { text: said, .. }) = lost(run) {
        text.push_str(&format!("TRACE INCOMPLETE, {said}: "));
    }
    if let Some(spoiled) = run.spoiled_line() {
        text.push_str(&format!("NO EVIDENCE {spoiled}: "));
    }
    if let Some(RefusedPriority { priority: refused_priority, remedy, .. }) = &run.refused_priority {
        text.push_str(&format!("ORDINARY PRIORITY: real-time {refused_priority} was refused ({remedy}): "));
    }
    text
}

/// Settings and system in one line of `columns`. The origin precedes them, unless the run was measured. Parts are dropped from
/// the end, beginning with the kernel's suffix.
pub(super) fn conditions_within(run: &Run, columns: usize) -> String {
    let joined = |parts: &[String]| parts.join(", ");
    let fits = |parts: &[String]| joined(parts).chars().count() <= columns;
    let mut parts = conditions_of(run, &phrase::system(run));
    if !fits(&parts) {
        parts = conditions_of(run, &phrase::short_system(run));
    }
    while !fits(&parts) && parts.len() > 1 {
        parts.pop();
    }
    joined(&parts)
}

fn conditions_of(run: &Run, system: &str) -> Vec<String> {
    let series = headline(run);
    let mut parts: Vec<String> = Vec::new();
    if run.origin != Origin::Measured {
        parts.push(phrase::origin(run.origin).to_string());
    }
    parts.extend(phrase::processors(&run.plan));
    parts.extend(phrase::priority(run));
    let period = run.plan.period_ns.filter(|_| series.is_some());
    parts.extend(period.map(|period| format!("every {}", period_text(period.0))));
    let phase = run.plan.phase_ns.filter(|_| run.plan.extension == Extension::Run && run.series.len() > 1);
    parts.extend(phase.map(|phase| format!("{} a phase", short_time(phase.0 as f64))));
    if !run.device.kernel.is_empty() {
        parts.push(system.to_string());
    }
    let is_virtual = remedy::Machine::of(run).is_virtual;
    let name = if is_virtual { "vCPU" } else { "CPU" };
    match run.device.cpus {
        0 => {}
        1 => parts.push(format!("1 {name}")),
        several => parts.push(format!("{several} {name}s")),
    }
    if run.warnings.iter().any(|warning| warning.kind == Warning::RECORDER_ON) {
        parts.push("recorder on".to_string());
    }
    parts
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

/// A period in the form a user types: `1 ms`, `200 us`, `1.5 ms`.
fn period_text(period_ns: u64) -> String {
    let (unit_ns, unit) = if period_ns >= 1_000_000 { (1e6, "ms") } else { (1e3, "us") };
    format!("{} {unit}", period_ns as f64 / unit_ns)
}

/// The maximum, and the largest share of responses with a proven latency limit.
pub(super) fn lateness(series: &Series) -> String {
    let Some(max) = phrase::max_value(series) else {
        let place = phrase::under_phase(series);
        let quiet = |threshold| format!("nothing above {}{place}", phrase::value(threshold, series.unit));
        return series.threshold.map_or_else(|| format!("no response at all{place}"), quiet);
    };
    let wall = format!(
        "maximum {max}{} (of {})",
        phrase::under_phase(series),
        grouped(series.done.saturating_sub(series.warmup))
    );
    limit(series).map_or(wall.clone(), |limit| format!("{wall}; {limit}"))
}

/// The largest share of the responses for which a latency limit is proven at 95 % confidence, and this limit.
fn limit(series: &Series) -> Option<String> {
    let (q, limit) = phrase::highest_bounded(series)?;
    let (share, limit) = (phrase::percent(q), phrase::value(limit, series.unit));
    Some(format!("{share} % of responses within {limit} at 95 % confidence"))
}

pub(super) fn losses(series: &Series) -> String {
    if phrase::is_attached(series) {
        return unseen(series);
    }
    let stimuli = if series.from == "expiry" { "wakeups" } else { "stimuli" };
    let late = match series.late {
        None | Some(0) => String::new(),
        Some(late) => format!(", {} late", grouped(late)),
    };
    match series.missed.zip(series.due) {
        Some((lost, due)) => format!("{} of {} {stimuli} missed{late}", grouped(lost), grouped(due)),
        None => format!("number of missed {stimuli} unknown{late}"),
    }
}

/// An attached thread has unseen wakeups, but no missed ones: the trace does not show how some wakeups end.
fn unseen(series: &Series) -> String {
    let late = series.late.filter(|late| *late > 0).map_or(String::new(), |late| format!(", {} late", grouped(late)));
    let (unseen, due) = (grouped(series.unseen), phrase::count(series.due));
    format!("the end of {unseen} of {due} wakeups was not seen{late}")
}

pub(super) fn explained(run: &Run) -> Option<&Stages> {
    let blamed = |stages: &&Stages| !stages.causes.is_empty();
    let key = headline(run).map(|series| &series.key);
    let same = |stages: &&Stages| key.is_some_and(|key| stages.key.load == key.load && stages.key.idle == key.idle);
    let own = |stages: &&Stages| Some(&stages.key) == key;
    let found = |which: &dyn Fn(&&Stages) -> bool| run.stages.iter().filter(blamed).find(which);
    found(&own).or_else(|| found(&same)).or_else(|| found(&|_| true))
}

/// Instead of a cause, if the response is invalid: who delayed it is no more certain than the response.
pub(super) const NO_CULPRIT: &str = "no culprit is named";

/// The cause of the headline's maximum if recorded; otherwise the main cause of the worst recorded responses, with their phase.
pub(super) fn cause(run: &Run) -> Option<String> {
    let series = headline(run);
    let found = series.and_then(|series| recorded(run, series)).or_else(|| recorded_cause(run))?;
    let is_invalid = series.is_some_and(|series| run.no_evidence_of(&series.key).is_some());
    Some(if is_invalid { NO_CULPRIT.to_string() } else { found })
}

pub(super) fn recorded(run: &Run, series: &Series) -> Option<String> {
    match counted(run, series) {
        Some(counted) => Some(counted.text.clone()),
        None => {
            let remark = remedy::Machine::of_phase(run, &series.key).idle_remark();
            Some(accused::short_on(own_blame(series)?, series.max?, remark))
        }
    }
}

pub(super) fn own_blame(series: &Series) -> Option<&Blame> {
    let first = series.worst.iter().find(|worst| Some(worst.value) == series.max && worst.blame.is_some());
    first.and_then(|worst| worst.blame.as_ref())
}

fn recorded_cause(run: &Run) -> Option<String> {
    let stages = explained(run)?;
    let top = phrase::top_cause(stages)?;
    let whose = if tasks::of(run).is_some() { "missed jobs" } else { "worst recorded" };
    let (count, of) = (grouped(top.largest_in), grouped(stages.blamed));
    let unrecorded = if tasks::of(run).is_some() { "" } else { "not recorded; " };
    Some(format!("{unrecorded}{count} of the {of} {whose}, {}: {}", phrase::phase_of(&stages.key), accused::total(top)))
}

/// The first fix for this machine, or a note that none is needed because nothing was late.
pub(super) fn change(run: &Run) -> Option<String> {
    changes(run).into_iter().next().map(|change| change.text)
}

/// A fix. If the maximum and the majority of the late responses have different causes, `of` says which responses it is for.
pub(super) struct Change {
    pub of: &'static str,
    pub text: String,
}

const OF_ALL: &str = "";
const OF_MAXIMUM: &str = "for the maximum: ";
const OF_MOST: &str = "for most late responses: ";

/// The fix for the cause of the maximum, then the fix for the cause of the majority of the late responses.
pub(super) fn changes(run: &Run) -> Vec<Change> {
    // The user must repeat an invalid run, or finish an unfinished one, before changing anything.
    if !run.valid || is_resumable(run) {
        return Vec::new();
    }
    let one = |text: String| vec![Change { of: OF_ALL, text }];
    if is_fine(run) {
        return one("no late response; nothing to change".to_string());
    }
    let series = headline(run);
    let machine = series.map_or_else(|| remedy::Machine::of(run), |series| remedy::Machine::of_phase(run, &series.key));
    if let Some(counted) = series.and_then(|series| counted(run, series)) {
        return one(remedy::counted(counted, &machine));
    }
    let maximum = series.and_then(own_blame).and_then(accused::main_share);
    let stages = explained(run);
    let most = stages.and_then(|stages| accused::by_label(stages).into_iter().next());
    let of_maximum = maximum.map(|share| cause::remedy(share.cause, share.culprit.as_ref(), &machine));
    let of_most = most.as_ref().map(|most| cause::remedy(most.accused.cause, most.accused.culprit.as_ref(), &machine));
    let is_other = maximum.zip(most.as_ref()).is_some_and(|(share, most)| accused::label_of_share(share) != most.label);
    if !is_other {
        return of_maximum.or(of_most).map_or(Vec::new(), one);
    }
    let is_most = stages.is_some_and(|stages| {
        let mended = accused::by_label(stages).into_iter().filter(|one| {
            let fix = cause::remedy(one.accused.cause, one.accused.culprit.as_ref(), &machine);
            of_most.as_deref().is_some_and(|most| remedy::is_same(most, &fix))
        });
        mended.fold(0u64, |sum, one| sum.saturating_add(one.largest_in)).saturating_mul(2) >= stages.blamed
    });
    apart(of_maximum, of_most.filter(|_| is_most))
}

/// Two fixes, each with the responses that it is for. If both say the same, one is left out.
fn apart(of_maximum: Option<String>, of_most: Option<String>) -> Vec<Change> {
    let labelled = [(OF_MAXIMUM, of_maximum), (OF_MOST, of_most)];
    let mut all: Vec<Change> = labelled.into_iter().filter_map(|(of, text)| Some(Change { of, text: text? })).collect();
    let is_told = |one: &Change, other: &Change| one.text.starts_with(&other.text) || other.text.starts_with(&one.text);
    if all.len() == 2 && is_told(&all[0], &all[1]) {
        all.truncate(1);
        all[0].of = OF_ALL;
    }
    all
}

/// Whether a `backwall run` found nothing late: nothing missed, and the maximum within the deadline, or within a tenth of the
/// period if there is no deadline.
pub(super) fn is_fine(run: &Run) -> bool {
    let Some(first) = headline(run).filter(|_| run.plan.extension == Extension::Run && run.valid && !run.interrupted)
    else {
        return false;
    };
    let limit = run.plan.deadline_ns.map(|deadline| deadline.0).or(run.plan.period_ns.map(|period| period.0 / 10));
    let is_in_time = |series: &Series| {
        let late = series.without_response() != Some(0) || series.late.is_some_and(|late| late > 0);
        !late && series.max.zip(limit).is_some_and(|(max, limit)| max <= limit)
    };
    first.unit == Unit::Ns && run.series.iter().filter(|series| is_alike(series, first)).all(is_in_time)
}

/// Whether the run was cut off, and its command can finish it. The settings of the machine are stored at the end.
pub(super) fn is_resumable(run: &Run) -> bool {
    run.unfinished().is_some() && run.resume_command("").is_some()
}

/// What the kernel's own counters say about a maximum that began before the recording.
pub(super) fn counted<'a>(run: &'a Run, series: &Series) -> Option<&'a Warning> {
    own_blame(series).and_then(accused::main_cause).filter(|cause| *cause == Cause::Unexplained)?;
    let of = |kind| run.warnings.iter().find(|warning| warning.kind == kind);
    of(Warning::THROTTLED).or_else(|| of(Warning::RUN_DELAY))
}

pub(super) fn lost(run: &Run) -> Option<&Warning> {
    run.warnings.iter().find(|warning| warning.kind == Warning::TRACE_LOST)
}

pub(super) fn unrecorded(run: &Run) -> Option<&str> {
    run.warnings.iter().find(|warning| warning.kind == Warning::UNRECORDED).map(|warning| warning.text.as_str())
}

/// The maximum of the same series in idle phases if the headline is loaded, otherwise in loaded phases.
fn other_phases(run: &Run, headline: &Series) -> Option<String> {
    let quiet = |series: &Series| series.key.load == NO_LOAD;
    let others = run.series.iter().filter(|series| is_alike(series, headline) && quiet(series) != quiet(headline));
    let worst = others.filter(|series| series.max.is_some()).max_by_key(|series| series.max)?;
    Some(format!("maximum {}{}", phrase::value(worst.max?, headline.unit), phrase::under_phase(worst)))
}

const MOST_OTHERS: usize = 3;

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
        Some(format!("{} maximum {}{lost}", phrase::from_to(series), phrase::value(series.max?, series.unit)))
    };
    others.iter().filter_map(wall).collect()
}

/// If throttling or a fair server pauses a thread, the pause is at least this long with the default settings.
const HOLE_NS: u64 = 40_000_000;

fn doubts(run: &Run, series: &Series) -> Vec<String> {
    let mut doubts = Vec::new();
    if run.environment.steal_ticks > 0 {
        doubts.push(phrase::steal(run.environment.steal_ticks));
    }
    let as_long = series.unit == Unit::Ns && series.max.is_some_and(|max| max >= HOLE_NS);
    if run.environment.throttled && as_long {
        doubts.push("real-time throttling or a fair server was active and may also have caused the maximum".into());
    }
    doubts
}
