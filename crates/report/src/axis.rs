// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes: where a value is drawn, and which values get a mark.
use backwall_model::units::step;
use backwall_model::units::{Unit, grouped};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    Linear,
    Log,
}

#[derive(Clone, Copy, Debug)]
pub struct Axis {
    spread: Spread,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

/// A line across an axis at a round value; a line without a label is only a grid line.
#[derive(Clone, Debug, PartialEq)]
pub struct Graduation {
    pub value: f64,
    pub label: Option<String>,
}

impl Axis {
    /// From 0 to at least `high`, rounded up to a whole number of ten equal divisions as on a scope.
    pub fn linear(high: f64, start: f64, end: f64) -> Self {
        let high = DIVISIONS as f64 * step::above(high / DIVISIONS as f64);
        Self { spread: Spread::Linear, low: 0.0, high, start, end }
    }

    /// From 0 to exactly `high`.
    pub fn exact(high: f64, start: f64, end: f64) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        Self { spread: Spread::Linear, low: 0.0, high, start, end }
    }

    /// A logarithmic axis around `low` to `high`; both ends are widened to 1, 2 or 5 times a power of ten.
    pub fn log(low: f64, high: f64, start: f64, end: f64) -> Self {
        let low = low.max(f64::MIN_POSITIVE);
        let high = high.max(low * 2.0);
        Self { spread: Spread::Log, low: step::below(low), high: step::above(high), start, end }
    }

    pub fn at(&self, value: f64) -> f64 {
        let share = match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    pub fn high(&self) -> f64 {
        self.high
    }

    pub fn low(&self) -> f64 {
        self.low
    }

    pub fn start(&self) -> f64 {
        self.start
    }

    pub fn end(&self) -> f64 {
        self.end
    }

    /// The marks. A logarithmic axis labels its decades and has unlabelled marks at 2 to 9; a linear axis labels its
    /// divisions.
    pub fn ticks(&self, label: impl Fn(f64) -> String) -> Vec<Graduation> {
        match self.spread {
            Spread::Linear => self.linear_ticks(&label),
            Spread::Log => self.log_ticks(&label),
        }
    }

    fn linear_ticks(&self, label: &impl Fn(f64) -> String) -> Vec<Graduation> {
        let values = (0..=DIVISIONS).map(|index| index as f64 * self.division());
        let inside = values.filter(|value| *value <= self.high * 1.000_001);
        inside.map(|value| Graduation { value, label: Some(label(value)) }).collect()
    }

    /// A round distance between marks, so that at most [`DIVISIONS`] fit on a linear axis.
    pub fn division(&self) -> f64 {
        step::above(self.high / DIVISIONS as f64)
    }

    fn log_ticks(&self, label: &impl Fn(f64) -> String) -> Vec<Graduation> {
        let decades = (self.high / self.low).log10();
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let every = (decades / MOST_LABELS).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for (exponent, digit) in (first..=last).flat_map(|exponent| (1..10).map(move |digit| (exponent, digit))) {
            let value = digit as f64 * 10f64.powi(exponent);
            let labelled = match digit {
                1 => exponent.rem_euclid(every) == 0,
                2 | 5 => decades < 2.2,
                _ => false,
            };
            let fits = value >= self.low * 0.999 && value <= self.high * 1.001;
            if fits && (labelled || decades < 8.0) {
                ticks.push(Graduation { value, label: labelled.then(|| label(value)) });
            }
        }
        ticks
    }
}

pub const DIVISIONS: u32 = 10;

const MOST_LABELS: f64 = 9.0;

/// A round value with its unit, short: `20 us`, `1.5 ms`, `42,000`.
pub fn short(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Instructions if value >= 9_999_999.5 => format!("{} million", grouped((value / 1e6).round() as u64)),
        Unit::Instructions => grouped(value.round() as u64),
        Unit::Ns => short_time(value),
    }
}

/// A round time, short: `20 us`, `1.5 ms`, `3 s`.
pub fn short_time(ns: f64) -> String {
    let (scale, name) = match ns {
        ns if ns < 999.5 => (1.0, "ns"),
        ns if ns < 999.5e3 => (1e3, "us"),
        ns if ns < 999.5e6 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    if ns == 0.0 {
        return "0".to_string();
    }
    let digits = format!("{:.3}", ns / scale);
    format!("{} {name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A count, short: `1`, `1,000`, `10 k`, `1 M`.
pub fn short_count(count: f64) -> String {
    match count {
        count if count < 9_999.5 => grouped(count.round() as u64),
        count if count < 999.5e3 => format!("{:.0} k", count / 1e3),
        count if count < 999.5e6 => format!("{:.0} M", count / 1e6),
        count => format!("{:.0} G", count / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks(|value| short(value, Unit::Ns)).into_iter().filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn a_log_axis_is_widened_to_round_values_and_labels_its_decades() {
        let axis = Axis::log(7_100.0, 3_204_511.0, 0.0, 100.0);
        assert_eq!((axis.low(), axis.high()), (5_000.0, 5_000_000.0));
        assert_eq!(labels(axis), ["10 us", "100 us", "1 ms"]);
        assert_eq!(labels(Axis::log(11_000.0, 90_000.0, 0.0, 1.0)), ["10 us", "20 us", "50 us", "100 us"]);
    }

    #[test]
    fn values_lie_where_they_should_and_never_outside() {
        let axis = Axis::log(1.0, 1_000.0, 10.0, 40.0);
        assert_eq!([0.0, 1.0, 10.0, 1_000.0, 1e9].map(|value| axis.at(value)), [10.0, 10.0, 20.0, 40.0, 40.0]);
        assert_eq!(Axis::linear(3_204_511.0, 0.0, 10.0).high(), 5_000_000.0);
        assert_eq!(Axis::exact(0.0, 0.0, 10.0).at(f64::MAX), 10.0);
    }

    #[test]
    fn a_linear_axis_has_round_divisions_even_where_its_end_is_not() {
        assert_eq!(labels(Axis::exact(34_997.0, 0.0, 1.0)), ["0", "5 us", "10 us", "15 us", "20 us", "25 us", "30 us"]);
        assert_eq!(labels(Axis::linear(1.7e6, 0.0, 1.0)).len(), 11);
    }

    #[test]
    fn extreme_ranges_have_a_bounded_number_of_marks() {
        for high in [0.0, 1.0, 1e19, f64::MAX / 1e10] {
            assert!(Axis::log(0.0, high, 0.0, 1.0).ticks(short_count).len() < 400, "{high}");
        }
    }

    #[test]
    fn instructions_have_no_time_unit() {
        assert_eq!(short(42_159.0, Unit::Instructions), "42,159");
        assert_eq!(short(1.5e9, Unit::Instructions), "1,500 million");
        assert_eq!(short(1_500_000.0, Unit::Ns), "1.5 ms");
    }
}
