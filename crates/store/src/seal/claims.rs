// SPDX-License-Identifier: MIT OR Apache-2.0
//! The claims of a series, each with the formula to recompute it.
use super::Evidence;
use backwall_model::units::Unit;
use backwall_model::{Key, Series};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesClaims {
    pub series: Key,
    pub unit: Unit,
    pub claims: Vec<Claim>,
}

/// One figure. `value` is text with decimal digits, because JSON readers store numbers as floating point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub claim: String,
    pub value: String,
    /// SQL that computes the figure from `samples.parquet`; `None` if the samples do not contain it or were not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
}

impl SeriesClaims {
    pub fn of(series: &Series, evidence: Evidence) -> Self {
        let rows = rows_of(&series.key);
        let sql = |select: &str, also: &str| {
            let kept = evidence == Evidence::Samples;
            kept.then(|| format!("SELECT {select} FROM 'samples.parquet' WHERE {rows}{also}"))
        };
        let mut claims = Vec::new();
        let mut claim = |claim: String, value: Option<u128>, sql: Option<String>| {
            claims.extend(value.map(|value| Claim { claim, value: value.to_string(), sql }));
        };
        let of_file = "coalesce(sum(missed), 0)";
        let counted = " AND value IS NOT NULL AND NOT warmup";
        let number = |number: Option<u64>| number.map(u128::from);
        claim("samples".into(), Some(series.counted().into()), sql("count(*)", counted));
        claim("warm-up".into(), Some(series.warmup.into()), sql("count(*)", " AND value IS NOT NULL AND warmup"));
        claim("late".into(), number(series.late), sql("count(*)", &format!("{counted} AND late")));
        claim("missed".into(), number(series.missed), sql(of_file, ""));
        claim("skipped".into(), Some(series.skipped.into()), sql(of_file, " AND late AND value IS NULL"));
        claim("unseen".into(), (series.unseen > 0).then_some(series.unseen.into()), None);
        claim("minimum".into(), number(series.min), sql("min(value)", counted));
        claim("maximum".into(), number(series.max), sql("max(value)", counted));
        claim("sum".into(), series.sum.map(|sum| sum.0), sql("sum(value)", counted));
        for quantile in &series.quantiles {
            let Some(value) = quantile.value else { continue };
            let above = format!("{counted} AND value > {value}");
            claim(format!("samples above {value}"), number(above_of(series, value)), sql("count(*)", &above));
        }
        Self { series: series.key.clone(), unit: series.unit, claims }
    }
}

/// How many samples are above a value; `None` if no histogram class ends there.
fn above_of(series: &Series, value: u64) -> Option<u64> {
    let divided = series.histogram.classes().any(|(low, next, _)| low <= value && value + 1 < next);
    let whole = !divided || series.max == Some(value);
    let above = series.histogram.classes().filter(|(low, ..)| *low > value).map(|(_, _, count)| count);
    whole.then(|| above.sum::<u64>() + series.overflow)
}

fn rows_of(key: &Key) -> String {
    let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let cpu = key.cpu.map_or("cpu IS NULL".to_string(), |cpu| format!("cpu = {cpu}"));
    let variant = crate::samples::variant_text(key);
    let [name, load, idle, variant] = [&key.name, &key.load, &key.idle, &variant].map(|one| text(one));
    format!("series = {name} AND load = {load} AND idle = {idle} AND {cpu} AND variant = {variant}")
}
