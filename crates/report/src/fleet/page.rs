// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a fleet: the last run of every device, then each device by itself.
use super::words::{self, evidence, figures, minute};
use super::{history, table};
use crate::grid::Grid;
use crate::page::document;
use crate::phrase;
use crate::section::Section;
use crate::table::Align;
use backwall_fleet::history::{Device, Entry};
use backwall_model::units::{counted, grouped};
use backwall_model::{Key, Origin, Series};
use maud::{Markup, html};

/// Number of history rows on the page, the most recent ones; the page counts the others.
const MOST_ROWS: usize = 30;
/// Number of devices with their own picture and table; the overview table also names the others.
const MOST_DEVICES: usize = 500;

pub(crate) const INSTRUCTIONS: &str = "Instructions are not cycles: these figures count what an emulator executed and \
    say nothing about time.";

pub fn page(devices: &[Device]) -> String {
    let runs: usize = devices.iter().map(|device| device.entries.len()).sum();
    let title =
        format!("{}, {}", counted(devices.len() as u64, "device", "devices"), counted(runs as u64, "run", "runs"));
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "fleet: each device separately, no data pooled" } }
            h1 { (title) }
            @if emulated(devices) { p class="meta" { (INSTRUCTIONS) } }
        }
        (table(devices).section("devices"))
        @for (device, number) in devices.iter().zip(1..).take(MOST_DEVICES) { (section(device, number)) }
        @if devices.len() > MOST_DEVICES {
            p { (grouped((devices.len() - MOST_DEVICES) as u64)) " more devices are in the table only." }
        }
    };
    document(&format!("fleet, {title}"), &main)
}

fn emulated(devices: &[Device]) -> bool {
    devices.iter().flat_map(|device| &device.entries).any(|entry| entry.run.origin == Origin::Emulated)
}

fn section(device: &Device, number: usize) -> Section {
    let Some((_, series)) = words::headline(device) else {
        return Section::new(
            format!("device-{number}"),
            &device.name,
            "The last run has no figure for this chart.",
            html! {},
        );
    };
    let body = html! {
        ul { @for line in words::lines(device) { li { (line) } } }
        @if let Some(picture) = history::draw(device, &series.key, &format!("history-{number}")) {
            p class="aside" { (history::INTRO) }
            (picture)
        }
        (runs(device, &series.key))
    };
    Section::new(format!("device-{number}"), &device.name, phrase::series_of(&series.key), body)
}

fn runs(device: &Device, key: &Key) -> Markup {
    let mut rows: Vec<(&Entry, &Series)> = device.series(key).collect();
    let (all, others) = (rows.len(), device.entries.len() - rows.len());
    rows.reverse();
    rows.truncate(MOST_ROWS);
    let left = [("began", Align::Left), ("kernel", Align::Left)];
    let right = ["samples", "p99.9", "at most", "max"].map(|name| (name, Align::Right));
    let columns = left.into_iter().chain(right).chain([("valid", Align::Left)]).collect();
    let cells = |(entry, series): &(&Entry, &Series)| {
        let [samples, quantile, limit, max] = figures(series);
        let (when, evidence) = (minute(&entry.run.started), evidence(&entry.run, key));
        vec![when, entry.kernel.clone(), samples, quantile, limit, max, evidence]
    };
    let grid: Grid =
        Grid { title: "", intro: String::new(), columns, dispensable: vec![], rows: rows.iter().map(cells).collect() };
    html! {
        (grid.table())
        @if all > MOST_ROWS { p class="aside" { (grouped((all - MOST_ROWS) as u64)) " older runs are in the folder." } }
        @if others > 0 { p class="aside" { (grouped(others as u64)) " runs of other series (" (phrase::phase_of(key)) "does \
            not occur in them)." } }
    }
}
