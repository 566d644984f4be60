// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures 8 and 11 as published: C. Tacke and L. Ricci, "Benchmarking Real-time Determinism in Microsoft Windows CE", June 2002.
//! StrongARM SA-1110 at 206 MHz, 5,000 Hz at 20 % duty (Windows CE 2.12: 19 Hz), load: Polygons at top priority.
//!
//! They appear next to the lab's figures as printed: another machine and another unit, never converted.
use backwall_model::papers::bench;

pub const SOURCE: &str = "Tacke and Ricci, June 2002";

pub const NOTE: &str = "Microseconds and hertz of a 206 MHz StrongARM board, as printed; the lab's figures are executed instructions. \
    Neither converts to the other. The paper's mean APP latency of CE 3.0 without load, 21, is outside its own range of 14.4 to 17.6.";

/// One row of Figure 11, in microseconds, as printed: maximum, minimum, jitter, latency.
pub struct Latency {
    pub system: &'static str,
    pub loaded: bool,
    pub interrupt: [&'static str; 4],
    pub app: [&'static str; 4],
}

const fn latency(row: usize) -> Latency {
    let quoted = bench::FIGURE_11.rows[row];
    Latency { system: quoted.name, loaded: row % 2 == 1, interrupt: quoted.cells(0), app: quoted.cells(4) }
}

pub const FIGURE_11: [Latency; 6] = [latency(0), latency(1), latency(2), latency(3), latency(4), latency(5)];

/// One row of Figure 8, as printed: MF-ISR, MF-APP, SF.
pub struct Frequency {
    pub system: &'static str,
    pub loaded: bool,
    pub mf_interrupt: &'static str,
    pub mf_app: &'static str,
    pub sf: &'static str,
}

const fn frequency(row: usize) -> Frequency {
    let quoted = bench::FIGURE_8.rows[row];
    let [mf_interrupt, mf_app, sf] = quoted.cells(0);
    Frequency { system: quoted.name, loaded: row % 2 == 1, mf_interrupt, mf_app, sf }
}

pub const FIGURE_8: [Frequency; 6] =
    [frequency(0), frequency(1), frequency(2), frequency(3), frequency(4), frequency(5)];

/// Figure 3, polygons per second, by board: Windows CE 2.12, 3.0 and .NET. The text also announces a desktop Pentium (CEPC), but
/// the figure omits it.
pub const FIGURE_3: [(&str, [&str; 3]); 3] = {
    let rows = bench::FIGURE_3.rows;
    [(rows[0].name, rows[0].cells(0)), (rows[1].name, rows[1].cells(0)), (rows[2].name, rows[2].cells(0))]
};

pub const SYSTEMS: [&str; 3] = ["Windows CE 2.12", "Windows CE 3.0", "Windows CE .NET"];

#[cfg(test)]
mod tests {
    use super::*;

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
