// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures as inline SVG: shapes with classes, so that the page's style sheet colours them.
use super::section::escape;
use std::fmt::Write;

/// A picture that grows by shapes; later shapes lie above earlier ones.
pub struct Picture {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text is held.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// At its first letter.
    Start,
    /// At its middle.
    Middle,
    /// At its last letter.
    End,
}

impl Picture {
    /// An empty picture of this many units; one unit is a CSS pixel on a wide screen.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (n(from.0), n(from.1), n(to.0), n(to.1));
        let _ = writeln!(self.body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    /// A rectangle; a negative size is none.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) {
        self.shaded_rect(class, at, size, 1.0);
    }

    /// A rectangle of an opacity in [0, 1].
    pub fn shaded_rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), opacity: f64) {
        let (x, y, w, h) = (n(at.0), n(at.1), n(size.0.max(0.0)), n(size.1.max(0.0)));
        let shade = if opacity < 1.0 { format!(" opacity=\"{opacity:.2}\"") } else { String::new() };
        let _ =
            writeln!(self.body, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{shade}/>");
    }

    /// A line through points; nothing for fewer than two.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 1 {
            let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{}\"/>", path(points));
        }
    }

    /// A closed area through points; nothing for fewer than three.
    pub fn area(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 2 {
            let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{}Z\"/>", path(points));
        }
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, at: (f64, f64), radius: f64) {
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            n(at.0),
            n(at.1),
            n(radius)
        );
    }

    /// A text, escaped here.
    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y, anchor) = (n(at.0), n(at.1), anchor_name(anchor));
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    /// A text that reads upwards, its middle at `at`: the title of a vertical axis.
    pub fn upright_text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = (n(at.0), n(at.1));
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(text)
        );
    }

    /// An invisible area that shows `lines` while the pointer is over it, in a box that stays inside the picture.
    pub fn hint(&mut self, at: (f64, f64), size: (f64, f64), lines: &[String]) {
        let width = 16.0 + 6.7 * lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64;
        let height = 10.0 + 16.0 * lines.len() as f64;
        let middle = at.0 + size.0 / 2.0;
        let beside = if middle + 10.0 + width < self.width { middle + 10.0 } else { middle - 10.0 - width };
        let (x, y) = (beside.max(0.0), at.1 + 6.0);
        self.body.push_str("<g class=\"hit\">");
        self.rect("catch", at, size);
        self.body.push_str("<g class=\"tip\">");
        self.line("cross", (middle, at.1), (middle, at.1 + size.1));
        self.rect("box", (x, y), (width, height));
        for (index, line) in lines.iter().enumerate() {
            self.text("", (x + 8.0, y + 17.0 + 16.0 * index as f64), Anchor::Start, line);
        }
        self.body.push_str("</g></g>\n");
    }

    /// The picture with an anchor, and a title and description for those who do not see it.
    pub fn finish(self, id: &str, title: &str, description: &str) -> String {
        let (id, title, description) = (escape(id), escape(title), escape(description));
        format!(
            "<div class=\"picture\"><svg id=\"{id}\" class=\"figure\" viewBox=\"0 0 {} {}\" role=\"img\" \
             aria-labelledby=\"{id}-name {id}-about\">\n<title id=\"{id}-name\">{title}</title>\n\
             <desc id=\"{id}-about\">{description}</desc>\n{}</svg></div>\n",
            n(self.width),
            n(self.height),
            self.body
        )
    }
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

/// A coordinate: a tenth of a unit is finer than any screen shows; what is no number becomes 0.
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
    fn a_hint_stays_inside_the_picture() {
        let mut picture = Picture::new(200.0, 100.0);
        picture.hint((190.0, 0.0), (8.0, 100.0), &["twenty letters here!".into()]);
        let svg = picture.finish("p", "p", "");
        assert!(svg.contains("class=\"box\" x=\"34\""), "{svg}");
    }
}
