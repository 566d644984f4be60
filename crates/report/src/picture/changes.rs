// SPDX-License-Identifier: MIT OR Apache-2.0
//! The change of each metric of a comparison on one axis of factors: a stroke between its limits, a mark at the shift.
use crate::axis::Graduation;
use crate::comparison::{answer, change, sentence};
use crate::drawing::{Anchor, Drawing};
use crate::phrase;
use crate::plot::WIDTH;
use backwall_judge::compare::{Row, Verdict};
use maud::Markup;

const LEFT: f64 = 230.0;
const RIGHT: f64 = WIDTH - 40.0;
const ROW: f64 = 19.0;
const HEAD: f64 = 26.0;
const TOP: f64 = 8.0;
const MOST: f64 = 100.0;
const MARKS: [f64; 9] = [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 10.0, 100.0];
const APART: f64 = 62.0;

pub fn draw(rows: &[Row], id: &str) -> Markup {
    let groups: Vec<&[Row]> = rows.chunk_by(|a, b| a.key == b.key).collect();
    let bottom = TOP + ROW * rows.len() as f64 + HEAD * groups.len() as f64;
    let mut drawing = Drawing::new(WIDTH, bottom + 46.0);
    let x = Factors::around(rows);
    zones(&mut drawing, &groups, &x);
    x.marks().iter().for_each(|mark| graduate(&mut drawing, &x, mark, bottom));
    drawing.line("axis", (LEFT, bottom), (RIGHT, bottom));
    drawing.text("name", ((LEFT + RIGHT) / 2.0, bottom + 37.0), Anchor::Middle, "change from before to after");
    let mut top = TOP;
    for group in groups {
        drawing.text("title", (0.0, top + 18.0), Anchor::Start, &phrase::phase_of(&group[0].key));
        top += HEAD;
        for row in group {
            stroke(&mut drawing, &x, top, row);
            top += ROW;
        }
    }
    drawing.finish(id, "How much each metric changed", "Changes with limits at 95 %; the figures are in the tables.")
}

fn zones(drawing: &mut Drawing, groups: &[&[Row]], x: &Factors) {
    let mut top = TOP;
    for group in groups {
        top += HEAD;
        for row in *group {
            let (inner, outer) = (x.at(1.0 / (1.0 + row.effect)), x.at(1.0 + row.effect));
            drawing.rect("nothing", (inner, top), (outer - inner, ROW));
            top += ROW;
        }
    }
}

fn graduate(drawing: &mut Drawing, x: &Factors, mark: &Graduation, bottom: f64) {
    let at = x.at(mark.value);
    drawing.line(if mark.value == 1.0 { "axis" } else { "grid" }, (at, TOP), (at, bottom));
    let label = mark.label.as_deref().unwrap_or_default();
    drawing.text("mark", (at, bottom + 17.0), Anchor::Middle, label);
}

fn stroke(drawing: &mut Drawing, x: &Factors, top: f64, row: &Row) {
    let middle = top + ROW / 2.0;
    drawing.text("mark", (LEFT - 8.0, middle + 4.0), Anchor::End, &row.metric);
    let class = match row.verdict {
        Verdict::Regressed => "wall c1",
        Verdict::Improved => "wall c2",
        Verdict::Equivalent => "wall c0",
        Verdict::CannotTell => "wall c7",
    };
    let (low, high) = (x.at(row.low.unwrap_or(row.ratio)), x.at(row.high.unwrap_or(row.ratio)));
    drawing.rect(class, (low, middle - 1.5), ((high - low).max(1.0), 3.0));
    drawing.rect(class, (x.at(row.ratio) - 1.5, middle - 6.0), (3.0, 12.0));
    drawing.hint((LEFT, top), (RIGHT - LEFT, ROW), &[sentence(row), answer(row)]);
}

/// An axis of factors with 1 in its middle and the same reach to both sides.
struct Factors {
    /// Logarithm of the factor at the right edge, above 0.
    reach: f64,
}

impl Factors {
    /// Covers the widest limits, and at least twice the smallest change that matters.
    fn around(rows: &[Row]) -> Self {
        let far = |row: &Row| {
            let ends = [Some(row.ratio), row.low, row.high].into_iter().flatten().map(|factor| factor.ln().abs());
            ends.filter(|end| end.is_finite()).fold(2.0 * row.effect.ln_1p(), f64::max)
        };
        let reach = rows.iter().map(far).fold(0.01, f64::max);
        Self { reach: (reach * 1.08).min(MOST.ln()) }
    }

    fn at(&self, factor: f64) -> f64 {
        let share = factor.max(f64::MIN_POSITIVE).ln() / self.reach;
        (LEFT + RIGHT) / 2.0 + share.clamp(-1.0, 1.0) * (RIGHT - LEFT) / 2.0
    }

    /// Marks at round ratios including 1; if there is no room for all, the outermost come first.
    fn marks(&self) -> Vec<Graduation> {
        let middle = self.at(1.0);
        let mut taken: Vec<f64> = Vec::new();
        for factor in MARKS.into_iter().rev().filter(|factor| factor.ln() <= self.reach) {
            let far = self.at(factor) - middle;
            if far >= APART && taken.iter().all(|other| self.at(*other) - self.at(factor) >= APART) {
                taken.push(factor);
            }
        }
        let both = taken.into_iter().flat_map(|factor| [1.0 / factor, factor]).chain([1.0]);
        both.map(|value| Graduation { value, label: Some(label(value)) }).collect()
    }
}

fn label(factor: f64) -> String {
    match factor {
        1.0 => "no change".to_string(),
        factor if factor > 1.9 => format!("x{factor:.0}"),
        factor if factor < 0.55 => format!("/{:.0}", 1.0 / factor),
        factor => change(factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_no_change_in_its_middle_and_marks_that_do_not_touch() {
        for reach in [0.02, 0.11, 0.5, 3.0] {
            let x = Factors { reach };
            let mut at: Vec<f64> = x.marks().iter().map(|mark| x.at(mark.value)).collect();
            at.sort_by(f64::total_cmp);
            assert!(at.len() >= 3 && at.windows(2).all(|two| two[1] - two[0] >= APART), "{reach}: {at:?}");
            assert_eq!(x.at(1.0), (LEFT + RIGHT) / 2.0);
        }
    }
}
