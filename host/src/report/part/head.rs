// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of the page: what was measured, the verdict, the figures one looks for first.
use crate::report::phrase;
use crate::report::verdict;
use crate::run::{Origin, Run, Series};
use crate::units::grouped;
use maud::{Markup, html};

/// Title line, verdict, tiles, warnings.
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
        @if let Some(series) = verdict::headline(run).filter(|series| series.max.is_some()) { (tiles(series)) }
        @if !run.warnings.is_empty() { (warnings(run)) }
    }
}

fn badges(run: &Run) -> Markup {
    let kind = if run.origin == Origin::Measured { "good" } else { "note" };
    html! {
        span class={ "badge " (kind) } { (phrase::origin(run.origin)) }
        @if !run.evidence { " " span class="badge bad" { "no evidence" } }
        @if run.interrupted { " " span class="badge bad" { "interrupted" } }
    }
}

fn the_verdict(run: &Run) -> Markup {
    html! {
        section id="verdict" aria-labelledby="verdict-title" {
            h2 id="verdict-title" { "Verdict" }
            p class="paste" { (verdict::sentence(run)) }
            p class="aside" { (phrase::BACK_WALL) }
        }
    }
}

/// The figures of the phase the verdict is about.
fn tiles(series: &Series) -> Markup {
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::value(value, series.unit));
    let phase = phrase::phase(series);
    let median = phrase::quantile(series, 0.5).and_then(|quantile| quantile.value);
    let (late, samples) = (grouped(series.late), grouped(series.done.saturating_sub(series.warmup)));
    html! {
        div class="tiles" {
            (tile("median", &value(median), &phase))
            @if let Some((quantile, figure)) = phrase::highest_quantile(series) {
                @let name = format!("{} % of responses within", phrase::percent(quantile.q));
                (tile(&name, &value(Some(figure)), &limit(quantile.high, series)))
            }
            (tile("back wall", &value(series.max), &format!("largest of {samples}, {phase}")))
            (tile("lost", &grouped(series.lost), &format!("of {} due, {late} late", grouped(series.due))))
        }
    }
}

fn limit(high: Option<u64>, series: &Series) -> String {
    high.map_or("not bounded by these samples".to_string(), |high| {
        format!("at most {} at 95 % confidence", phrase::value(high, series.unit))
    })
}

/// The unit stands smaller than the figure.
fn tile(name: &str, value: &str, note: &str) -> Markup {
    let (figure, unit) = value.split_once(' ').unwrap_or((value, ""));
    html! { div { span { (name) } b { (figure) " " i { (unit) } } small { (note) } } }
}

fn warnings(run: &Run) -> Markup {
    html! {
        section id="warnings" class="warnings" aria-labelledby="warnings-title" {
            h2 id="warnings-title" { "Warnings" }
            ul { @for warning in &run.warnings { li { (warning) } } }
        }
    }
}
