// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responses of each task of a set: one strip per task on one logarithmic axis, with the predicted response and the deadline.
use super::strip;
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing};
use crate::plot::{self, Area, WIDTH};
use crate::tasks;
use crate::wrap::cut;
use backwall_model::picture::{TaskRow, TaskSet};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Run, Series};
use maud::{Markup, html};

const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 40.0;
const ROW: f64 = 26.0;
const TOP: f64 = 8.0;
const BINS: usize = 240;
const NAME_COLUMNS: usize = 24;

pub fn draw(run: &Run, set: &TaskSet, id: &str) -> Markup {
    let done = |task| tasks::series(run, task, TaskRow::RESPONSE).filter(|series| series.max.is_some());
    let rows: Vec<(&TaskRow, &Series)> = set.tasks.iter().filter_map(|task| Some((task, done(task)?))).collect();
    let Some((_, first)) = rows.first() else { return html! { p { "No job was done." } } };
    let (x, unit) = (axis(&rows), first.unit);
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom: TOP + ROW * rows.len() as f64 };
    let mut drawing = Drawing::new(WIDTH, area.bottom + 46.0);
    plot::x_axis(
        &mut drawing,
        area,
        &x,
        &x.ticks(|value| short(value, unit)),
        "response, from the nominal instant to the end",
    );
    for (place, (task, series)) in rows.iter().enumerate() {
        strip(&mut drawing, &x, TOP + ROW * place as f64, task, series);
    }
    let about = format!("{} tasks; the figures are in the table.", rows.len());
    drawing.finish(id, "Responses of each task, with bound and deadline", &about)
}

fn marks(task: &TaskRow) -> impl Iterator<Item = u64> {
    task.predicted.iter().filter_map(|predicted| predicted.bound).chain([task.deadline])
}

fn axis(rows: &[(&TaskRow, &Series)]) -> Axis {
    let values = |(task, series): &(&TaskRow, &Series)| {
        let seen = [series.min, series.max].into_iter().flatten();
        marks(task).chain(seen).filter(|value| *value > 0).collect::<Vec<u64>>()
    };
    let all: Vec<u64> = rows.iter().flat_map(values).collect();
    let (low, high) = (all.iter().min().copied().unwrap_or(1), all.iter().max().copied().unwrap_or(1));
    Axis::log(low as f64 * 0.94, high as f64 * 1.06, LEFT, RIGHT)
}

fn strip(drawing: &mut Drawing, x: &Axis, top: f64, task: &TaskRow, series: &Series) {
    drawing.text("mark", (LEFT - 8.0, top + 16.0), Anchor::End, &cut(&task.name, NAME_COLUMNS));
    let values = series.histogram.classes().map(|(low, _, count)| (low.max(1) as f64, count));
    strip::shades(drawing, x, &strip::bins(x, BINS, values), (top + 4.0, ROW - 9.0), "c0");
    let wall = |drawing: &mut Drawing, class: &str, value: u64| {
        drawing.rect(class, (x.at(value as f64) - 1.0, top + 1.0), (2.5, ROW - 3.0));
    };
    series.max.into_iter().for_each(|max| wall(drawing, "wall c0", max));
    task.predicted.iter().filter_map(|predicted| predicted.bound).for_each(|bound| wall(drawing, "wall c3", bound));
    wall(drawing, "wall c1", task.deadline);
    drawing.hint((LEFT, top), (RIGHT - LEFT, ROW), &hints(task, series));
}

fn hints(task: &TaskRow, series: &Series) -> Vec<String> {
    let shown = |value: Option<u64>| value.map_or("-".to_string(), |value| shown(value, series.unit));
    let bound = task.predicted.as_ref().and_then(|predicted| predicted.bound);
    vec![
        task.name.clone(),
        format!("min {}, worst {}", shown(series.min), shown(series.max)),
        format!("predicted bound {}, deadline {}", shown(bound), shown(Some(task.deadline))),
        format!("{} done of {} releases", grouped(series.done), grouped(task.fates.nominal)),
    ]
}

fn shown(value: u64, unit: Unit) -> String {
    short(value as f64, unit)
}
