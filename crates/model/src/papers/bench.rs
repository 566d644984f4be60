// SPDX-License-Identifier: MIT OR Apache-2.0
//! C. Tacke and L. Ricci, "Benchmarking Real-time Determinism in Microsoft Windows CE", June 2002.
use super::{Paper, Row, Table, row};

/// Figure 3: polygons per second of each board on Windows CE 2.12, 3.0 and .NET. A cell is empty where the paper prints none.
pub const FIGURE_3: Table = Table { paper: Paper::Bench, place: "Figure 3", rows: &FIGURE_3_ROWS };
const FIGURE_3_ROWS: [Row; 3] = [
    row("Graphics Master (VGA)", "Graphics Master (VGA)", &["170", "751", "537"]),
    row("Graphics Master Variation (QGA 8bit)", "Graphics Master Variation (QGA 8bit)", &["", "980", ""]),
    row("3630 iPaq (QVGA 16bit)", "3630 iPaq (QVGA 16bit)", &["", "260", ""]),
];

/// Figure 8: MF-ISR, MF-APP and SF of each system, without load and with the load Polygons.
pub const FIGURE_8: Table = Table { paper: Paper::Bench, place: "Figure 8", rows: &FIGURE_8_ROWS };
const FIGURE_8_ROWS: [Row; 6] = [
    row("Windows CE 2.12", "Windows CE 2.12", &["20 Hz", "19 Hz", ""]),
    row("Windows CE 2.12", "Windows CE 2.12 Loaded", &["20 Hz", "19 Hz", "never stopped"]),
    row("Windows CE 3.0", "Windows CE 3.0", &["127 kHz", "28 kHz", ""]),
    row("Windows CE 3.0", "Windows CE 3.0 Loaded", &["127 kHz", "15 kHz", "85 kHz"]),
    row("Windows CE .NET", "Windows CE .NET", &["47 kHz", "6.1 kHz", ""]),
    row("Windows CE .NET", "Windows CE .NET Loaded", &["47 kHz", "6 kHz", "40 kHz"]),
];

/// Figure 11: maximum, minimum, jitter and latency of ISR and APP in microseconds, without load and with the load Polygons.
pub const FIGURE_11: Table = Table { paper: Paper::Bench, place: "Figure 11", rows: &FIGURE_11_ROWS };
const FIGURE_11_ROWS: [Row; 6] = [
    row("Windows CE 2.12", "Windows CE 2.12", &["6", "2.6", "3.4", "3", "162", "51", "111", "61"]),
    row("Windows CE 2.12", "Windows CE 2.12 Loaded", &["11", "3.9", "7.1", "4.8", "201", "117", "84", "135"]),
    row("Windows CE 3.0", "Windows CE 3.0", &["5.2", "1.4", "3.8", "2.5", "17.6", "14.4", "3.2", "21"]),
    row("Windows CE 3.0", "Windows CE 3.0 Loaded", &["7", "2", "5", "5", "133", "16", "117", "71"]),
    row("Windows CE .NET", "Windows CE .NET", &["5", "2", "3", "3", "170", "24", "146", "47"]),
    row("Windows CE .NET", "Windows CE .NET Loaded", &["12.2", "2.8", "9.4", "6.3", "125", "46", "79", "53"]),
];

/// Figures from the paper's text.
pub const SAID: Table = Table { paper: Paper::Bench, place: "text", rows: &SAID_ROWS };
const SAID_ROWS: [Row; 8] = [
    row("the generator", "frequency of", &["5000 Hz", "200 micro second", "20 percent"]),
    row("the generator for Windows CE 2.12", "leisurely", &["19 Hz"]),
    row("the tick of Windows CE 2.12", "at a", &["50 ms"]),
    row("traces averaged", "For the", &["128"]),
    row("the processor", "SA 1110/1111 running at", &["206 MHz"]),
    row("Figure 6c, the back wall in microseconds", "within the", &["133"]),
    row("Figure 6c, the early answers in microseconds", "peaks about", &["15", "30"]),
    row("the priority of APP_TEST", "CeSetThreadPriority(hThread,", &["0"]),
];
