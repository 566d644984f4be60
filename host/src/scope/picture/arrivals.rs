// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency against the instant of arrival: a saw, one tooth for each masked stretch.
use super::frame::{LEFT, ROWS, SCREEN_HEIGHT, TOP};
use super::{Ink, Picture};
use crate::scope::screen::COLUMNS;
use crate::scope::sweep::Sweep;
use crate::scope::tick::{Tick, TickRate};
use crate::scope::timebase::{DIVISIONS, step_of_at_least};
use crate::units::{Shown, grouped};

const STROKE: u32 = 3;

/// The axes: where the first column begins, and the size of the divisions.
struct Axes {
    start: u64,
    instants: u64,  // a division from left to right
    latencies: u64, // a division from bottom to top
}

impl Axes {
    fn of(sweep: &Sweep) -> Axes {
        let bounds = sweep.arrivals().first().zip(sweep.arrivals().last()).map(|(a, b)| (a.at.0, b.at.0));
        let (first, last) = bounds.unwrap_or((0, 0));
        let largest = sweep.worst().map_or(0, |worst| worst.latency.0);
        let mut instants = step_of_at_least((last - first + 1).div_ceil(DIVISIONS));
        while last >= (first / instants * instants).saturating_add(DIVISIONS.saturating_mul(instants)) {
            instants = step_of_at_least(instants + 1); // the start is rounded down to a division
        }
        let latencies = step_of_at_least((largest + largest / 20).div_ceil(ROWS as u64).max(1));
        Axes { start: first / instants * instants, instants, latencies }
    }

    fn column(&self, at: u64) -> usize {
        ((at - self.start) as u128 * COLUMNS as u128 / (DIVISIONS as u128 * self.instants as u128)) as usize
    }

    fn y(&self, latency: u64) -> u32 {
        let full = ROWS as u128 * self.latencies as u128;
        TOP + SCREEN_HEIGHT - (latency as u128 * SCREEN_HEIGHT as u128 / full) as u32
    }
}

pub(super) fn draw(sweep: &Sweep, rate: TickRate, title: &str) -> Picture {
    let axes = Axes::of(sweep);
    let mut picture = Picture::screen(title);
    for (column, (smallest, largest)) in columns(sweep, &axes).into_iter().enumerate() {
        if smallest <= largest {
            let (top, bottom) = (axes.y(largest), axes.y(smallest));
            picture.rect(LEFT + column as u32, top - STROKE / 2, 1, bottom - top + STROKE, Ink::Trace(1), 255);
        }
    }
    label(&mut picture, &axes, rate);
    let distance = |ticks: u64| rate.shown(Tick(ticks));
    let first = format!(
        "arrival, to the right: {} per division, from {}; latency, upwards: {} per division",
        distance(axes.instants),
        grouped(rate.value_of(Tick(axes.start))),
        distance(axes.latencies)
    );
    picture.caption(first, figures(sweep, rate));
    picture
}

/// Smallest and largest latency of each column; the smallest is above the largest where none is.
fn columns(sweep: &Sweep, axes: &Axes) -> Vec<(u64, u64)> {
    let mut columns = vec![(u64::MAX, 0); COLUMNS];
    for arrival in sweep.arrivals() {
        let from = axes.column(arrival.at.0);
        let to = axes.column(arrival.at.0 + 1).max(from + 1).min(COLUMNS);
        for column in &mut columns[from..to] {
            *column = (column.0.min(arrival.latency.0), column.1.max(arrival.latency.0));
        }
    }
    columns
}

fn label(picture: &mut Picture, axes: &Axes, rate: TickRate) {
    for row in 0..=ROWS {
        let latency = Shown(rate.value_of(Tick(axes.latencies * u64::from(row))), rate.unit()).to_string();
        picture.text_up_to(LEFT - 8, TOP + SCREEN_HEIGHT - row * SCREEN_HEIGHT / ROWS + 5, Ink::Soft, latency);
    }
}

fn figures(sweep: &Sweep, rate: TickRate) -> String {
    let (Some(floor), Some(worst), Some(masked)) = (sweep.floor(), sweep.worst(), sweep.longest_masked()) else {
        return "no stimulus was answered".into();
    };
    let tried = grouped(sweep.arrivals().len() as u64);
    let untried = match sweep.untried() {
        0 => "none left out".to_string(),
        count => format!("{} instants left out", grouped(count)),
    };
    format!(
        "{tried} arrivals, {untried}; smallest {}, largest {} at {}: longest masked stretch {}",
        Shown(rate.value_of(floor), rate.unit()),
        Shown(rate.value_of(worst.latency), rate.unit()),
        grouped(rate.value_of(worst.at)),
        rate.shown(masked)
    )
}
