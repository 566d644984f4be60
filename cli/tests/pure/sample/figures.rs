// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of a series, counted from its samples in the plainest way.
use super::{PERIOD_NS, Shape};
use backwall_model::units::Unit;
use backwall_model::*;

const SLICES: usize = 60;

pub fn series(name: &str, unit: Unit, shape: &Shape, values: &[u64]) -> Series {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let (min, max) = (sorted.first().copied(), sorted.last().copied());
    let mean = (!values.is_empty()).then(|| values.iter().map(|v| *v as f64).sum::<f64>() / values.len() as f64);
    Series {
        key: Key::new(name, shape.load, shape.idle),
        from: "expiry".into(),
        to: "thread".into(),
        unit,
        due: Some(values.len() as u64 + shape.lost),
        done: values.len() as u64,
        missed: Some(shape.lost),
        unseen: 0,
        skipped: 0,
        late: Some(values.iter().filter(|v| **v > PERIOD_NS).count() as u64),
        overflow: 0,
        warmup: 0,
        edges: false,
        threshold: None,
        min,
        sum: mean.map(|_| Sum(values.iter().map(|v| u128::from(*v)).sum())),
        mean,
        max,
        jitter: max.zip(min).map(|(max, min)| max - min),
        quantiles: [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999].iter().map(|q| quantile(&sorted, *q)).collect(),
        histogram: histogram(&sorted),
        worst: worst(values),
        over_time: slices(values, shape.lost),
    }
}

fn quantile(sorted: &[u64], q: f64) -> Quantile {
    let n = sorted.len() as f64;
    if n * (1.0 - q) < 1.0 {
        return Quantile { q, value: None, low: None, high: None };
    }
    let rank = |r: f64| sorted.get(r.round().max(0.0) as usize).copied();
    let margin = 1.96 * (n * q * (1.0 - q)).sqrt();
    Quantile { q, value: rank(n * q), low: rank(n * q - margin), high: rank(n * q + margin) }
}

// 32 classes to an octave; a run of empty classes is one class.
fn histogram(sorted: &[u64]) -> Histogram {
    let mut bounds: Vec<u64> = Vec::new();
    let mut counts: Vec<u64> = Vec::new();
    for value in sorted {
        let width = (value.max(&32).ilog2() - 5) as u64;
        let low = value >> width << width;
        let high = low + (1 << width);
        match bounds.last().copied() {
            Some(end) if *value < end => *counts.last_mut().unwrap() += 1,
            Some(end) if end < low => {
                bounds.extend([low, high]);
                counts.extend([0, 1]);
            }
            Some(_) => {
                bounds.push(high);
                counts.push(1);
            }
            None => {
                bounds.extend([low, high]);
                counts.push(1);
            }
        }
    }
    Histogram { bounds, counts }
}

fn worst(values: &[u64]) -> Vec<Worst> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse((values[*i], *i)));
    let one = |i: usize| Worst { seq: i as u64, at: Some(i as u64 * PERIOD_NS), value: values[i], blame: None };
    order.into_iter().take(64).map(one).collect()
}

fn slices(values: &[u64], lost: u64) -> Vec<Slice> {
    let length = values.len().div_ceil(SLICES).max(1);
    let one = |(index, slice): (usize, &[u64])| Slice {
        at: (index * length) as u64 * PERIOD_NS,
        done: slice.len() as u64,
        missed: if slice.iter().any(|v| *v > PERIOD_NS) { lost } else { 0 },
        min: *slice.iter().min().unwrap(),
        mean: slice.iter().map(|v| *v as f64).sum::<f64>() / slice.len() as f64,
        max: *slice.iter().max().unwrap(),
    };
    values.chunks(length).enumerate().map(one).collect()
}
