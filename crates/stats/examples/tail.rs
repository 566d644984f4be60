// SPDX-License-Identifier: MIT OR Apache-2.0
//! A million latencies in bounded memory: the exact maximum, and a quantile with its confidence limits.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Key, Span};
use backwall_stats::SeriesBuilder;
use backwall_stats::quantile::{Distribution, Level};
use backwall_stats::random::SplitMix;

fn told() -> String {
    let mut random = SplitMix(1);
    let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
    for seq in 0..1_000_000 {
        let tail = if random.below(10_000) == 0 { 500_000 } else { 0 };
        builder.sample(seq, seq * 1_000_000, 3_000 + random.below(2_000) + tail, false);
    }
    let series = builder.build();
    let p = Distribution::of(&series).quantile(Level::of_percent("99.9").expect("a level"));
    let shown = |value: Option<u64>| value.map_or("?".to_string(), |ns| DisplayedValue(ns, Unit::Ns).to_string());
    format!(
        "{}: largest of {} {}; p99.9 {} (95 %: {} to {})",
        series.key,
        grouped(series.done),
        shown(series.max),
        shown(p.value),
        shown(p.low),
        shown(p.high)
    )
}

fn main() {
    println!("{}", told());
}

#[test]
fn the_largest_is_exact_and_the_quantile_has_limits() {
    let expected = "wakeup[load=none,idle=as-is]: largest of 1,000,000 505.0 us; p99.9 5.0 us (95 %: 5.0 us to 5.0 us)";
    assert_eq!(told(), expected);
}
