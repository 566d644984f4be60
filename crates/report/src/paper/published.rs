// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures 8 and 11 as published: C. Tacke and L. Ricci, "Benchmarking Real-time Determinism in Microsoft Windows CE",
//! June 2002. StrongARM SA-1110 at 206 MHz, 5,000 Hz at 20 % duty (Windows CE 2.12: 19 Hz), load: Polygons at top priority.
//!
//! They stand beside figures of the lab as they were printed: another machine and another unit, never converted.

/// What the figures are, for the reader.
pub const SOURCE: &str = "Tacke and Ricci, June 2002";

/// Why they are not converted, and where they contradict themselves.
pub const NOTE: &str = "Microseconds and hertz of a 206 MHz StrongARM board, as printed; the lab's figures are executed instructions. \
    Neither can be turned into the other. CE 3.0 without load has there a mean APP latency of 21 outside its own 14.4 to 17.6.";

/// One row of Figure 11, in microseconds, as printed: maximum, minimum, jitter, latency.
pub struct Latency {
    /// The system.
    pub system: &'static str,
    /// Whether Polygons ran.
    pub loaded: bool,
    /// ISR start.
    pub interrupt: [&'static str; 4],
    /// APP start.
    pub app: [&'static str; 4],
}

const fn latency(system: &'static str, loaded: bool, interrupt: [&'static str; 4], app: [&'static str; 4]) -> Latency {
    Latency { system, loaded, interrupt, app }
}

/// Figure 11.
pub const FIGURE_11: [Latency; 6] = [
    latency("Windows CE 2.12", false, ["6", "2.6", "3.4", "3"], ["162", "51", "111", "61"]),
    latency("Windows CE 2.12", true, ["11", "3.9", "7.1", "4.8"], ["201", "117", "84", "135"]),
    latency("Windows CE 3.0", false, ["5.2", "1.4", "3.8", "2.5"], ["17.6", "14.4", "3.2", "21"]),
    latency("Windows CE 3.0", true, ["7", "2", "5", "5"], ["133", "16", "117", "71"]),
    latency("Windows CE .NET", false, ["5", "2", "3", "3"], ["170", "24", "146", "47"]),
    latency("Windows CE .NET", true, ["12.2", "2.8", "9.4", "6.3"], ["125", "46", "79", "53"]),
];

/// One row of Figure 8, as printed: MF-ISR, MF-APP, SF.
pub struct Frequency {
    /// The system.
    pub system: &'static str,
    /// Whether Polygons ran.
    pub loaded: bool,
    /// Highest frequency of the interrupt-linked output.
    pub mf_interrupt: &'static str,
    /// Highest frequency of the event-linked output.
    pub mf_app: &'static str,
    /// Frequency at which Polygons stops.
    pub sf: &'static str,
}

const fn frequency(
    system: &'static str,
    loaded: bool,
    mf_interrupt: &'static str,
    mf_app: &'static str,
    sf: &'static str,
) -> Frequency {
    Frequency { system, loaded, mf_interrupt, mf_app, sf }
}

/// Figure 8.
pub const FIGURE_8: [Frequency; 6] = [
    frequency("Windows CE 2.12", false, "20 Hz", "19 Hz", ""),
    frequency("Windows CE 2.12", true, "20 Hz", "19 Hz", "never stopped"),
    frequency("Windows CE 3.0", false, "127 kHz", "28 kHz", ""),
    frequency("Windows CE 3.0", true, "127 kHz", "15 kHz", "85 kHz"),
    frequency("Windows CE .NET", false, "47 kHz", "6.1 kHz", ""),
    frequency("Windows CE .NET", true, "47 kHz", "6 kHz", "40 kHz"),
];

/// Figure 3, Polygons a second, by board: Windows CE 2.12, 3.0 and .NET. The text announces a desktop Pentium (CEPC) too,
/// which the figure does not hold.
pub const FIGURE_3: [(&str, [&str; 3]); 3] = [
    ("Graphics Master (VGA)", ["170", "751", "537"]),
    ("Graphics Master Variation (QGA 8bit)", ["", "980", ""]),
    ("3630 iPaq (QVGA 16bit)", ["", "260", ""]),
];

/// The systems of Figure 3.
pub const SYSTEMS: [&str; 3] = ["Windows CE 2.12", "Windows CE 3.0", "Windows CE .NET"];

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows as the paper prints them, without the blanks of cells that are empty.
    #[test]
    fn figures_3_and_8_are_quoted_as_they_are_printed() {
        let quoted = |name: &str, cells: &[&str]| {
            let cells = cells.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.to_string());
            [name.to_string()].into_iter().chain(cells).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            FIGURE_3.map(|(board, cells)| quoted(board, &cells)),
            [
                "Graphics Master (VGA) 170 751 537",
                "Graphics Master Variation (QGA 8bit) 980",
                "3630 iPaq (QVGA 16bit) 260",
            ]
        );
        let loaded = FIGURE_8.iter().find(|row| row.system == "Windows CE 2.12" && row.loaded).unwrap();
        assert_eq!([loaded.mf_interrupt, loaded.mf_app, loaded.sf], ["20 Hz", "19 Hz", "never stopped"]);
    }

    #[test]
    fn jitter_is_maximum_minus_minimum_in_every_row() {
        for row in &FIGURE_11 {
            for figures in [row.interrupt, row.app] {
                let [max, min, jitter, _] = figures.map(|figure| figure.parse::<f64>().unwrap());
                assert!((max - min - jitter).abs() < 1e-9, "{}", row.system);
            }
        }
    }
}
