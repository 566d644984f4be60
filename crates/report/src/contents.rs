// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contents of a capture as text, so that its lines can be named.
use crate::table::{Align, Table};
use backwall_capture::contents::Contents;
use backwall_model::units::{DisplayedValue, Unit, grouped};

/// Pulses of a logic analyzer are short, so below 10 us every nanosecond is shown.
fn time(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns if value < 10_000 => format!("{} ns", grouped(value)),
        _ => DisplayedValue(value, unit).to_string(),
    }
}

pub fn text(held: &Contents) -> String {
    let shown = |value: u64| time(value, held.unit);
    let figures = ["rises", "falls", "first", "last", "shortest"].map(|name| (name, Align::Right));
    let columns: Vec<(&str, Align)> = [("line", Align::Left)].into_iter().chain(figures).collect();
    let mut table = Table::new(&columns);
    for line in &held.lines {
        let some = |value: Option<u64>| value.map_or("-".to_string(), shown);
        let counts = [line.rises, line.falls].map(|count| grouped(count as u64));
        let times = [line.first, line.last, line.shortest].map(some);
        table.row([line.name.clone()].into_iter().chain(counts).chain(times).collect());
    }
    let gaps = if held.gaps > 0 { format!(", {} gaps in the recording", held.gaps) } else { String::new() };
    format!("{}length {}{gaps}\n", table.text(), shown(held.length))
}
