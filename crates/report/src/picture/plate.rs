// SPDX-License-Identifier: MIT OR Apache-2.0
//! A picture of whole pixels: rectangles and texts, which are exported as SVG and as PNG.
use crate::drawing::{Anchor, Drawing};
use maud::Markup;

pub(super) const WIDTH: u32 = 788;
pub(super) const HEIGHT: u32 = 434;

/// Colours by role. The SVG takes them from the page's style sheet, the PNG has the page's colours in daylight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ink {
    Screen,
    Graticule,
    Text,
    Soft,
    Channel(usize), // its number, from 0
}

impl Ink {
    fn of_area(self) -> String {
        match self {
            Ink::Screen => "screen".into(),
            Ink::Graticule => "ruled".into(),
            Ink::Text => "inked".into(),
            Ink::Soft | Ink::Channel(0) => "soft".into(),
            Ink::Channel(number) => format!("glow c{}", (number - 1) % 8),
        }
    }

    fn of_text(self) -> String {
        match self {
            Ink::Channel(number) if number > 0 => format!("title c{}", (number - 1) % 8),
            Ink::Text => "caption".into(),
            _ => "mark".into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
    pub ink: Ink,
    pub strength: u8, // 255 is opaque
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub x: u32, // left edge of the first letter, or right edge of the last
    pub y: u32, // baseline of the letters
    pub ends_at_x: bool,
    pub ink: Ink,
    pub text: String,
}

/// A plate to which blocks and labels are added; later ones cover earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plate {
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) blocks: Vec<Block>,
    pub(super) labels: Vec<Label>,
}

impl Plate {
    pub(super) fn block(&mut self, (x, y): (u32, u32), (width, height): (u32, u32), ink: Ink, strength: u8) {
        if width > 0 && height > 0 && strength > 0 {
            self.blocks.push(Block { x, y, width, height, ink, strength });
        }
    }

    pub(super) fn text(&mut self, x: u32, y: u32, ink: Ink, text: String) {
        self.labels.push(Label { x, y, ends_at_x: false, ink, text });
    }

    pub(super) fn text_up_to(&mut self, x: u32, y: u32, ink: Ink, text: String) {
        self.labels.push(Label { x, y, ends_at_x: true, ink, text });
    }

    pub fn svg(&self, id: &str) -> Markup {
        let mut drawing = Drawing::new(WIDTH.into(), HEIGHT.into());
        for alike in self.blocks.chunk_by(|a, b| (a.ink, a.strength) == (b.ink, b.strength)) {
            let shapes = alike.iter().map(|block| [block.x, block.y, block.width, block.height].map(f64::from));
            drawing.blocks(&alike[0].ink.of_area(), f64::from(alike[0].strength) / 255.0, shapes);
        }
        for label in &self.labels {
            let anchor = if label.ends_at_x { Anchor::End } else { Anchor::Start };
            drawing.text(&label.ink.of_text(), (label.x.into(), label.y.into()), anchor, &label.text);
        }
        drawing.finish(id, &self.title, &self.caption)
    }
}
