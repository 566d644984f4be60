// SPDX-License-Identifier: MIT OR Apache-2.0
//! L. Jelenkovic and L. Budin, "Time-Constrained Programming in Windows NT Environment", University of Zagreb.
use super::{Paper, Row, Table, row};

/// Table I: creating a thread on Windows NT, in microseconds: minimum, mean, and mean under load for each class (normal, high,
/// real-time).
pub const TABLE_1: Table = Table { paper: Paper::Events, place: "Table I", rows: &TABLE_1_ROWS };
const TABLE_1_ROWS: [Row; 3] = [
    row("Pentium, 133 MHz", "P133", &["714", "791", "830", "700", "836", "870", "700", "852", "880"]),
    row("Pentium MMX, 200 MHz", "P200", &["421", "498", "533", "427", "522", "548", "429", "516", "540"]),
    row("Celeron A, 300 MHz", "P300", &["280", "356", "317", "292", "351", "345", "291", "335", "333"]),
];

/// Table II: switching to a thread on Windows NT, in microseconds, for each class with 1, 4 and 20 series.
pub const TABLE_2: Table = Table { paper: Paper::Events, place: "Table II", rows: &TABLE_2_ROWS };
const TABLE_2_ROWS: [Row; 3] = [
    row("Pentium, 133 MHz", "P133", &["34", "562", "800", "41", "587", "805", "39", "581", "831"]),
    row("Pentium MMX, 200 MHz", "P200", &["15", "511", "477", "18", "509", "515", "18", "514", "516"]),
    row("Celeron A, 300 MHz", "P300", &["12", "479", "444", "11", "483", "514", "11", "507", "506"]),
];

/// Table III: processing time of an event (us), events in 10 s, and missed deadlines, by series.
pub const TABLE_3: Table = Table { paper: Paper::Events, place: "Table III", rows: &TABLE_3_ROWS };
const TABLE_3_ROWS: [Row; 9] = [
    row("1", "#failures 1", &["300", "1000", "3"]),
    row("2", "2", &["300", "2000", "4"]),
    row("4", "4", &["150", "4000", "10"]),
    row("4+1", "4+1", &["100", "4170", "9"]),
    row("7+3", "7+3", &["50", "3720", "17"]),
    row("10", "10", &["33", "10000", "18"]),
    row("20", "20", &["13", "20000", "29"]),
    row("30", "30", &["4", "30000", "12"]),
    row("40", "40", &["4", "40000", "24"]),
];

/// Tables IV and V: minimum and mean of creating a thread, then minimum and mean of switching to one, in microseconds.
pub const TABLES_4_AND_5: Table = Table { paper: Paper::Events, place: "Tables IV and V", rows: &TABLES_4_AND_5_ROWS };
const TABLES_4_AND_5_ROWS: [Row; 5] = [
    row("Windows 98, normal", "normal", &["776", "899", "35", "44"]),
    row("Windows 98, high", "high", &["777", "908", "45", "52"]),
    row("Windows 98, real-time", "real-time", &["782", "805", "45", "50"]),
    row("Linux 2.2.3, normal", "Normal", &["332", "415", "34", "53"]),
    row("Linux 2.2.3, real-time (FIFO)", "real-time (FIFO)", &["332", "412", "32", "33"]),
];

/// Figures from the paper's text.
pub const SAID: Table = Table { paper: Paper::Events, place: "text", rows: &SAID_ROWS };
const SAID_ROWS: [Row; 3] = [
    row("events that Windows NT handled in a period", "limit of about", &["250"]),
    row("the deadline of Table III", "processor with", &["1 msec"]),
    row("the period of Figure 5", "OS can handle in", &["10 msec"]),
];
