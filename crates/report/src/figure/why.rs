// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why responses were late, per phase: the worst recorded response as a strip, all recorded causes, and what to change.
use super::worst;
use crate::brief;
use crate::phrase;
use crate::section::Section;
use crate::trace::accused;
use crate::trace::cause::remedy;
use crate::trace::remedy::Machine;
use crate::trace::words::share;
use crate::verdict;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Blame, CauseTotal, Run, Series, Stages};
use maud::{Markup, html};
use std::cmp::Reverse;

const INTRO: &str = "The kernel's trace shows what the CPU did from the timer to the thread. Each strip shows one phase's \
    slowest response with a recorded cause; the table counts the causes of all recorded late responses.";

const CHAIN_INTRO: &str = "The kernel's events show who used the time from the start of an instance to its end. Each strip \
    shows the slowest instance of a chain; the table counts the causes of all slow instances.";

const MODES_INTRO: &str =
    "The emulator counts what the CPU executed between the stimulus and the slowest answer, and in which mode.";

/// Number of causes with their own row; the others share one row.
const MOST: usize = 5;

pub fn section(run: &Run) -> Option<Section> {
    let phases = phases(run);
    let body = html! { @for (at, phase) in phases.iter().enumerate() { (one(run, phase, at)) } };
    let are_chains = phases.iter().all(|phase| phase.series.is_some_and(phrase::is_chain));
    let by_mode =
        |phase: &Phase| phase.series.and_then(verdict::own_blame).is_some_and(|one| matches!(one, Blame::Modes(_)));
    let intro = match are_chains {
        true => CHAIN_INTRO,
        false if phases.iter().all(by_mode) => MODES_INTRO,
        false => INTRO,
    };
    (!phases.is_empty()).then(|| Section::new("why", "Why", intro, body))
}

/// What the run recorded about a phase: in its own responses, and in its traced repetition.
struct Phase<'a> {
    series: Option<&'a Series>,
    stages: Option<&'a Stages>,
}

/// The phases with a cause, worst first, including traced phases without a series.
fn phases(run: &Run) -> Vec<Phase<'_>> {
    let traced = |series: &Series| run.stages.iter().find(|stages| stages.key == series.key && has_causes(stages));
    let mut all: Vec<Phase> = run
        .series
        .iter()
        .map(|series| Phase { series: Some(series), stages: traced(series) })
        .filter(|phase| {
            phase.stages.is_some() || phase.series.is_some_and(|series| verdict::own_blame(series).is_some())
        })
        .collect();
    all.sort_by_key(|phase| Reverse(phase.series.and_then(|series| series.max)));
    let is_alone = |stages: &&Stages| has_causes(stages) && !run.series.iter().any(|series| series.key == stages.key);
    all.extend(run.stages.iter().filter(is_alone).map(|stages| Phase { series: None, stages: Some(stages) }));
    all
}

fn has_causes(stages: &Stages) -> bool {
    !stages.causes.is_empty() || phrase::blames(stages).next().is_some()
}

fn one(run: &Run, phase: &Phase, at: usize) -> Markup {
    let key = phase.series.map(|series| &series.key).or(phase.stages.map(|stages| &stages.key));
    let own = phase.series.and_then(|series| Some((verdict::own_blame(series)?, series.max?)));
    let traced = phase.stages.and_then(|stages| {
        let worst = stages.worst.first()?;
        Some((worst.blame.as_ref()?, worst.value))
    });
    let unit = phase.series.map_or(Unit::Ns, |series| series.unit);
    let id = super::numbered("why-strip", at);
    let chain = phase.series.filter(|series| phrase::is_chain(series));
    let ends = chain.map_or(("timer", "thread"), |series| (series.from.as_str(), series.to.as_str()));
    html! {
        @if let Some(key) = key { h3 { (brief::phase_name(run, key)) } }
        @if let Some((blame, value)) = own {
            (strip("The maximum", (blame, value, unit), ends, None, &id))
        } @else if let Some((blame, value)) = traced {
            (strip("The slowest recorded response (the maximum was not recorded)", (blame, value, unit), ends, phase.stages, &id))
        }
        @if let Some(stages) = phase.stages { (causes(stages, &Machine::of_phase(run, &stages.key))) }
    }
}

fn strip(
    what: &str,
    (blame, value, unit): (&Blame, u64, Unit),
    ends: (&str, &str),
    stages: Option<&Stages>,
    id: &str,
) -> Markup {
    let figure = phrase::value(value, unit);
    let figure = if unit == Unit::Ns { brief::short_figure(value, unit) } else { figure };
    html! {
        figure {
            figcaption {
                (what) ": " b { (figure) } ", "
                @if let Blame::Modes(_) = blame { (accused::line(blame, value)) } @else { (accused::label(blame)) }
            }
            @match blame {
                Blame::Shares { shares, .. } => { (worst::draw(shares, value, ends, stages, id)) }
                Blame::Modes(_) => {}
                _ => { p { (accused::line(blame, value)) } }
            }
        }
    }
}

fn causes(stages: &Stages, machine: &Machine) -> Markup {
    let whole: u64 = stages.causes.iter().fold(0, |sum, cause| sum.saturating_add(cause.ns));
    let ranked = accused::without_bystanders(&stages.ranked());
    let (shown, rest) = ranked.split_at(ranked.len().min(MOST));
    let of_rest = rest.iter().fold(0u64, |sum, (cause, _)| sum.saturating_add(cause.ns));
    let time = |ns: u64| DisplayedValue(ns, Unit::Ns).to_string();
    let of = if stages.blamed == 1 { String::new() } else { format!("{} ", grouped(stages.blamed)) };
    html! {
        @if whole > 0 {
            div class="wide" {
                table {
                    thead {
                        tr {
                            th { "cause of the " (of) "slowest recorded" } th class="r" { "largest in" }
                            th class="r" { "time" } th class="r" { "share" } th { "what to change" }
                        }
                    }
                    tbody {
                        @for (cause, meanwhile) in shown {
                            tr {
                                td { (accused::total(cause)) (meanwhile) }
                                td class="r" { (grouped(cause.largest_in)) }
                                td class="r" { (time(cause.ns)) }
                                td class="r" { (share(cause.ns, whole)) }
                                td { (change(cause, machine)) }
                            }
                        }
                        @if of_rest > 0 {
                            tr {
                                td { (grouped(rest.len() as u64)) " more" } td {}
                                td class="r" { (time(of_rest)) } td class="r" { (share(of_rest, whole)) } td {}
                            }
                        }
                    }
                }
            }
        }
        @if phrase::blames(stages).next().is_some() {
            details {
                summary { "The slowest responses, each with its parts" }
                ul { @for sentence in phrase::blames(stages) { li { (sentence) } } }
            }
        }
    }
}

fn change(cause: &CauseTotal, machine: &Machine) -> Markup {
    let text = remedy(cause.accused.cause, cause.accused.culprit.as_ref(), machine);
    let mut lines = text.lines();
    html! {
        (lines.next().unwrap_or_default())
        @for command in lines { br; code { (command) } }
    }
}
