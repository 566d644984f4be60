// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of a response: where its time goes on average, and where it went in the worst one.
use crate::report::phrase;
use crate::report::plot::WIDTH;
use crate::report::section::{Section, escape};
use crate::report::svg::{Anchor, Picture};
use crate::run::{Run, Stages};
use crate::units::{Unit, grouped};

const INTRO: &str = "From the stimulus to the first instruction of the thread, every response passes these stages in turn. \
     Each bar is one whole response, drawn to the same width: the mean of a phase, and its worst. The stages are read from the \
     kernel's trace in phases of their own, because tracing takes time: their worst is not the back wall above.";

const LEFT: f64 = 250.0;
const RIGHT: f64 = WIDTH - 130.0;
const ROW: f64 = 30.0;

/// The bars and the table of every phase that has stages.
pub fn section(run: &Run) -> Option<Section> {
    let phases: Vec<&Stages> = run.stages.iter().filter(|stages| !stages.stage.is_empty()).collect();
    let first = phases.first()?;
    let blamed: String = phases.iter().map(|stages| blamed(stages)).collect();
    let body = format!("<figure>\n{}{}</figure>\n{}{blamed}", legend(first), bars(&phases), table(&phases));
    Some(Section::new("stages", "The stages of a response", INTRO, body))
}

fn legend(stages: &Stages) -> String {
    let item = |(index, stage): (usize, &crate::run::Stage)| {
        let class = class(index);
        format!(
            "<li><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"30\" height=\"10\"/></svg> \
             <b>{}</b></li>\n",
            escape(&stage.name)
        )
    };
    let items: String = stages.stage.iter().enumerate().map(item).collect();
    format!("<ul class=\"legend\">\n{items}</ul>\n")
}

/// Class of a stage's colour.
fn class(index: usize) -> String {
    format!("stage t{}", index % 6)
}

fn bars(phases: &[&Stages]) -> String {
    let mut picture = Picture::new(WIDTH, phases.len() as f64 * (2.0 * ROW + 14.0));
    for (index, stages) in phases.iter().enumerate() {
        let top = index as f64 * (2.0 * ROW + 14.0);
        let unit = stages.stage[0].unit;
        let mean: Vec<f64> = stages.stage.iter().map(|stage| stage.mean).collect();
        let worst: Vec<f64> = stages.of_worst.iter().map(|value| *value as f64).collect();
        picture.text("title", (0.0, top + 20.0), Anchor::Start, &phase(stages));
        bar(&mut picture, stages, top, "mean", &mean, unit);
        bar(&mut picture, stages, top + ROW, "worst", &worst, unit);
    }
    picture.finish(
        "stages-picture",
        "Stages of the mean and of the worst response",
        "Shares of each stage; the figures are in the table.",
    )
}

fn bar(picture: &mut Picture, stages: &Stages, top: f64, name: &str, values: &[f64], unit: Unit) {
    let total: f64 = values.iter().sum();
    picture.text("mark", (LEFT - 8.0, top + 19.0), Anchor::End, name);
    if total <= 0.0 {
        picture.text("mark", (LEFT, top + 19.0), Anchor::Start, "not known");
        return;
    }
    let mut left = LEFT;
    for (index, value) in values.iter().enumerate() {
        let width = (RIGHT - LEFT) * value / total;
        picture.rect(&class(index), (left, top + 4.0), (width, ROW - 8.0));
        let share = format!("{:.0} %", 100.0 * value / total);
        if width > 44.0 {
            picture.text("on-stage", (left + width / 2.0, top + 19.0), Anchor::Middle, &share);
        }
        let stage = stages.stage.get(index).map_or("", |stage| &stage.name);
        let lines = [format!("{stage}: {} ({share})", phrase::value(value.round() as u64, unit))];
        picture.hint((left, top + 4.0), (width, ROW - 8.0), &lines);
        left += width;
    }
    picture.text("mark", (RIGHT + 8.0, top + 19.0), Anchor::Start, &phrase::value(total.round() as u64, unit));
}

fn phase(stages: &Stages) -> String {
    let load = if stages.key.load == "none" { "no load".to_string() } else { format!("load {}", stages.key.load) };
    if stages.key.idle == "as-is" { load } else { format!("{load}, idle {}", stages.key.idle) }
}

/// Who used the time of the worst traced responses of a phase.
fn blamed(stages: &Stages) -> String {
    let sentences = phrase::blames(stages).map(str::to_string).chain(phrase::causes(stages));
    let items: String = sentences.map(|text| format!("<li>{}</li>\n", escape(&text))).collect();
    if items.is_empty() {
        return String::new();
    }
    format!("<p>Who used the time of the worst traced responses, {}:</p>\n<ul>\n{items}</ul>\n", escape(&phase(stages)))
}

fn table(phases: &[&Stages]) -> String {
    let rows: String = phases.iter().map(|stages| rows(stages)).collect();
    format!(
        "<div class=\"wide\"><table id=\"stages-table\"><thead><tr><th>phase</th><th>stage</th><th class=\"r\">min</th><th class=\"r\">mean</th><th class=\"r\">p50</th>\
         <th class=\"r\">p99</th><th class=\"r\">max</th><th class=\"r\">of the worst</th><th>unit</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    )
}

fn rows(stages: &Stages) -> String {
    let count = stages.stage.len();
    let accounting = format!(
        "{} seen whole, {} not, {} trace events lost{}",
        grouped(stages.matched),
        grouped(stages.unmatched),
        grouped(stages.events_lost),
        phrase::tracing_cost(stages)
    );
    let head = format!(
        "<th rowspan=\"{count}\" scope=\"rowgroup\">{}<small>{accounting}</small></th>",
        escape(&phase(stages))
    );
    let mut text = String::new();
    for (index, stage) in stages.stage.iter().enumerate() {
        let worst = stages.of_worst.get(index).map_or("-".into(), |value| phrase::figure(*value, stage.unit));
        let figure = |value| phrase::figure(value, stage.unit);
        let mean = phrase::mean_figure(stage.mean, stage.unit);
        let cells = [figure(stage.min), mean, figure(stage.p50), figure(stage.p99), figure(stage.max), worst];
        let cells: String = cells.iter().map(|cell| format!("<td class=\"r\">{cell}</td>")).collect();
        let head = if index == 0 { head.as_str() } else { "" };
        let unit = phrase::column_unit(stage.unit);
        text.push_str(&format!("<tr>{head}<td>{}</td>{cells}<td>{unit}</td></tr>\n", escape(&stage.name)));
    }
    text
}
