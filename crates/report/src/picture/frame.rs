// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen without its traces: graticule, labels, caption, and the position of each channel.
use super::plate::{HEIGHT, Ink, Plate, WIDTH};
use crate::wrap::cut;
use backwall_model::picture::COLUMNS;

pub(super) const LEFT: u32 = WIDTH - COLUMNS as u32 - 20;
pub(super) const TOP: u32 = 36;
pub(super) const DIVISIONS: u32 = 10;
pub(super) const ROWS: u32 = 8;
pub(super) const SCREEN_HEIGHT: u32 = HEIGHT - TOP - 46;
const COLUMN_DIVISION: u32 = COLUMNS as u32 / DIVISIONS;
// A longer title is cut; the heading above the picture has the full title.
const TITLE_COLUMNS: usize = 108;
const LETTER: u32 = 13;

pub(super) const MOST_CHANNELS: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub high: u32,
    pub low: u32,
    pub ink: Ink,
}

impl Place {
    pub(super) fn of(number: usize, channels: usize) -> Place {
        let height = SCREEN_HEIGHT / channels as u32;
        let top = TOP + height * (channels - 1 - number) as u32;
        Place { high: top + height / 4, low: top + height * 7 / 8, ink: Ink::Channel(number) }
    }

    pub(super) fn label(self, plate: &mut Plate, name: &str, note: String) {
        plate.text(12, self.high + LETTER, self.ink, name.to_string());
        plate.text(12, self.high + 2 * LETTER + 5, Ink::Soft, note);
    }
}

pub(super) fn screen(title: &str, [first, second]: [String; 2]) -> Plate {
    let caption = format!("{first}; {second}");
    let mut plate = Plate { title: title.into(), caption, ..Plate::default() };
    graticule(&mut plate);
    plate.text(12, TOP - 14, Ink::Text, cut(title, TITLE_COLUMNS));
    plate.text(12, TOP + SCREEN_HEIGHT + 22, Ink::Text, first);
    plate.text(12, TOP + SCREEN_HEIGHT + 39, Ink::Soft, second);
    plate
}

fn graticule(plate: &mut Plate) {
    plate.block((LEFT, TOP), (COLUMNS as u32, SCREEN_HEIGHT), Ink::Screen, 255);
    for division in 0..=DIVISIONS {
        plate.block((LEFT + division * COLUMN_DIVISION, TOP), (1, SCREEN_HEIGHT), Ink::Graticule, 255);
    }
    for division in 0..=ROWS {
        let y = TOP + division * SCREEN_HEIGHT / ROWS;
        plate.block((LEFT, y), (COLUMNS as u32, 1), Ink::Graticule, 255);
    }
}

/// Draws a small triangle that points down at the first vertical line of the graticule, the trigger.
pub(super) fn trigger_mark(plate: &mut Plate) {
    let mark = LEFT + COLUMN_DIVISION;
    for row in 0..5 {
        plate.block((mark - (4 - row), TOP - 5 + row), (2 * (4 - row) + 1, 1), Ink::Text, 255);
    }
}
