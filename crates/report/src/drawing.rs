// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures as inline SVG: shapes with classes, so that the page's style sheet colours them.
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

pub struct Drawing {
    width: f64,
    height: f64,
    body: String, // only markup that `html!` made
}

#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    /// An empty drawing of this many units; one unit is a CSS pixel on a wide screen.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    fn add(&mut self, shape: &Markup) {
        self.body.push_str(&shape.0);
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (n(from.0), n(from.1), n(to.0), n(to.1));
        self.add(&html! { line class=(class) x1=(x1) y1=(y1) x2=(x2) y2=(y2) {} });
    }

    /// A rectangle; a negative size draws nothing.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) {
        self.shaded_rect(class, at, size, 1.0);
    }

    pub fn shaded_rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), opacity: f64) {
        let (x, y, width, height) = (n(at.0), n(at.1), n(size.0.max(0.0)), n(size.1.max(0.0)));
        let opacity = shade(opacity);
        self.add(&html! { rect class=(class) x=(x) y=(y) width=(width) height=(height) opacity=[opacity] {} });
    }

    /// Rectangles (left, top, width, height) of one class and opacity, as one shape.
    pub fn blocks(&mut self, class: &str, opacity: f64, blocks: impl Iterator<Item = [f64; 4]>) {
        let mut path = String::new();
        for [x, y, width, height] in blocks.map(|block| block.map(n)) {
            let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
        }
        self.add(&html! { path class=(class) opacity=[shade(opacity)] d=(path) {} });
    }

    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 1 {
            self.add(&html! { path class=(class) d=(path(points)) {} });
        }
    }

    /// A closed area through points; fewer than three points draw nothing.
    pub fn area(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 2 {
            self.add(&html! { path class=(class) d={ (path(points)) "Z" } {} });
        }
    }

    pub fn dot(&mut self, class: &str, at: (f64, f64), radius: f64) {
        self.add(&html! { circle class=(class) cx=(n(at.0)) cy=(n(at.1)) r=(n(radius)) {} });
    }

    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y, anchor) = (n(at.0), n(at.1), anchor_name(anchor));
        self.add(&html! { text class=(class) x=(x) y=(y) text-anchor=(anchor) { (text) } });
    }

    /// Draws text that reads upwards, centred at `at`: the title of a vertical axis.
    pub fn upright_text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let transform = format!("translate({} {}) rotate(-90)", n(at.0), n(at.1));
        self.add(&html! { text class=(class) transform=(transform) text-anchor="middle" { (text) } });
    }

    /// An area that shows `lines` while the pointer is over it. Either the browser shows them, or the page's script does in
    /// its own place.
    pub fn hint(&mut self, at: (f64, f64), size: (f64, f64), lines: &[String]) {
        let (x, y, width, height) = (n(at.0), n(at.1), n(size.0.max(0.0)), n(size.1.max(0.0)));
        self.add(&html! {
            rect class="hit" x=(x) y=(y) width=(width) height=(height) { title { (lines.join("\n")) } }
        });
    }

    fn shapes(self) -> Markup {
        PreEscaped(self.body)
    }

    /// Returns the drawing with an anchor, a title and a description for screen readers.
    pub fn finish(self, id: &str, title: &str, description: &str) -> Markup {
        let view = format!("0 0 {} {}", n(self.width), n(self.height));
        html! {
            div class="picture" {
                svg id=(id) class="figure" viewBox=(view) role="img" aria-labelledby={ (id) "-name " (id) "-about" } {
                    title id={ (id) "-name" } { (title) }
                    desc id={ (id) "-about" } { (description) }
                    (self.shapes())
                }
            }
        }
    }
}

pub fn key(class: &str) -> Markup {
    html! { svg class="key" viewBox="0 0 30 10" aria-hidden="true" { path class=(class) d="M1 5L29 5" {} } }
}

pub fn swatch(class: &str) -> Markup {
    html! { svg class="key" viewBox="0 0 30 10" aria-hidden="true" { rect class=(class) width="30" height="10" {} } }
}

fn shade(opacity: f64) -> Option<String> {
    (opacity < 1.0).then(|| format!("{opacity:.2}"))
}

fn anchor_name(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if index == 0 { "M" } else { "L" }, n(*x), n(*y));
    }
    path
}

/// A coordinate, rounded to a tenth; not-a-number becomes 0.
fn n(value: f64) -> String {
    let rounded = if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 };
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        assert_eq!([1.0, 0.04, -0.04, 12.345, f64::NAN, f64::INFINITY].map(n), ["1", "0", "0", "12.3", "0", "0"]);
    }

    #[test]
    fn a_hint_is_told_in_lines_over_its_area_alone() {
        let mut drawing = Drawing::new(200.0, 100.0);
        drawing.hint((190.0, 0.0), (8.0, 100.0), &["<one>".into(), "two".into()]);
        let svg = drawing.finish("p", "p", "").into_string();
        let area =
            "<rect class=\"hit\" x=\"190\" y=\"0\" width=\"8\" height=\"100\"><title>&lt;one&gt;\ntwo</title></rect>";
        assert!(svg.contains(area), "{svg}");
    }

    #[test]
    fn text_from_outside_cannot_open_an_element_or_leave_an_attribute() {
        let mut drawing = Drawing::new(20.0, 10.0);
        drawing.text("\"><script>", (0.0, 0.0), Anchor::Start, "</text><script>");
        let svg = drawing.finish("\"><img>", "<b>", "</desc>").into_string();
        assert!(!svg.contains("<script>") && !svg.contains("<img>") && !svg.contains("<b>"), "{svg}");
        assert_eq!(svg.matches("</desc>").count(), 1);
    }
}
