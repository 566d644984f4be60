// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ratio of each case of an interference experiment on one axis: a stroke between its limits, a mark at the median.
use crate::axis::Axis;
use crate::drawing::{Anchor, Drawing};
use crate::interference::{Side, sides};
use crate::plot::{self, Area, WIDTH};
use backwall_model::picture::{Case, Interference};
use maud::{Markup, html};

const LEFT: f64 = 330.0;
const RIGHT: f64 = WIDTH - 40.0;
const ROW: f64 = 19.0;
const HEAD: f64 = 26.0;
const TOP: f64 = 8.0;

pub fn draw(found: &Interference, id: &str) -> Markup {
    let sided: Vec<(&Case, Side)> =
        found.cases.iter().zip(sides(found)).filter(|(case, _)| case.ratio.is_some()).collect();
    let cases: Vec<&Case> = sided.iter().map(|(case, _)| *case).collect();
    if cases.is_empty() {
        return html! { p { "No ratio was measured." } };
    }
    let x = axis(&cases);
    let heads = cases.iter().enumerate().filter(|(index, case)| begins(&cases, *index, case)).count();
    let bottom = TOP + ROW * cases.len() as f64 + HEAD * heads as f64;
    let mut drawing = Drawing::new(WIDTH, bottom + 46.0);
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom };
    plot::x_axis(&mut drawing, area, &x, &x.ticks(|value| format!("{value}")), "ratio of times, no unit");
    drawing.line("axis", (x.at(1.0), TOP), (x.at(1.0), bottom));
    let mut top = TOP;
    for (index, (case, side)) in sided.iter().enumerate() {
        if begins(&cases, index, case) {
            let head = format!("{}: {}", case.experiment, case.compared);
            drawing.text("title", (0.0, top + 18.0), Anchor::Start, &head);
            top += HEAD;
        }
        stroke(&mut drawing, &x, top, (case, *side));
        top += ROW;
    }
    drawing.finish(
        id,
        "What running together costs each part",
        "Ratios with limits at 95 %; the figures are in the tables.",
    )
}

fn begins(cases: &[&Case], index: usize, case: &Case) -> bool {
    let of = |case: &Case| (case.experiment.clone(), case.compared.clone());
    index == 0 || of(cases[index - 1]) != of(case)
}

/// Spans all ratios, including those of the post, and always 1.
fn axis(cases: &[&Case]) -> Axis {
    let ours = cases.iter().filter_map(|case| case.ratio).flat_map(|ratio| {
        let [low, high] = ratio.limits.unwrap_or([ratio.median; 2]);
        [low, ratio.median, high]
    });
    let all = ours.chain(cases.iter().filter_map(|case| post(case)));
    let (low, high) =
        all.filter(|ratio| *ratio > 0.0).fold((0.9f64, 1.1f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    Axis::log(low * 0.97, high * 1.03, LEFT, RIGHT)
}

fn post(case: &Case) -> Option<f64> {
    case.published.as_ref().and_then(|post| post.ratio)
}

fn stroke(drawing: &mut Drawing, x: &Axis, top: f64, (case, side): (&Case, Side)) {
    let Some(ratio) = case.ratio else { return };
    let middle = top + ROW / 2.0;
    drawing.text("mark", (LEFT - 8.0, middle + 4.0), Anchor::End, &case.title);
    let class = if matches!(side, Side::More | Side::Less) { "wall c1" } else { "wall c0" };
    let [low, high] = ratio.limits.unwrap_or([ratio.median; 2]);
    drawing.rect(class, (x.at(low), middle - 1.5), ((x.at(high) - x.at(low)).max(1.0), 3.0));
    drawing.rect(class, (x.at(ratio.median) - 1.5, middle - 6.0), (3.0, 12.0));
    post(case).into_iter().for_each(|ratio| drawing.dot("wall c3", (x.at(ratio), middle), 3.5));
    let limits = ratio
        .limits
        .map_or("no limits: fewer than six rounds".into(), |[low, high]| format!("{low:.3} to {high:.3} at 95 %"));
    let mut hints = vec![case.title.clone(), format!("ratio {:.3}", ratio.median), limits];
    hints.extend(post(case).map(|ratio| format!("the post: {ratio:.2}")));
    drawing.hint((LEFT, top), (RIGHT - LEFT, ROW), &hints);
}
