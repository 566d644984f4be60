// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of at most three digits, and the names of phases.
use crate::phrase;
use backwall_model::units::{Unit, grouped};
use backwall_model::{InvalidPhase, Key, Run, Series};
use std::collections::BTreeSet;

/// A value with its unit: `18.2 us`, `396 us`, `36.3 ms`; instructions are whole.
pub fn figure(value: u64, unit: Unit) -> String {
    const SCALES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];
    if unit == Unit::Instructions {
        return grouped(value);
    }
    let ns = value as f64;
    // A value that would be rounded up to 1000 gets the next unit.
    let (scale, name) = SCALES.into_iter().find(|(scale, _)| ns < 999.5 * scale).unwrap_or(SCALES[3]);
    let scaled = ns / scale;
    if scale == 1.0 || scaled >= 99.95 {
        format!("{} {name}", grouped(scaled.round() as u64))
    } else {
        format!("{scaled:.1} {name}")
    }
}

/// The maximum of a series: with `≤` if it is the bound of a histogram class, or a threshold that nothing exceeded; `-`
/// without a response.
pub fn max(series: &Series) -> String {
    let at_most = |value| format!("{}{}", phrase::AT_MOST, figure(value, series.unit));
    match series.max {
        Some(max) if series.edges => at_most(max),
        Some(max) => figure(max, series.unit),
        None => series.threshold.map_or("-".to_string(), at_most),
    }
}

/// The name of a row: `idle, C-states off`, `load (8 kinds)`, `load spin, CPU 3`.
pub fn phase(run: &Run, key: &Key) -> String {
    phrase::phase_with(
        key,
        |load| if load == InvalidPhase::ALL { all(run) } else { format!("load {}", at_work(run, load)) },
    )
}

/// The phase inside a sentence: ` while idle, C-states off`, ` under load spin`; empty without a phase.
pub fn during(run: &Run, key: &Key) -> String {
    phrase::during(&phase(run, key))
}

fn at_work(run: &Run, load: &str) -> String {
    let counted: BTreeSet<&str> =
        run.loads.iter().filter(|one| one.phase == load).map(|one| one.name.as_str()).collect();
    let is_known = |part: &&str| counted.iter().any(|name| part.starts_with(name));
    let parts: Vec<&str> = load.split('+').filter(is_known).collect();
    if parts.is_empty() || !load.contains('+') { load.to_string() } else { parts.join("+") }
}

fn all(run: &Run) -> String {
    let kinds: BTreeSet<&str> =
        run.loads.iter().filter(|load| load.phase == InvalidPhase::ALL).map(|load| load.name.as_str()).collect();
    if kinds.len() > 1 { format!("load ({} kinds)", kinds.len()) } else { "all loads".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_three_digits_at_most_and_its_unit() {
        let shown = [0, 850, 999, 1_000, 18_240, 99_949, 99_950, 396_400, 999_499, 999_500, 36_312_000, 5_280_000_000]
            .map(|ns| figure(ns, Unit::Ns));
        let known = [
            "0 ns", "850 ns", "999 ns", "1.0 us", "18.2 us", "99.9 us", "100 us", "396 us", "999 us", "1.0 ms",
            "36.3 ms", "5.3 s",
        ];
        assert_eq!(shown, known);
        assert_eq!(figure(42_159, Unit::Instructions), "42,159");
    }
}
