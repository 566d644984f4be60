// SPDX-License-Identifier: MIT OR Apache-2.0
//! A fleet as text and page: each device with its history, its worst response with its cause, and effects of its kernels.
mod fleet_row;
mod history;
mod json;
mod page;
mod words;

pub use fleet_row::{FleetRow, Lately, Outcome};
pub use json::json;
pub(crate) use page::INSTRUCTIONS;
pub use page::page;
pub(crate) use words::figures;
pub use words::{cause, evidence, headline};

use crate::grid::Grid;
use crate::printable::printable;
use crate::table::Align;
use crate::wrap::wrapped;
use backwall_fleet::history::Device;

pub fn text(devices: &[Device], columns: usize) -> String {
    let mut said = table(devices).fitted(columns);
    for device in devices {
        for line in words::lines(device) {
            said += &wrapped(&printable(&format!("{}: {line}", device.name)), columns);
        }
    }
    said
}

fn table(devices: &[Device]) -> Grid {
    let left = [("device", Align::Left), ("last run", Align::Right), ("kernel", Align::Left), ("phase", Align::Left)];
    let right = ["runs", "samples", "p99.9", "at most", "max"].map(|name| (name, Align::Right));
    let columns = left.into_iter().chain(right).chain([("valid", Align::Left)]).collect();
    Grid {
        title: "Devices",
        intro: String::new(),
        columns,
        dispensable: vec!["at most", "phase", "runs", "kernel", "samples"],
        rows: devices.iter().map(words::row).collect(),
    }
}
