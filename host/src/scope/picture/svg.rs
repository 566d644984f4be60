// SPDX-License-Identifier: MIT OR Apache-2.0
//! A picture as SVG. Colours are variables of the page's style sheet with a fallback, so that the same
//! text serves in a page, light or dark, and alone in a file.
use super::frame::{HEIGHT, WIDTH};
use super::{Ink, Picture, Rect};
use crate::report::section::escape;
use std::fmt::Write;

pub(super) fn write(picture: &Picture) -> String {
    let title = escape(&picture.title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n"
    );
    for group in picture.rects.chunk_by(|a, b| (a.ink, a.strength) == (b.ink, b.strength)) {
        path(&mut text, group);
    }
    for entry in &picture.texts {
        let (x, y, colour) = (entry.x, entry.y, colour(entry.ink));
        let anchor = if entry.ends_at_x { "end" } else { "start" };
        let _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" style=\"fill:{colour};font:13px system-ui,sans-serif\">{}</text>",
            escape(&entry.text)
        );
    }
    text.push_str("</svg>\n");
    text
}

/// Rectangles of one colour and strength as one path.
fn path(text: &mut String, group: &[Rect]) {
    let Rect { ink, strength, .. } = group[0];
    if strength == 0 {
        return;
    }
    let _ = write!(text, "<path style=\"fill:{}\"", colour(ink));
    if strength < 255 {
        let _ = write!(text, " fill-opacity=\"{:.2}\"", f32::from(strength) / 255.0);
    }
    text.push_str(" d=\"");
    for Rect { x, y, width, height, .. } in group {
        let _ = write!(text, "M{x} {y}h{width}v{height}h-{width}z");
    }
    text.push_str("\"/>\n");
}

fn colour(ink: Ink) -> String {
    let [red, green, blue] = super::png::colour(ink);
    let name = match ink {
        Ink::Screen => "screen".into(),
        Ink::Graticule => "graticule".into(),
        Ink::Text => "ink".into(),
        Ink::Soft | Ink::Trace(0) => "soft".into(),
        Ink::Trace(number) => format!("c{}", (number - 1) % 8),
    };
    format!("var(--{name},#{red:02x}{green:02x}{blue:02x})")
}
