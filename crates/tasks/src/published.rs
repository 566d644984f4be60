// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables I to V as published in L. Jelenkovic and L. Budin, "Time-Constrained Programming in Windows NT Environment", University
//! of Zagreb: event series on Windows NT, Windows 98 and Linux 2.2.
//!
//! backwall shows them next to its own figures as printed, in whole microseconds. They come from other machines and other
//! systems.
use backwall_model::papers::{Row, Table, events, number};

/// Who published the figures.
pub const SOURCE: &str = "Jelenkovic and Budin, University of Zagreb";

/// The machine of all figures for which the paper names no other.
pub const MACHINE: &str = events::TABLE_1.rows[1].name;

/// The processors of Tables I and II.
pub const PROCESSORS: [&str; 3] = [events::TABLE_1.rows[0].name, MACHINE, events::TABLE_1.rows[2].name];

/// The priority classes of Windows.
pub const CLASSES: [&str; 3] = ["normal", "high", "real-time"];

const fn classes(row: Row) -> [[u64; 3]; 3] {
    [row.numbers(0), row.numbers(3), row.numbers(6)]
}

const fn by_processor(table: Table) -> [[[u64; 3]; 3]; 3] {
    [classes(table.rows[0]), classes(table.rows[1]), classes(table.rows[2])]
}

/// Table I: for each processor and priority class, the time to create a thread on Windows NT: minimum, mean, and mean under load.
pub const TABLE_1: [[[u64; 3]; 3]; 3] = by_processor(events::TABLE_1);

/// Table II: for each processor and priority class, the time to switch to a thread on Windows NT with 1, 4 and 20 series.
pub const TABLE_2: [[[u64; 3]; 3]; 3] = by_processor(events::TABLE_2);

/// A row of Table III.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Number of series that release an event each period.
    pub periodic: u64,
    /// Number of series of higher priority with random events.
    pub sporadic: u64,
    /// Computation time of each event, in microseconds.
    pub computation_us: u64,
    /// The period in microseconds: 10 ms, except in one row whose number of events fits only 20 ms.
    pub period_us: u64,
    /// Events in 10 s.
    pub events: u64,
    /// Events that missed their deadline of 1 ms on Windows NT.
    pub failures: u64,
}

const fn mix(row: usize, periodic: u64, sporadic: u64, period_us: u64) -> Mix {
    let [computation_us, events, failures] = events::TABLE_3.rows[row].numbers(0);
    Mix { periodic, sporadic, computation_us, period_us, events, failures }
}

/// Table III.
pub const TABLE_3: [Mix; 9] = [
    mix(0, 1, 0, 10_000),
    mix(1, 2, 0, 10_000),
    mix(2, 4, 0, 10_000),
    mix(3, 4, 1, 10_000),
    mix(4, 7, 3, 20_000),
    mix(5, 10, 0, 10_000),
    mix(6, 20, 0, 10_000),
    mix(7, 30, 0, 10_000),
    mix(8, 40, 0, 10_000),
];

/// Events per 10 ms that Windows NT handled, from the text of the paper's conclusion.
pub const FOUND_IN_A_PERIOD: u64 = number(events::SAID.rows[0].values[0]);

/// Length of a mix.
pub const MIX_NS: u64 = 10_000_000_000;
/// Deadline of every event in a mix.
pub const DEADLINE_NS: u64 = 1_000_000;

impl Mix {
    /// The name in the paper, such as `4` or `4+1`.
    pub fn name(&self) -> String {
        if self.sporadic == 0 { self.periodic.to_string() } else { format!("{}+{}", self.periodic, self.sporadic) }
    }

    /// Mean time between the events of one sporadic series, with which all series together have the printed number of events.
    pub fn mean_ns(&self) -> u64 {
        let periodic = self.periodic * (MIX_NS / (self.period_us * 1_000));
        MIX_NS * self.sporadic / (self.events - periodic).max(1)
    }
}

/// Tables IV and V: system, priority class, minimum and mean time to create a thread, minimum and mean time to switch to one.
pub const TABLES_4_AND_5: [(&str, &str, [u64; 4]); 5] = [
    ("Windows 98", "normal", events::TABLES_4_AND_5.rows[0].numbers(0)),
    ("Windows 98", "high", events::TABLES_4_AND_5.rows[1].numbers(0)),
    ("Windows 98", "real-time", events::TABLES_4_AND_5.rows[2].numbers(0)),
    ("Linux 2.2.3", "normal", events::TABLES_4_AND_5.rows[3].numbers(0)),
    ("Linux 2.2.3", "real-time (FIFO)", events::TABLES_4_AND_5.rows[4].numbers(0)),
];

/// Figure 4: system, mean time to create a thread, and mean time to switch to one, in the real-time class.
pub const FIGURE_4: [(&str, u64, u64); 3] = [
    ("Windows NT", TABLE_1[1][2][1], TABLE_2[1][2][0]),
    ("Windows 98", TABLES_4_AND_5[2].2[1], TABLES_4_AND_5[2].2[3]),
    ("Linux 2.2.3", TABLES_4_AND_5[4].2[1], TABLES_4_AND_5[4].2[3]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_each_mix_come_to_the_number_printed() {
        for mix in TABLE_3 {
            let periodic = mix.periodic * (MIX_NS / (mix.period_us * 1_000));
            let sporadic = if mix.sporadic == 0 { 0 } else { mix.sporadic * MIX_NS / mix.mean_ns() };
            assert!((periodic + sporadic).abs_diff(mix.events) <= mix.sporadic, "{}", mix.name());
        }
        assert_eq!(
            TABLE_3.map(|mix| mix.name()).as_slice(),
            events::TABLE_3.rows.iter().map(|row| row.name).collect::<Vec<_>>()
        );
    }

    #[test]
    fn no_mean_is_below_its_least() {
        assert!(TABLE_1.iter().flatten().all(|[least, mean, _]| least <= mean));
        assert!(
            TABLES_4_AND_5
                .iter()
                .all(|(_, _, [least, mean, least_switch, mean_switch])| least <= mean && least_switch <= mean_switch)
        );
        let named = TABLES_4_AND_5.map(|(system, class, _)| format!("{system}, {class}"));
        assert_eq!(named.as_slice(), events::TABLES_4_AND_5.rows.iter().map(|row| row.name).collect::<Vec<_>>());
        assert_eq!(FIGURE_4, [("Windows NT", 516, 18), ("Windows 98", 805, 50), ("Linux 2.2.3", 412, 33)]);
    }
}
