// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of a response: where its time goes on average and in the worst case.
use crate::drawing::{Anchor, Drawing, swatch};
use crate::phrase;
use crate::plot::WIDTH;
use crate::section::Section;
use crate::wrap::cut;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Run, Stage, Stages};
use backwall_trace::chain::tally::SERIES as CHAIN;
use maud::{Markup, html};

const INTRO: &str = "From the stimulus to the first instruction of the thread, every response passes these stages in \
     turn. All bars have the same width: each phase has one for its mean response and one for its worst. backwall takes \
     the stages from the kernel's trace, in separate phases, because tracing takes time: the worst response here is not \
     the maximum above.";

const CHAIN_INTRO: &str = "Every instance of a chain passes these hops in turn. Both bars have the same width: one is \
    the mean instance, the other the worst.";

const LEFT: f64 = 250.0;
const RIGHT: f64 = WIDTH - 130.0;
const ROW: f64 = 30.0;
/// Number of characters that fit left of the bars; the table has the full name.
const NAME: usize = 19;

pub fn section(run: &Run) -> Option<Section> {
    let phases: Vec<&Stages> = run.stages.iter().filter(|stages| !stages.parts.is_empty()).collect();
    let first = phases.first()?;
    let body = html! {
        figure { (legend(first)) (bars(&phases)) }
        (table(&phases))
    };
    let are_chains = phases.iter().all(|stages| stages.key.name == CHAIN);
    let (title, intro) =
        if are_chains { ("The hops of the chain", CHAIN_INTRO) } else { ("The stages of a response", INTRO) };
    Some(Section::new("stages", title, intro, body))
}

fn legend(stages: &Stages) -> Markup {
    html! {
        ul class="legend" {
            @for (index, stage) in stages.parts.iter().enumerate() { li { (swatch(&class(index))) " " b { (stage.name) } } }
        }
    }
}

fn class(index: usize) -> String {
    format!("stage t{}", index % 6)
}

fn bars(phases: &[&Stages]) -> Markup {
    let mut drawing = Drawing::new(WIDTH, phases.len() as f64 * (2.0 * ROW + 14.0));
    for (index, stages) in phases.iter().enumerate() {
        let top = index as f64 * (2.0 * ROW + 14.0);
        let unit = stages.parts[0].unit;
        let mean: Vec<f64> = stages.parts.iter().map(|stage| stage.mean).collect();
        let worst: Vec<f64> = stages.of_worst.iter().map(|value| *value as f64).collect();
        drawing.text("title", (0.0, top + 20.0), Anchor::Start, &cut(&phase(stages), NAME));
        bar(&mut drawing, stages, top, "mean", &mean, unit);
        bar(&mut drawing, stages, top + ROW, "worst", &worst, unit);
    }
    drawing.finish(
        "stages-picture",
        "Stages of the mean and of the worst response",
        "Shares of each stage; the figures are in the table.",
    )
}

fn bar(drawing: &mut Drawing, stages: &Stages, top: f64, name: &str, values: &[f64], unit: Unit) {
    let total: f64 = values.iter().sum();
    drawing.text("mark", (LEFT - 8.0, top + 19.0), Anchor::End, name);
    if total <= 0.0 {
        drawing.text("mark", (LEFT, top + 19.0), Anchor::Start, "not known");
        return;
    }
    let mut left = LEFT;
    for (index, value) in values.iter().enumerate() {
        let width = (RIGHT - LEFT) * value / total;
        drawing.rect(&class(index), (left, top + 4.0), (width, ROW - 8.0));
        let share = format!("{:.0} %", 100.0 * value / total);
        if width > 44.0 {
            drawing.text("on-stage", (left + width / 2.0, top + 19.0), Anchor::Middle, &share);
        }
        let stage = stages.parts.get(index).map_or("", |stage| &stage.name);
        let lines = [format!("{stage}: {} ({share})", phrase::value(value.round() as u64, unit))];
        drawing.hint((left, top + 4.0), (width, ROW - 8.0), &lines);
        left += width;
    }
    drawing.text("mark", (RIGHT + 8.0, top + 19.0), Anchor::Start, &phrase::value(total.round() as u64, unit));
}

pub(super) fn phase(stages: &Stages) -> String {
    phrase::phase_of(&stages.key)
}

fn table(phases: &[&Stages]) -> Markup {
    html! {
        div class="wide" {
            table id="stages-table" {
                thead {
                    tr {
                        th { "phase" } th { "stage" }
                        @for name in ["min", "mean", "p50", "p99", "max", "of the worst"] { th class="r" { (name) } }
                        th { "unit" }
                    }
                }
                tbody { @for stages in phases { (rows(stages)) } }
            }
        }
    }
}

fn rows(stages: &Stages) -> Markup {
    html! {
        @for (index, stage) in stages.parts.iter().enumerate() {
            tr {
                @if index == 0 {
                    th rowspan=(stages.parts.len()) scope="rowgroup" { (phase(stages)) small { (accounting(stages)) } }
                }
                td { (stage.name) }
                @for figure in row(stages, index, stage) { td class="r" { (figure) } }
                td { (phrase::column_unit(stage.unit)) }
            }
        }
    }
}

fn row(stages: &Stages, index: usize, stage: &Stage) -> [String; 6] {
    let figure = |value| phrase::figure(value, stage.unit);
    let worst = stages.of_worst.get(index).map_or("-".into(), |value| figure(*value));
    let mean = phrase::mean_figure(stage.mean, stage.unit);
    [figure(stage.min), mean, figure(stage.p50), figure(stage.p99), figure(stage.max), worst]
}

fn accounting(stages: &Stages) -> String {
    format!(
        "{} responses completely recorded{}, {} incompletely, {} trace events lost{}",
        grouped(stages.matched),
        phrase::inferred(stages),
        grouped(stages.unmatched),
        grouped(stages.events_lost),
        phrase::tracing_cost(stages)
    )
}
