// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an oscilloscope's screen would show of one stimulus line and its response lines.
//!
//! The size is bounded by the screen, not by the capture: each sweep keeps only the columns with an edge and the columns where
//! the line was high.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// Columns of a screen: ten divisions of 60. The trigger is at the first grid line.
pub const COLUMNS: usize = 600;

/// Sweeps in an average, as on the oscilloscope of the 2002 papers.
pub const AVERAGED: usize = 128;

/// Three screens of the same pulses. Each has the shortest time base that shows everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screens {
    /// What was measured, in a few words.
    pub title: String,
    /// The stimulus line.
    pub stimulus: String,
    /// Unit of all times.
    pub unit: Unit,
    /// Number of measured pulses, without the warm-up.
    pub pulses: u64,
    /// Whether the single sweep shows the last pulse. If `false`, it shows the last answered pulse.
    pub single_is_last: bool,
    /// One sweep (the 2002 paper's Figure 5).
    pub single: Screen,
    /// The average of the last [`AVERAGED`] sweeps (Figure 6 of that paper).
    pub average: Screen,
    /// All sweeps, with the average and the single sweep (Figures 7, 9 and 10 of that paper).
    pub all: Screen,
}

/// One screen: its time base and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screen {
    /// Length of a division.
    pub per_division: u64,
    /// The stimulus line, then the response lines.
    pub channels: Vec<Channel>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Name of the line.
    pub line: String,
    /// Shortest latency in the sweeps; absent for the stimulus line, and if nothing was answered.
    pub shortest: Option<u64>,
    /// Longest latency in the sweeps.
    pub longest: Option<u64>,
    /// The single sweep.
    pub single: Option<Overlay>,
    /// The last [`AVERAGED`] sweeps.
    pub average: Option<Overlay>,
    /// Every sweep.
    pub all: Option<Overlay>,
}

/// Overlaid sweeps of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// Number of sweeps.
    pub sweeps: u32,
    /// Column borders at which the number of high sweeps changes, from 0 to [`COLUMNS`].
    pub borders: Vec<u16>,
    /// Number of sweeps that are high from each of these borders on.
    pub high: Vec<u32>,
    /// Columns with an edge, from left to right.
    pub columns: Vec<u16>,
    /// Number of edges in each of these columns, over all sweeps.
    pub edges: Vec<u32>,
}

impl Overlay {
    /// Creates an overlay from one count per border (`high`) and one per column (`edges`).
    pub fn new(sweeps: u32, high: &[u32], edges: &[u32]) -> Self {
        let changes = high.iter().enumerate().filter(|(border, count)| match border.checked_sub(1) {
            Some(before) => **count != high[before],
            None => **count > 0,
        });
        let (borders, high) = changes.map(|(border, count)| (border as u16, *count)).unzip();
        let hit = edges.iter().enumerate().filter(|(_, count)| **count > 0);
        let (columns, edges) = hit.map(|(column, count)| (column as u16, *count)).unzip();
        Self { sweeps, borders, high, columns, edges }
    }

    /// Number of high sweeps at each border. It never exceeds the number of sweeps, even if the file says so.
    pub fn high_at_borders(&self) -> Vec<u32> {
        let mut high = vec![0; COLUMNS + 1];
        for (border, count) in self.borders.iter().zip(&self.high) {
            high.iter_mut().skip(usize::from(*border)).for_each(|place| *place = (*count).min(self.sweeps));
        }
        high
    }

    /// Edges in each column.
    pub fn edges_in_columns(&self) -> Vec<u32> {
        let mut edges = vec![0; COLUMNS];
        for (column, count) in self.columns.iter().zip(&self.edges) {
            edges.iter_mut().skip(usize::from(*column)).take(1).for_each(|place| *place = *count);
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_file_holds_beyond_the_screen_is_not_on_it() {
        let overlay = Overlay {
            sweeps: 3,
            borders: vec![9, 601, 5],
            high: vec![7, 1],
            columns: vec![600, 65_535, 0],
            edges: vec![1, 2, 3, 4],
        };
        assert_eq!(overlay.high_at_borders()[8..=9], [0, 3]);
        assert_eq!(overlay.edges_in_columns().iter().sum::<u32>(), 3);
    }

    proptest! {
        #[test]
        fn counts_come_back_as_they_were(
            high in prop::collection::vec(0..40u32, COLUMNS + 1), edges in prop::collection::vec(0..3u32, COLUMNS),
        ) {
            let overlay = Overlay::new(40, &high, &edges);
            prop_assert_eq!(overlay.high_at_borders(), high);
            prop_assert_eq!(overlay.edges_in_columns(), edges);
        }
    }
}
