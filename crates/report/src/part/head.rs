// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of the page: what was measured, and the one figure that a reader looks for first.
use crate::phrase;
use crate::warnings::{Folded, folded};
use crate::{text, verdict};
use backwall_model::units::grouped;
use backwall_model::{Origin, Outcome, Requirement, Run, Series};
use maud::{Markup, html};

pub fn markup(run: &Run) -> Markup {
    html! {
        header {
            p class="brand" { b { "backwall" } " " span { "how late can the response be, and why" } }
            h1 { (phrase::system(run)) " on " (phrase::processor(run)) }
            p class="meta" {
                code { (run.command.join(" ")) }
                " · " (run.started) " · " (format!("{:.1}", run.seconds)) " s · " (badges(run)) " · backwall " (run.version)
            }
        }
        (the_verdict(run))
        @if !run.warnings.is_empty() { (warnings(run)) }
    }
}

fn badges(run: &Run) -> Markup {
    let kind = if run.origin == Origin::Measured { "good" } else { "note" };
    html! {
        span class={ "badge " (kind) } { (phrase::origin(run.origin).split(':').next().unwrap_or_default()) }
        @if !run.valid {
            " " span class="badge bad" { @if run.no_evidence().is_some() { "no evidence" } @else { "in part no evidence" } }
        }
        @if let Some(stretch) = run.unfinished() { " " span class="badge bad" { "unfinished, until " (stretch.until) } }
        @if run.sessions.len() > 1 { " " span class="badge note" { "resumed" } }
        @if let Some(how) = run.ended_early() { " " span class="badge bad" { (how) } }
    }
}

fn the_verdict(run: &Run) -> Markup {
    html! {
        section id="verdict" aria-labelledby="verdict-title" {
            h2 id="verdict-title" { "Verdict" }
            @if let Some(series) = verdict::headline(run).filter(|series| series.max.is_some()) {
                div class="lead" { div { (wall(run, series)) } (why(run)) }
                (tiles(series))
                p class="aside" { (phrase::BACK_WALL) }
            } @else {
                @if let Some((of, value)) = verdict::foremost(run) {
                    p class="wall-of" { (of) }
                    p class="hero" { (quantity(&value)) }
                }
                (why(run))
            }
            p class="paste" { (verdict::sentence(run)) }
        }
    }
}

/// The maximum of the verdict's phase, and whether it is where it must be.
fn wall(run: &Run, series: &Series) -> Markup {
    let samples = grouped(series.done.saturating_sub(series.warmup));
    html! {
        p class="wall-of" { "maximum " (phrase::under_phase(series)) ", of " (samples) (phrase::doubtful(run, &series.key)) }
        p class="hero" {
            (quantity(&phrase::max_value(series).unwrap_or_default()))
            @if let Some(requirement) = decisive(run) { (judged(requirement)) }
        }
    }
}

/// The cause of the worst and what to change about it, with the way to all that was found.
fn why(run: &Run) -> Markup {
    html! {
        @if let Some(cause) = verdict::cause(run) {
            dl class="why" {
                dt { "cause" } dd id="cause" { (cause) " " a href="#blame" { "all causes" } }
                @if let Some(change) = verdict::change(run) { dt { "change" } dd id="change" { @for line in change.lines() { (line) br; } } }
            }
        }
    }
}

/// The requirement that decides: the worst outcome, and among equals one about the maximum.
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

fn tiles(series: &Series) -> Markup {
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::value(value, series.unit));
    let phase = phrase::phase(series);
    let median = series.quantile(0.5).and_then(|quantile| quantile.value);
    let late = phrase::count(series.late);
    let due = phrase::count(series.due);
    html! {
        div class="tiles" {
            (tile("median", &value(median), &phase))
            @if let Some((q, limit)) = phrase::highest_bounded(series) {
                (tile(&format!("{} % of responses within", phrase::percent(q)), &value(Some(limit)), "at 95 % confidence"))
            }
            (tile(phrase::lost_name(series), &phrase::count(series.without_response()), &format!("of {due} due, {late} late")))
        }
    }
}

fn tile(name: &str, value: &str, note: &str) -> Markup {
    html! { div { span { (name) } (quantity(value)) small { (note) } } }
}

/// Each kind once; the others like it behind a fold.
fn warnings(run: &Run) -> Markup {
    html! {
        section id="warnings" class="warnings" aria-labelledby="warnings-title" {
            h2 id="warnings-title" { "Warnings" }
            ul { @for kind in folded(run) { li { (kind.first) (alike(&kind)) } } }
        }
    }
}

fn alike(kind: &Folded<'_>) -> Markup {
    html! {
        @if !kind.others.is_empty() {
            details { summary { (kind.like().trim()) } ul { @for other in &kind.others { li { (other) } } } }
        }
    }
}
