// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of the page: what was measured, and the verdict with the maximum, its cause and what to change.
use crate::brief;
use crate::phrase;
use crate::section::Section;
use crate::term::term;
use crate::warnings::{Folded, folded};
use crate::{tasks, text, verdict};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Origin, Outcome, Requirement, Run, Series};
use maud::{Markup, html};

pub fn markup(run: &Run) -> Markup {
    html! {
        header {
            p class="brand" { b { "backwall" } " " span { "how late can the response be, and why" } }
            h1 { (title(run)) " on " (phrase::system(run)) }
            p class="meta" { (phrase::processor(run)) }
            p class="meta" {
                code { (phrase::typed(run)) }
                " · " (run.started) " · " (format!("{:.1}", run.seconds)) " s · " (badges(run)) " · backwall " (run.version)
            }
        }
        (the_verdict(run))
    }
}

/// The request in the words of the command: `run`, `watch jack`.
pub fn title(run: &Run) -> String {
    let plain = |word: &&String| !word.starts_with('-');
    let named: Vec<&str> = run.command.iter().skip(1).take_while(plain).take(3).map(String::as_str).collect();
    if named.is_empty() { "run".to_string() } else { named.join(" ") }
}

fn badges(run: &Run) -> Markup {
    let kind = if run.origin == Origin::Measured { "good" } else { "note" };
    html! {
        span class={ "badge " (kind) } { (phrase::origin(run.origin).split(':').next().unwrap_or_default()) }
        @if !run.valid {
            " " span class="badge bad" { @if run.no_evidence().is_some() { "no evidence" } @else { "partly no evidence" } }
        }
        @if let Some(stretch) = run.unfinished() { " " span class="badge bad" { "unfinished, until " (stretch.until) } }
        @if run.sessions.len() > 1 { " " span class="badge note" { (interruption(run)) } }
        @if let Some(how) = run.ended_early() { " " span class="badge bad" { (how) } }
    }
}

/// A watch begins a new session with each new thread; any other run only if it was resumed.
fn interruption(run: &Run) -> &'static str {
    if run.series.iter().any(phrase::is_attached) { "with gaps" } else { "resumed" }
}

fn the_verdict(run: &Run) -> Markup {
    html! {
        section id="verdict" aria-labelledby="verdict-title" {
            h2 id="verdict-title" { "Verdict" }
            @for text in brief::reservations(run) { p class="reservation" { (text) } }
            @if run.invalid.len() > 1 { p class="reservation" { a href="#warnings" { "every reason" } } }
            @if let Some(series) = verdict::headline(run).filter(|series| series.max.is_some()) {
                div class="lead" { div { (wall(run, series)) } (why(run)) }
                (tiles(series, tasks::of(run).is_some()))
            } @else {
                @if let Some((of, value)) = verdict::foremost(run) {
                    p class="wall-of" { (of) }
                    p class="hero" { (quantity(&value)) }
                }
                (why(run))
            }
            details { summary { "In one sentence, to paste" } p class="paste" { (verdict::sentence(run)) } }
        }
    }
}

fn wall(run: &Run, series: &Series) -> Markup {
    let samples = grouped(series.done.saturating_sub(series.warmup));
    // The largest response of one task says nothing about the deadlines of all.
    if let Some((missed, whose)) = tasks::headline(run) {
        return html! {
            p class="wall-of" { "deadlines missed" (whose) }
            p class="hero" { (quantity(&missed)) @if let Some(requirement) = decisive(run) { (judged(requirement)) } }
        };
    }
    html! {
        p class="wall-of" { (term("maximum")) (phrase::under_phase(series)) ", of " (samples) (phrase::doubtful(run, &series.key)) }
        p class="hero" {
            (quantity(&most(series)))
            @if let Some(requirement) = decisive(run) { (judged(requirement)) }
        }
    }
}

/// Formats the maximum as in the rows, where instructions have no unit.
fn most(series: &Series) -> String {
    match series.unit {
        Unit::Ns => brief::phase_cells(series).pop().unwrap_or_default(),
        Unit::Instructions => phrase::max_value(series).unwrap_or_default(),
    }
}

