// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three ways to draw overlaid sweeps.
use super::frame::{LEFT, Place};
use super::plate::{Ink, Plate};
use backwall_model::picture::{COLUMNS, Overlay};

pub(super) const ALONE: u8 = 255;
pub(super) const OVER_SHADES: u8 = 200;

const STROKE: u32 = 2;
const AVERAGE_STROKE: u32 = 3;
const FAINTEST: u32 = 56; // a single outlier must be visible
const STRONGEST: u32 = 184;

pub(super) fn line(plate: &mut Plate, place: Place, overlay: &Overlay, strength: u8) {
    let high = overlay.high_at_borders();
    stretches(
        |column| high[column] > 0,
        |from, to, is_high| {
            let y = if is_high { place.high } else { place.low };
            plate.block((left(from), y), ((to - from) as u32, STROKE), place.ink, strength);
        },
    );
    for column in overlay.edges_in_columns().iter().enumerate().filter(|(_, edges)| **edges > 0).map(|found| found.0) {
        plate.block((left(column), place.high), (1, place.low - place.high + STROKE), place.ink, strength);
    }
}

/// Shades all sweeps by how often the line is high, low or changing.
pub(super) fn shades(plate: &mut Plate, place: Place, overlay: &Overlay) {
    let sweeps = overlay.sweeps;
    let (high, edges) = (overlay.high_at_borders(), overlay.edges_in_columns());
    let low: Vec<u32> = high.iter().map(|count| sweeps - count).collect();
    let between = place.high + STROKE;
    let bands = [(&high, place.high, STROKE), (&low, place.low, STROKE), (&edges, between, place.low - between)];
    for (counts, y, height) in bands {
        stretches(
            |column| shade(counts[column], sweeps),
            |from, to, strength| plate.block((left(from), y), ((to - from) as u32, height), place.ink, strength),
        );
    }
}

pub(super) fn average(plate: &mut Plate, place: Place, overlay: &Overlay, ink: Ink) {
    let span = u64::from(place.low - place.high);
    let sweeps = u64::from(overlay.sweeps.max(1));
    let high = overlay.high_at_borders();
    let y = |border: usize| place.low - (span * u64::from(high[border]) / sweeps) as u32;
    stretches(
        |column| (y(column).min(y(column + 1)), y(column).max(y(column + 1))),
        |from, to, (top, bottom)| {
            plate.block((left(from), top - 1), ((to - from) as u32, bottom - top + AVERAGE_STROKE), ink, ALONE);
        },
    );
}

fn left(column: usize) -> u32 {
    LEFT + column as u32
}

fn stretches<T: PartialEq + Copy>(value: impl Fn(usize) -> T, mut draw: impl FnMut(usize, usize, T)) {
    let mut from = 0;
    for column in 1..=COLUMNS {
        if column == COLUMNS || value(column) != value(from) {
            draw(from, column, value(from));
            from = column;
        }
    }
}

fn shade(count: u32, most: u32) -> u8 {
    if count == 0 || most == 0 {
        return 0;
    }
    let steps = 7 * count.min(most).ilog2() / most.ilog2().max(1);
    (FAINTEST + (STRONGEST - FAINTEST) * steps / 7) as u8
}
