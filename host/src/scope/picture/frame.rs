// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen without traces: graticule, labels, caption, and where each trace lies.
use super::{AVERAGED, Ink, Kind, Picture, Rect, Text, View};
use crate::scope::screen::COLUMNS;
use crate::scope::timebase::{DIVISIONS, Timebase};
use crate::units::grouped;

/// Width of the whole picture, in pixels.
pub(super) const WIDTH: u32 = LEFT + COLUMNS as u32 + 20;
/// Height of the whole picture, in pixels.
pub(super) const HEIGHT: u32 = TOP + SCREEN_HEIGHT + 46;
/// Height of a letter, in pixels.
const LETTER: u32 = 13;

/// Left border of the screen.
pub(super) const LEFT: u32 = 168;
/// Upper border of the screen.
pub(super) const TOP: u32 = 36;
/// Divisions from top to bottom.
pub(super) const ROWS: u32 = 8;
/// Height of the screen.
pub(super) const SCREEN_HEIGHT: u32 = ROWS * 44;
const COLUMN_DIVISION: u32 = COLUMNS as u32 / DIVISIONS as u32;

/// Where one trace lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Left border of column 0.
    pub left: u32,
    /// Where the line runs when it is high.
    pub high: u32,
    /// Where it runs when it is low.
    pub low: u32,
    /// Its colour.
    pub ink: Ink,
}

/// A screen divided among some channels, the first one lowest.
pub(super) struct Frame {
    channels: usize,
}

impl Frame {
    pub(super) fn new(channels: usize) -> Frame {
        Frame { channels }
    }

    /// Where channel `number` lies.
    pub(super) fn place(&self, number: usize) -> Place {
        let height = SCREEN_HEIGHT / self.channels as u32;
        let top = TOP + height * (self.channels - 1 - number) as u32;
        Place { left: LEFT, high: top + height / 4, low: top + height * 7 / 8, ink: Ink::Trace(number as u8) }
    }

    /// The picture without traces.
    pub(super) fn empty(&self, view: &View, kind: Kind, base: Timebase) -> Picture {
        let mut picture = Picture::screen(view.title);
        trigger_mark(&mut picture);
        for (number, channel) in view.channels.iter().enumerate() {
            let place = self.place(number);
            picture.text(12, place.high + LETTER, place.ink, channel.label.into());
            picture.text(12, place.high + 2 * LETTER + 5, Ink::Soft, channel.note.clone());
        }
        let step = view.rate.shown(base.per_division);
        picture.caption(format!("{step} per division, trigger on the first line"), what_is_shown(kind, view));
        picture
    }
}

fn what_is_shown(kind: Kind, view: &View) -> String {
    let all = grouped(view.triggers.len() as u64);
    let averaged = view.triggers.len().min(AVERAGED);
    let single = if view.single == view.triggers.last().copied() { "the last" } else { "the last answered" };
    match kind {
        Kind::Single => format!("{single} of {all} pulses"),
        Kind::Average => format!("average of the last {averaged} of {all} pulses; a slope is as wide as their jitter"),
        Kind::Montage => format!("all {all} pulses, the darker the more often; line: {single}"),
        Kind::Overall => format!("all {all} pulses; dark line: average of the last {averaged}; thin line: {single}"),
    }
}

fn graticule(picture: &mut Picture) {
    picture.rect(LEFT, TOP, COLUMNS as u32, SCREEN_HEIGHT, Ink::Screen, 255);
    for division in 0..=DIVISIONS as u32 {
        picture.rect(LEFT + division * COLUMN_DIVISION, TOP, 1, SCREEN_HEIGHT, Ink::Graticule, 255);
    }
    for division in 0..=ROWS {
        let y = TOP + division * SCREEN_HEIGHT / ROWS;
        picture.rect(LEFT, y, COLUMNS as u32, 1, Ink::Graticule, 255);
    }
}

/// A small triangle that points down to the first line.
fn trigger_mark(picture: &mut Picture) {
    let mark = LEFT + COLUMN_DIVISION;
    for row in 0..5 {
        picture.rect(mark - (4 - row), TOP - 5 + row, 2 * (4 - row) + 1, 1, Ink::Text, 255);
    }
}

impl Picture {
    /// A heading over an empty screen.
    pub(super) fn screen(title: &str) -> Picture {
        let mut picture = Picture { title: title.into(), rects: Vec::new(), texts: Vec::new() };
        graticule(&mut picture);
        picture.text(LEFT, TOP - 14, Ink::Text, title.to_string());
        picture
    }

    /// Adds the two lines below the screen.
    pub(super) fn caption(&mut self, first: String, second: String) {
        self.text(12, TOP + SCREEN_HEIGHT + 22, Ink::Text, first);
        self.text(12, TOP + SCREEN_HEIGHT + 39, Ink::Soft, second);
    }

    /// Adds a rectangle; nothing for an empty one.
    pub(super) fn rect(&mut self, x: u32, y: u32, width: u32, height: u32, ink: Ink, strength: u8) {
        if width > 0 && height > 0 {
            self.rects.push(Rect { x, y, width, height, ink, strength });
        }
    }

    /// Adds a text that begins at `x`.
    pub(super) fn text(&mut self, x: u32, y: u32, ink: Ink, text: String) {
        self.texts.push(Text { x, y, ends_at_x: false, ink, text });
    }

    /// Adds a text that ends at `x`.
    pub(super) fn text_up_to(&mut self, x: u32, y: u32, ink: Ink, text: String) {
        self.texts.push(Text { x, y, ends_at_x: true, ink, text });
    }
}
