// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of the table of series, one entry each. Tables, report page and exports all use this list.
use super::Series;

/// A column of figures.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Title of the column.
    pub title: &'static str,
    /// The figure of a series that the column shows.
    pub figure: Figure,
    /// Outputs that have the column.
    pub views: &'static [View],
    /// Order in which a narrow screen drops columns, from 1; 0 is never dropped.
    pub goes: u8,
    /// Name and help text of the Prometheus metric.
    pub metric: Option<(&'static str, &'static str)>,
}

/// Outputs that show figures of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The terminal's first screen.
    Screen,
    /// The full table.
    Table,
    /// The report page.
    Page,
    /// CSV export.
    Csv,
}

/// A figure of a series, for views that draw it in different ways.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// A number of stimuli; `None` if nobody counted them.
    Count(fn(&Series) -> Option<u64>),
    /// A number of stimuli that should be 0, such as missed ones.
    Fault(fn(&Series) -> Option<u64>),
    /// The smallest.
    Min,
    /// The mean.
    Mean,
    /// One quantile.
    Quantile(f64),
    /// All quantiles that the run lists, one column each.
    Quantiles,
    /// The largest.
    Max,
    /// Largest minus smallest.
    Jitter,
}

use Figure::{Count, Fault, Jitter, Max, Mean, Min, Quantile, Quantiles};
use View::{Csv, Page, Screen, Table};

/// Defaults: shown nowhere, never dropped, no metric.
const COLUMN: Column = Column { title: "", figure: Min, views: &[], goes: 0, metric: None };

/// All columns, from left to right.
pub static COLUMNS: [Column; 19] = [
    Column {
        title: "due",
        figure: Count(|series| series.due),
        views: &[Table, Page, Csv],
        metric: Some(("backwall_stimuli_due_total", "Stimuli that were due: done, missed and unseen.")),
        ..COLUMN
    },
    Column {
        title: "done",
        figure: Count(|series| Some(series.done)),
        views: &[Table, Page, Csv],
        metric: Some(("backwall_stimuli_done_total", "Stimuli that were answered, warm-up included.")),
        ..COLUMN
    },
    Column { title: "wakeups", figure: Count(|series| Some(series.counted())), views: &[Screen], goes: 3, ..COLUMN },
    Column {
        title: "missed",
        figure: Fault(Series::without_response),
        views: &[Screen, Table, Page],
        goes: 6,
        ..COLUMN
    },
    Column {
        title: "missed",
        figure: Count(|series| series.missed),
        views: &[Csv],
        metric: Some(("backwall_stimuli_missed_total", "Stimuli that were not answered.")),
        ..COLUMN
    },
    Column {
        title: "unseen",
        figure: Count(|series| series.missed.map(|_| series.unseen)),
        views: &[Csv],
        metric: Some(("backwall_stimuli_unseen_total", "Stimuli whose answer lies in a gap of the recording.")),
        ..COLUMN
    },
    Column {
        title: "skipped",
        figure: Count(|series| series.missed.map(|_| series.skipped)),
        views: &[Csv],
        metric: Some(("backwall_stimuli_skipped_total", "Missed stimuli that the overload rule skipped.")),
        ..COLUMN
    },
    Column {
        title: "late",
        figure: Fault(|series| series.late),
        views: &[Screen, Table, Page, Csv],
        goes: 2,
        metric: Some(("backwall_responses_late_total", "Answers after their deadline.")),
    },
    Column {
        title: "warmup",
        figure: Count(|series| Some(series.warmup)),
        views: &[Csv],
        metric: Some(("backwall_warmup_total", "Answers before the steady state, left out of every latency figure.")),
        ..COLUMN
    },
    Column { title: "overflow", figure: Count(|series| Some(series.overflow)), views: &[Csv], ..COLUMN },
    Column {
        title: "min",
        figure: Min,
        views: &[Table, Page, Csv],
        metric: Some(("backwall_latency_min", "Smallest latency, exactly.")),
        ..COLUMN
    },
    Column { title: "mean", figure: Mean, views: &[Table, Page, Csv], ..COLUMN },
    Column { title: "p50", figure: Quantile(0.5), views: &[Screen, Table], goes: 4, ..COLUMN },
    Column { title: "p99", figure: Quantile(0.99), views: &[Screen, Table], goes: 1, ..COLUMN },
    Column { title: "p99.9", figure: Quantile(0.999), views: &[Screen, Table], goes: 5, ..COLUMN },
    Column { title: "p99.99", figure: Quantile(0.9999), views: &[Table], ..COLUMN },
    Column { title: "quantiles", figure: Quantiles, views: &[Page, Csv], ..COLUMN },
    Column {
        title: "max",
        figure: Max,
        views: &[Screen, Table, Page, Csv],
        metric: Some(("backwall_latency_max", "Largest latency of this run, exactly.")),
        ..COLUMN
    },
    Column { title: "jitter", figure: Jitter, views: &[Table, Page], ..COLUMN },
];

impl Column {
    /// The columns of one output.
    pub fn of(view: View) -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(move |column| column.views.contains(&view))
    }
}
