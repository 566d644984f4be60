// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three ways a trace is drawn.
use super::frame::Place;
use super::{Ink, Picture};
use crate::scope::screen::{COLUMNS, Gathered};

/// Strength of a trace that is drawn alone.
pub(super) const ALONE: u8 = 255;
/// Strength of the last sweep over the shades of all.
pub(super) const OVER_SHADES: u8 = 200;

const STROKE: u32 = 2;
const AVERAGE_STROKE: u32 = 3;
const FAINTEST: u32 = 56; // a single outlier must be visible
const STRONGEST: u32 = 184;

/// One sweep as a line.
pub(super) fn trace(picture: &mut Picture, place: Place, gathered: &Gathered, strength: u8) {
    runs(
        |column| gathered.high[column] > 0,
        |from, to, is_high| {
            let y = if is_high { place.high } else { place.low };
            picture.rect(place.left + from as u32, y, (to - from) as u32, STROKE, place.ink, strength);
        },
    );
    for column in (0..COLUMNS).filter(|column| gathered.edges[*column] > 0) {
        picture.rect(place.left + column as u32, place.high, 1, place.low - place.high + STROKE, place.ink, strength);
    }
}

/// All sweeps: how often the line is high, low and on its way, as shades.
pub(super) fn intensity(picture: &mut Picture, place: Place, gathered: &Gathered) {
    let sweeps = gathered.sweeps;
    let levels = [(place.high, true), (place.low, false)];
    for (y, level) in levels {
        let count = |column: usize| if level { gathered.high[column] } else { sweeps - gathered.high[column] };
        runs(
            |column| shade(count(column), sweeps),
            |from, to, strength| {
                picture.rect(place.left + from as u32, y, (to - from) as u32, STROKE, place.ink, strength)
            },
        );
    }
    let between = (place.high + STROKE, place.low - place.high - STROKE);
    runs(
        |column| shade(gathered.edges[column], sweeps),
        |from, to, strength| {
            picture.rect(place.left + from as u32, between.0, (to - from) as u32, between.1, place.ink, strength);
        },
    );
}

/// The share of sweeps that are high, as height.
pub(super) fn average(picture: &mut Picture, place: Place, gathered: &Gathered, ink: Ink) {
    let span = u64::from(place.low - place.high);
    let sweeps = u64::from(gathered.sweeps.max(1));
    let y = |border: usize| place.low - (span * u64::from(gathered.high[border]) / sweeps) as u32;
    runs(
        |column| (y(column).min(y(column + 1)), y(column).max(y(column + 1))),
        |from, to, (top, bottom)| {
            let height = bottom - top + AVERAGE_STROKE;
            picture.rect(place.left + from as u32, top - 1, (to - from) as u32, height, ink, ALONE);
        },
    );
}

/// Calls `draw` for each run of columns with an equal value.
fn runs<T: PartialEq + Copy>(value: impl Fn(usize) -> T, mut draw: impl FnMut(usize, usize, T)) {
    let mut from = 0;
    for column in 1..=COLUMNS {
        if column == COLUMNS || value(column) != value(from) {
            draw(from, column, value(from));
            from = column;
        }
    }
}

/// Eight strengths by the logarithm of a count; 0 for none.
fn shade(count: u32, most: u32) -> u8 {
    if count == 0 {
        return 0;
    }
    let steps = 7 * count.min(most).ilog2() / most.ilog2().max(1);
    (FAINTEST + (STRONGEST - FAINTEST) * steps / 7) as u8
}
