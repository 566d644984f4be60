// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of the sentence that explains an outcome: number of samples, what the figure does not include, doubts, and values with
//! all digits.
use backwall_model::Series;
use backwall_model::units::{Unit, grouped};
use backwall_stats::dependence::Dependence;
use backwall_stats::drift;

/// How many samples a figure has. A tool with a threshold drops smaller samples; no stored samples at all means that none
/// exceeded the threshold.
pub(super) fn samples(series: &Series, unit: Unit) -> String {
    match series.threshold {
        Some(threshold) if series.counted() == 0 => {
            format!("in this run, with nothing above {}", shown(threshold, unit))
        }
        Some(threshold) => {
            format!("in {} samples above {} of this run", grouped(series.counted()), shown(threshold, unit))
        }
        None => format!("in {} samples of this run", grouped(series.counted())),
    }
}

pub(super) fn never(series: &Series) -> String {
    match series.unanswered() {
        1 => "1 stimulus was never answered".to_string(),
        several => format!("{} stimuli were never answered", grouped(several)),
    }
}

pub(super) fn left_out(series: &Series) -> String {
    let mut text = String::new();
    if series.unanswered() > 0 {
        text += &format!("; {} (not included)", never(series));
    }
    if series.missed.is_none() {
        text += "; the number missed is unknown";
    }
    if series.skipped > 0 {
        text += &format!(
            "; {} skipped by the overload rule: require missed == 0 to forbid skipping",
            grouped(series.skipped)
        );
    }
    text
}

/// Doubts about the confidence of a quantile: dependent samples, unknown order, or a drift during the run.
pub(super) fn doubts(series: &Series, dependence: Dependence) -> String {
    let order = match dependence {
        Dependence::Independent => String::new(),
        Dependence::Clustered { index, together } => {
            format!("; late responses come in clusters (extremal index {index:.2}): {together:.1} samples count as one")
        }
        Dependence::Unknown => {
            "; the file does not contain the order of its samples, so they count as independent; if late ones come in clusters \
             of c, c times as many samples are needed"
                .to_string()
        }
    };
    let drifted = drift::of(series)
        .map_or("", |_| "; the run drifted, so the confidence is valid only for the run's own mixture of conditions");
    order + drifted
}

/// A value with all its digits, so that rounding never makes a limit look met.
pub(super) fn shown(value: u64, unit: Unit) -> String {
    let scaled = |divisor: u64, decimals: usize, name: &str| {
        let text = format!("{}.{:0decimals$}", value / divisor, value % divisor);
        format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match (unit, value) {
        (Unit::Instructions, _) => format!("{} instructions", grouped(value)),
        (Unit::Ns, 0..1_000) => format!("{value} ns"),
        (Unit::Ns, 1_000..10_000_000) => scaled(1_000, 3, "us"),
        (Unit::Ns, _) => scaled(1_000_000, 6, "ms"),
    }
}

/// A share in percent with three significant digits.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = if percent > 0.0 { (2.0 - percent.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
    let text = format!("{percent:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}