/// The cause of the worst response and what to change about it, with a link to all causes found.
fn why(run: &Run) -> Markup {
    html! {
        @if let Some(untold) = untold(run) {
            dl class="why" { dt { "cause" } dd id="cause" { (untold.trim_start_matches("cause ")) } }
        } @else if let Some(cause) = verdict::cause(run) {
            dl class="why" {
                dt { "cause" } dd id="cause" { (cause) " " @if has_causes(run) { a href="#why" { "all causes" } } }
                @if let Some(change) = verdict::change(run) { dt { "fix" } dd id="change" { (fix(&change)) } }
            }
        }
    }
}

/// Why the verdict names no culprit, in the words of the first screen; `None` if it names one.
fn untold(run: &Run) -> Option<String> {
    let series = verdict::headline(run)?;
    let names_one = run.no_evidence_of(&series.key).is_none() && verdict::cause(run).is_some();
    if names_one { None } else { brief::cause(run, series) }
}

fn has_causes(run: &Run) -> bool {
    run.stages.iter().any(|stages| !stages.causes.is_empty())
        || run.series.iter().any(|one| verdict::own_blame(one).is_some())
}

/// The sentence, and its commands ready to copy.
fn fix(change: &str) -> Markup {
    let mut lines = change.lines();
    html! { (lines.next().unwrap_or_default()) @if lines.next().is_some() { " " a href="#next" { "commands" } } }
}

/// The requirement that decides: the one with the worst outcome; among equals, one about the maximum.
fn decisive(run: &Run) -> Option<&Requirement> {
    let severity = |outcome| match outcome {
        Outcome::Pass => 0,
        Outcome::Undecided => 1,
        Outcome::Fail => 2,
    };
    let about_wall = |requirement: &Requirement| requirement.text.contains("max");
    run.requirements.iter().max_by_key(|requirement| (severity(requirement.outcome), about_wall(requirement)))
}

fn judged(requirement: &Requirement) -> Markup {
    let kind = match requirement.outcome {
        Outcome::Pass => "good",
        Outcome::Fail => "bad",
        Outcome::Undecided => "note",
    };
    html! { " " span class={ "badge " (kind) } { (text::outcome(requirement.outcome)) } " " code { (requirement.text) } }
}

fn quantity(value: &str) -> Markup {
    let (figure, unit) = value.split_once(' ').unwrap_or((value, ""));
    html! { b { (figure) " " i { (unit) } } }
}

fn tiles(series: &Series, with_maximum: bool) -> Markup {
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::value(value, series.unit));
    let phase = phrase::phase(series);
    let median = series.quantile(0.5).and_then(|quantile| quantile.value);
    let late = phrase::count(series.late);
    let due = phrase::count(series.due.map(|due| due.saturating_sub(series.warmup)));
    html! {
        div class="tiles" {
            @if with_maximum { (tile(term("maximum"), &most(series), &phase)) }
            (tile(html! { "median" }, &value(median), &phase))
            @if let Some((q, limit)) = phrase::highest_bounded(series) {
                (tile(html! { (phrase::percent(q)) " % of responses within" }, &value(Some(limit)), "at 95 % confidence"))
            }
            (tile(term(phrase::lost_name(series)), &phrase::count(series.without_response()), &format!("of {due} due, {late} late")))
        }
    }
}

fn tile(name: Markup, value: &str, note: &str) -> Markup {
    html! { div { span { (name) } (quantity(value)) small { (note) } } }
}

/// Shows each kind of warning once; similar warnings are folded below it.
pub fn warnings(run: &Run) -> Option<Section> {
    let kinds = folded(run);
    let title = format!("Warnings ({})", grouped(kinds.len() as u64));
    let list = html! { ul class="warnings" { @for kind in &kinds { li { (kind.first) (alike(kind)) } } } };
    (!kinds.is_empty()).then(|| Section::new("warnings", title, "", list).folded())
}

fn alike(kind: &Folded<'_>) -> Markup {
    html! {
        @if !kind.others.is_empty() {
            details { summary { (kind.like().trim()) } ul { @for other in &kind.others { li { (other) } } } }
        }
    }
}
