// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency over the arrival time: a sawtooth with one tooth per section with interrupts disabled, and the result in words.
use super::distance;
use super::frame::{self, LEFT, ROWS, SCREEN_HEIGHT, TOP};
use super::plate::{Ink, Plate};
use crate::table::{Align, Table};
use backwall_capture::connector;
use backwall_model::picture::{Arrivals, COLUMNS, Owner};
use backwall_model::units::step;
use backwall_model::units::{DisplayedValue, grouped};

const STROKE: u32 = 3;

pub(super) fn draw(arrivals: &Arrivals) -> Plate {
    let largest = arrivals.largest.iter().chain(&arrivals.smallest).copied().max().unwrap_or(0);
    let division = step::at_least(largest.saturating_add(largest / 20).div_ceil(ROWS.into()).max(1));
    let mut plate = frame::screen(&arrivals.title, [axes(arrivals, division), figures(arrivals)]);
    let y = |latency: u64| {
        let whole = u128::from(ROWS) * u128::from(division);
        TOP + SCREEN_HEIGHT - (u128::from(latency) * u128::from(SCREEN_HEIGHT) / whole) as u32
    };
    let latencies = arrivals.smallest.iter().zip(&arrivals.largest);
    for (column, (smallest, largest)) in arrivals.columns.iter().zip(latencies) {
        let (top, bottom) = (y(*largest.max(smallest)), y(*smallest));
        if usize::from(*column) < COLUMNS {
            let height = bottom - top + STROKE;
            plate.block((LEFT + u32::from(*column), top - STROKE / 2), (1, height), Ink::Channel(1), 255);
        }
    }
    for row in 0..=ROWS {
        let latency = DisplayedValue(division.saturating_mul(row.into()), arrivals.unit).to_string();
        plate.text_up_to(LEFT - 8, TOP + SCREEN_HEIGHT - row * SCREEN_HEIGHT / ROWS + 5, Ink::Soft, latency);
    }
    plate
}

fn axes(arrivals: &Arrivals, latencies: u64) -> String {
    format!(
        "arrival, to the right: {} per division, from {}; latency, upwards: {} per division",
        distance(arrivals.per_division, arrivals.unit),
        grouped(arrivals.start),
        distance(latencies, arrivals.unit)
    )
}

fn figures(arrivals: &Arrivals) -> String {
    let (Some(floor), Some(worst), Some(at)) = (arrivals.floor, arrivals.worst, arrivals.worst_at) else {
        return "no stimulus was answered".into();
    };
    let untried = match arrivals.untried {
        0 => "none left out".to_string(),
        count => format!("{} instants left out", grouped(count)),
    };
    format!(
        "{} arrivals, {untried}; smallest {}, largest {} at {}: longest irqs-off section {}",
        grouped(arrivals.arrivals),
        DisplayedValue(floor, arrivals.unit),
        DisplayedValue(worst, arrivals.unit),
        grouped(at),
        distance(worst.saturating_sub(floor), arrivals.unit)
    )
}

pub fn text(arrivals: &Arrivals) -> String {
    let (Some(floor), Some(worst), Some(at)) = (arrivals.floor, arrivals.worst, arrivals.worst_at) else {
        return format!("sweep of {}: no pulse was answered\n", arrivals.line);
    };
    let mut text = format!(
        "sweep of {}: {} arrivals answered, {} missed, {} instants between the first and the last were not tried\n\
         shortest {} instructions, longest {}, for an arrival at {}; {} {} instructions\n\
         This holds for every instant tried, for this image ({}), these inputs and this start.\n",
        arrivals.line,
        grouped(arrivals.arrivals),
        grouped(arrivals.missed),
        grouped(arrivals.untried),
        grouped(floor),
        grouped(worst),
        grouped(at),
        meaning(&arrivals.line),
        grouped(worst.saturating_sub(floor)),
        arrivals.guest,
    );
    if !arrivals.owners.is_empty() {
        text.push_str(&format!("\n{}", owners(&arrivals.owners, arrivals.other_owners)));
    }
    text
}

/// Explains the difference between the longest and the shortest latency. For an ISR, disabled interrupts are the only possible
/// delay; for a thread they are not.
fn meaning(line: &str) -> &'static str {
    if connector::response(line) == Some(connector::ISR) {
        "so interrupts were disabled for at most"
    } else {
        "so the arrival instant costs up to"
    }
}

fn owners(owners: &[Owner], others: u64) -> String {
    let mut table = Table::new(&[
        ("interrupted function", Align::Left),
        ("arrivals", Align::Right),
        ("masked", Align::Right),
        ("longest latency", Align::Right),
    ]);
    for owner in owners {
        table.row(vec![owner.name.clone(), grouped(owner.arrivals), grouped(owner.masked), grouped(owner.max)]);
    }
    let rest = if others > 0 { format!("and {} more\n", grouped(others)) } else { String::new() };
    table.text() + &rest
}
