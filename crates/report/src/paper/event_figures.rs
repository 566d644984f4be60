// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paper's Figures 2, 3 and 4 with this machine's figures. The paper's own Figure 4 has a separate axis.
use super::event_tables::{figure, together, unit};
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing, key};
use crate::plot::{self, Area, WIDTH};
use backwall_model::event_series::{CLASS, CPUS, CREATION, PER_EVENT, SERIES, SWITCH, WAITING};
use backwall_model::{Run, Series};
use backwall_tasks::published::{FIGURE_4, MACHINE};
use maud::{Markup, html};

const AREA: Area = Area { left: 84.0, right: WIDTH - 40.0, top: 14.0, bottom: 260.0 };
const LINES: [(&str, &str, &str); 2] =
    [(PER_EVENT, "a new thread for each event", "c0"), (WAITING, "threads that wait", "c1")];

pub(super) fn figures_2_and_3(run: &Run, id: &str) -> Markup {
    let lines = LINES.map(|(how, name, class)| (together(run, how), name, class));
    let all = || lines.iter().flat_map(|(line, ..)| line);
    let events = all().map(|(events, _)| *events).max().unwrap_or(1);
    let largest = all().filter_map(|(_, series)| series.max).max().unwrap_or(1);
    let x = Axis::exact(events as f64 * 1.05, AREA.left, AREA.right);
    let y = Axis::linear(largest as f64, AREA.bottom, AREA.top);
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    plot::x_axis(&mut drawing, AREA, &x, &x.ticks(|value| format!("{value}")), "events at once");
    plot::y_axis(&mut drawing, AREA, &y, &y.ticks(|value| short(value, unit(run))), "until all are done");
    for (line, _, class) in &lines {
        let mean = |(events, series): &(u64, &Series)| Some((x.at(*events as f64), y.at(series.mean?)));
        let largest = |(events, series): &(u64, &Series)| Some((x.at(*events as f64), y.at(series.max? as f64)));
        drawing.polyline(&format!("curve {class}"), &line.iter().filter_map(mean).collect::<Vec<_>>());
        line.iter().filter_map(largest).for_each(|at| drawing.dot(&format!("dot {class}"), at, 3.0));
    }
    let legend = html! {
        ul class="legend" {
            @for (_, name, class) in &lines { li { (key(&format!("curve {class}"))) " " b { (name) } ", mean; dots: the largest" } }
        }
    };
    html! { (legend) (drawing.finish(id, "The time for simultaneous events", "The figures are in the table below.")) }
}

const LEFT: f64 = 250.0;
const ROW: f64 = 22.0;
const TOP: f64 = 26.0;

pub(super) type Bars = (String, [Option<f64>; 2]);

pub(super) struct Panel<'a> {
    pub(super) title: &'a str,
    pub(super) about: &'a str,
    pub(super) lines: [&'a str; 2],
    pub(super) label: &'a dyn Fn(f64) -> String,
}

/// Figure 4: the paper's systems in one panel, this machine's classes in another, each with its own axis.
pub(super) fn figure_4(run: &Run, id: &str) -> Markup {
    let paper = FIGURE_4
        .map(|(system, creation, switch)| (system.to_string(), [creation, switch].map(|us| Some(us as f64 * 1e3))));
    let own = |class: &str| {
        let variant = [(CLASS, class), (CPUS, "1")];
        let creation = figure(run, CREATION, false, &variant);
        let switch = figure(run, SWITCH, false, &[variant[0], variant[1], (SERIES, "1")]);
        (format!("{class} threads"), [creation, switch].map(|series| series.and_then(|series| series.mean)))
    };
    let ours: Vec<Bars> = backwall_model::event_series::CLASSES.map(own).to_vec();
    let label = |value: f64| short(value, unit(run));
    let time = |value: f64| short(value, backwall_model::units::Unit::Ns);
    let drawn = |bars: &[Bars], title: &str, label: &dyn Fn(f64) -> String, id: &str| {
        panel(bars, &Panel { title, about: ABOUT, lines: ["creating", "switching"], label }, id)
    };
    html! {
        figure { (drawn(&ours, "this machine, mean", &label, id)) }
        figure { (drawn(&paper, &format!("as printed in the paper, {MACHINE}, mean"), &time, &format!("{id}-paper"))) }
    }
}

const ABOUT: &str = "Cost of creating a thread for an event, and of switching to a thread that waits for an event.";

pub(super) fn panel(systems: &[Bars], of: &Panel<'_>, id: &str) -> Markup {
    let rows = systems.len() as f64 * 2.0;
    let area = Area { left: LEFT, right: WIDTH - 100.0, top: TOP, bottom: TOP + ROW * rows };
    let largest = systems.iter().flat_map(|(_, values)| values).flatten().fold(0.0, |one: f64, other| one.max(*other));
    let x = Axis::linear(largest.max(1.0), area.left, area.right);
    let mut drawing = Drawing::new(WIDTH, area.bottom + 46.0);
    plot::x_axis(&mut drawing, area, &x, &x.ticks(of.label), of.title);
    for (place, (system, values)) in systems.iter().enumerate() {
        for (line, (value, what)) in values.iter().zip(of.lines).enumerate() {
            let top = TOP + ROW * (place * 2 + line) as f64;
            drawing.text("mark", (LEFT - 8.0, top + 15.0), Anchor::End, &format!("{system}, {what}"));
            let Some(value) = value else { continue };
            let width = (x.at(*value) - area.left).max(1.0);
            drawing.rect(&format!("dot c{line}"), (area.left, top + 4.0), (width, ROW - 8.0));
            drawing.text("", (area.left + width + 6.0, top + 15.0), Anchor::Start, &(of.label)(*value));
        }
    }
    drawing.finish(id, of.title, of.about)
}

#[cfg(test)]
mod tests {
    use super::super::event_tables::tests::run;
    use super::*;

    #[test]
    fn both_machines_have_panels_of_their_own() {
        let drawn = figure_4(&run(), "f").into_string();
        assert!(drawn.contains("this machine, mean") && drawn.contains("as printed in the paper"), "{drawn}");
        assert!(drawn.contains("516 us") && drawn.contains("15 us"), "{drawn}");
        assert_eq!(drawn.matches("<figure>").count(), 2);
    }

    #[test]
    fn each_organisation_has_its_line() {
        let drawn = figures_2_and_3(&run(), "f").into_string();
        assert!(drawn.contains("a new thread for each event") && drawn.contains("threads that wait"));
    }
}
