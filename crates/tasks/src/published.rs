// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables I to V as published: L. Jelenkovic and L. Budin, "Time-Constrained Programming in Windows NT Environment", University
//! of Zagreb: event series on Windows NT, Windows 98 and Linux 2.2.
//!
//! They stand beside our figures as they were printed, in whole microseconds: other machines and other systems.

/// What the figures are, for the reader.
pub const SOURCE: &str = "Jelenkovic and Budin, University of Zagreb";

/// The machine of all figures that name none.
pub const MACHINE: &str = "Pentium MMX, 200 MHz";

/// The processors of Tables I and II.
pub const PROCESSORS: [&str; 3] = ["Pentium, 133 MHz", MACHINE, "Celeron A, 300 MHz"];

/// The priority classes of Windows.
pub const CLASSES: [&str; 3] = ["normal", "high", "real-time"];

/// Table I: of each processor and class, least, mean, and mean under load of creating a thread on Windows NT.
pub const TABLE_1: [[[u64; 3]; 3]; 3] = [
    [[714, 791, 830], [700, 836, 870], [700, 852, 880]],
    [[421, 498, 533], [427, 522, 548], [429, 516, 540]],
    [[280, 356, 317], [292, 351, 345], [291, 335, 333]],
];

/// Table II: of each processor and class, the switch to a thread with 1, 4 and 20 series on Windows NT.
pub const TABLE_2: [[[u64; 3]; 3]; 3] = [
    [[34, 562, 800], [41, 587, 805], [39, 581, 831]],
    [[15, 511, 477], [18, 509, 515], [18, 514, 516]],
    [[12, 479, 444], [11, 483, 514], [11, 507, 506]],
];

/// A row of Table III.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Series that release an event each period.
    pub periodic: u64,
    /// Series whose events come as they like, more urgent.
    pub sporadic: u64,
    /// Of each event, in microseconds.
    pub computation_us: u64,
    /// In microseconds: 10 ms, but for the row whose events come out so with 20 ms alone.
    pub period_us: u64,
    /// Events in 10 s.
    pub events: u64,
    /// Of which missed their deadlines of 1 ms, on Windows NT.
    pub failures: u64,
}

const fn mix(periodic: u64, sporadic: u64, computation_us: u64, period_us: u64, events: u64, failures: u64) -> Mix {
    Mix { periodic, sporadic, computation_us, period_us, events, failures }
}

/// Table III.
pub const TABLE_3: [Mix; 9] = [
    mix(1, 0, 300, 10_000, 1_000, 3),
    mix(2, 0, 300, 10_000, 2_000, 4),
    mix(4, 0, 150, 10_000, 4_000, 10),
    mix(4, 1, 100, 10_000, 4_170, 9),
    mix(7, 3, 50, 20_000, 3_720, 17),
    mix(10, 0, 33, 10_000, 10_000, 18),
    mix(20, 0, 13, 10_000, 20_000, 29),
    mix(30, 0, 4, 10_000, 30_000, 12),
    mix(40, 0, 4, 10_000, 40_000, 24),
];

/// Length of a mix and the deadline of its events.
pub const MIX_NS: u64 = 10_000_000_000;
/// Of every event of a mix.
pub const DEADLINE_NS: u64 = 1_000_000;

impl Mix {
    /// As the paper writes it: `4`, `4+1`.
    pub fn name(&self) -> String {
        if self.sporadic == 0 { self.periodic.to_string() } else { format!("{}+{}", self.periodic, self.sporadic) }
    }

    /// Mean distance of the events of one sporadic series, so that all come to the number printed.
    pub fn mean_ns(&self) -> u64 {
        let periodic = self.periodic * (MIX_NS / (self.period_us * 1_000));
        MIX_NS * self.sporadic / (self.events - periodic).max(1)
    }
}

/// Tables IV and V: system, class, least and mean of creating a thread, least and mean of switching to one.
pub const TABLES_4_AND_5: [(&str, &str, [u64; 4]); 5] = [
    ("Windows 98", "normal", [776, 899, 35, 44]),
    ("Windows 98", "high", [777, 908, 45, 52]),
    ("Windows 98", "real-time", [782, 805, 45, 50]),
    ("Linux 2.2.3", "normal", [332, 415, 34, 53]),
    ("Linux 2.2.3", "real-time (FIFO)", [332, 412, 32, 33]),
];

/// What Figure 4 compares: system, mean of creating a thread and of switching to one, real-time class.
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
        let whole = TABLE_3.map(|mix| mix.name()).join(" ");
        assert_eq!(whole, "1 2 4 4+1 7+3 10 20 30 40");
    }

    #[test]
    fn no_mean_is_below_its_least() {
        assert!(TABLE_1.iter().flatten().all(|[least, mean, _]| least <= mean));
        assert!(
            TABLES_4_AND_5
                .iter()
                .all(|(_, _, [least, mean, least_switch, mean_switch])| least <= mean && least_switch <= mean_switch)
        );
        assert_eq!(FIGURE_4, [("Windows NT", 516, 18), ("Windows 98", 805, 50), ("Linux 2.2.3", 412, 33)]);
    }
}
