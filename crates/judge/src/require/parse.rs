// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads requirements: `[SERIES [ '[' load=LOAD ',' idle=IDLE ',' cpu=CPU ']' ] '.'] QUANTITY OP LIMIT ['at' PERCENT '%']`.
use super::{BadRule, Comparison, Count, Latency, Quantity, Rule};
use backwall_model::units::{self, Unit};
use backwall_stats::quantile::{CONFIDENCE, Level};
use std::collections::BTreeMap;
use std::str::FromStr;

const QUANTITIES: &str = "p50 to p99.9999999, min, mean, max, jitter, due, done, missed, unseen, late or overflow";

const UNITS: [&str; 7] = ["ns", "us", "ms", "s", "m", "h", "instructions"];

const COMPARISONS: [(&str, Comparison); 5] = [
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    ("==", Comparison::Equal),
    (">=", Comparison::GreaterOrEqual),
    (">", Comparison::Greater),
];

impl FromStr for Rule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        Reader { text, at: 0 }.rule()
    }
}

/// A quantity before its limit is parsed, so its unit is still unknown.
#[derive(Clone, Copy)]
enum QuantityName {
    Count(Count),
    Latency(Latency),
    Quantile(Level),
}

#[derive(Default)]
struct Selection {
    series: Option<String>,
    load: Option<String>,
    idle: Option<String>,
    apart: BTreeMap<String, String>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rule(mut self) -> Result<Rule, BadRule> {
        let (selection, named) = self.left_side()?;
        let comparison = self.comparison(named)?;
        let (quantity, limit) = self.limit(named)?;
        let confidence = self.confidence(named)?;
        let Selection { series, load, idle, apart } = selection;
        Ok(Rule { text: self.text.into(), series, load, idle, apart, quantity, comparison, limit, confidence })
    }

    fn left_side(&mut self) -> Result<(Selection, QuantityName), BadRule> {
        self.skip_space();
        let start = self.at;
        let word = self.take_while(|c| !c.is_whitespace() && !"<>=![".contains(c));
        if self.rest().starts_with('[') {
            return self.selected(word);
        }
        if let Some(named) = named(word) {
            return Ok((Selection::default(), named));
        }
        let (series, quantity) = match word.split_once('.') {
            Some((series, quantity)) if !series.is_empty() => (Some(series.to_string()), quantity),
            _ => (None, word),
        };
        let column = start + word.len() - quantity.len();
        let named = named(quantity).ok_or_else(|| self.no_quantity(column, quantity))?;
        Ok((Selection { series, ..Selection::default() }, named))
    }

    /// The selectors after a series name: `[load=all,idle=off].p99`.
    fn selected(&mut self, series: &str) -> Result<(Selection, QuantityName), BadRule> {
        let mut selection = Selection { series: (!series.is_empty()).then(|| series.into()), ..Selection::default() };
        let Some(length) = self.rest().find(']') else {
            return Err(self.bad(self.at, "missing ] after ["));
        };
        let inside = self.at + 1;
        let mut at = inside;
        for pair in self.text[inside..self.at + length].split(',') {
            self.select(at, pair.trim(), &mut selection)?;
            at += pair.len() + 1;
        }
        self.at += length + 1;
        if !self.rest().starts_with('.') {
            return Err(self.bad(self.at, "expected . and a quantity after ], as in wakeup[load=all].p99"));
        }
        self.at += 1;
        let start = self.at;
        let word = self.take_while(|c| !c.is_whitespace() && !"<>=!".contains(c));
        let named = named(word).ok_or_else(|| self.no_quantity(start, word))?;
        Ok((selection, named))
    }

    fn select(&self, at: usize, pair: &str, selection: &mut Selection) -> Result<(), BadRule> {
        let is_name = !["", "load", "idle", "cpu"].contains(&pair);
        let alone = if is_name { ("name", pair) } else { (pair, "") };
        let (key, value) = pair.split_once('=').unwrap_or(alone);
        let value = value.trim();
        let before = match key.trim() {
            "load" => selection.load.replace(value.to_string()),
            "idle" => selection.idle.replace(value.to_string()),
            "" => return Err(self.bad(at, "expected load=… and idle=… for a phase, or cpu=… for a CPU")),
            other => selection.apart.insert(other.to_string(), value.to_string()),
        };
        if value.is_empty() || before.is_some() {
            return Err(self.bad(at, &format!("{} needs exactly one value, as in load=all", key.trim())));
        }
        Ok(())
    }

    fn comparison(&mut self, named: QuantityName) -> Result<Comparison, BadRule> {
        self.skip_space();
        let start = self.at;
        let sign = self.take_while(|c| "<>=!".contains(c));
        let Some((_, comparison)) = COMPARISONS.iter().find(|(text, _)| *text == sign) else {
            let sign = if sign.is_empty() { "nothing" } else { sign };
            return Err(self.bad(start, &format!("expected <, <=, ==, >= or >, found {sign}")));
        };
        let below = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        if matches!(named, QuantityName::Quantile(_)) && !below {
            return Err(self.bad(start, "expected < or <= after a quantile"));
        }
        Ok(*comparison)
    }

    fn limit(&mut self, named: QuantityName) -> Result<(Quantity, u64), BadRule> {
        self.skip_space();
        let start = self.at;
        let number = self.take_while(|c| c.is_ascii_digit() || c == '.');
        let unit = self.unit();
        if number.is_empty() {
            return Err(self.bad(start, "expected a number, such as 0 or 100us"));
        }
        let whole = || number.parse::<u64>().map_err(|_| self.bad(start, "expected a whole number below 2^64"));
        let (limit, unit) = match (unit, named) {
            ("", QuantityName::Count(count)) => return Ok((Quantity::Count(count), whole()?)),
            (_, QuantityName::Count(_)) => return Err(self.bad(start, "a count has no unit: write only the number")),
            ("", _) => return Err(self.bad(start, "a latency needs a unit: ns, us, ms, s or instructions")),
            ("instructions", _) => (whole()?, Unit::Instructions),
            _ => {
                let time = units::duration(&format!("{number}{unit}"));
                (time.map_err(|error| self.bad(start, &error.to_string()))?.0, Unit::Ns)
            }
        };
        let quantity = match named {
            QuantityName::Latency(latency) => Quantity::Latency(latency, unit),
            QuantityName::Quantile(level) => Quantity::Quantile(level, unit),
            QuantityName::Count(count) => Quantity::Count(count),
        };
        Ok((quantity, limit))
    }

    /// The unit directly after a number, or after one space.
    fn unit(&mut self) -> &'a str {
        let end_of_number = self.at;
        self.skip_space();
        let word = self.take_while(|c| c.is_ascii_alphabetic());
        let spaced = self.at - word.len() > end_of_number;
        if spaced && !UNITS.contains(&word) {
            self.at = end_of_number;
            return "";
        }
        word
    }

    fn confidence(&mut self, named: QuantityName) -> Result<f64, BadRule> {
        self.skip_space();
        let start = self.at;
        if self.rest().is_empty() {
            return Ok(CONFIDENCE);
        }
        let percent = self.rest().strip_prefix("at ").and_then(|rest| rest.trim().strip_suffix('%'));
        let Some(level) = percent.and_then(Level::of_percent).filter(|level| level.q() >= 0.5) else {
            return Err(self.bad(start, "expected the end, or a confidence of at least 50, such as: at 99%"));
        };
        match named {
            QuantityName::Quantile(_) => Ok(level.q()),
            _ => Err(self.bad(start, "only a quantile takes a confidence, because all other figures are exact")),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn no_quantity(&self, at: usize, found: &str) -> BadRule {
        self.bad(
            at,
            &format!(
                "unknown quantity {found:?}; expected {QUANTITIES}; a series needs a dot after it, as in \
            SERIES.max"
            ),
        )
    }

    fn bad(&self, at: usize, what: &str) -> BadRule {
        BadRule { text: self.text.into(), column: self.text[..at].chars().count() + 1, what: what.into() }
    }
}

fn named(word: &str) -> Option<QuantityName> {
    Some(match word {
        "due" => QuantityName::Count(Count::Due),
        "done" => QuantityName::Count(Count::Done),
        "missed" => QuantityName::Count(Count::Missed),
        "unseen" => QuantityName::Count(Count::Unseen),
        "late" => QuantityName::Count(Count::Late),
        "overflow" => QuantityName::Count(Count::Overflow),
        "min" => QuantityName::Latency(Latency::Min),
        "mean" => QuantityName::Latency(Latency::Mean),
        "max" => QuantityName::Latency(Latency::Max),
        "jitter" => QuantityName::Latency(Latency::Jitter),
        _ => QuantityName::Quantile(Level::of_percent(word.strip_prefix('p')?)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn error(text: &str) -> String {
        text.parse::<Rule>().expect_err(text).to_string()
    }

    #[test]
    fn a_quantile_of_one_series_is_read() {
        let rule = rule("wakeup.p99.99 < 100us");
        assert_eq!((rule.series.as_deref(), rule.load, rule.idle), (Some("wakeup"), None, None));
        assert_eq!(rule.quantity, Quantity::Quantile(Level::of_percent("99.99").unwrap(), Unit::Ns));
        assert_eq!((rule.comparison, rule.limit, rule.confidence), (Comparison::Less, 100_000, 0.95));
    }

    #[test]
    fn series_phase_spaces_and_confidence_are_optional() {
        assert_eq!(rule("p99.9<=1.5ms").limit, 1_500_000);
        assert_eq!(rule("  missed==0  ").quantity, Quantity::Count(Count::Missed));
        assert_eq!(rule("ist.jitter < 10 us").quantity, Quantity::Latency(Latency::Jitter, Unit::Ns));
        assert_eq!(rule("isr.max <= 42 instructions").quantity, Quantity::Latency(Latency::Max, Unit::Instructions));
        assert_eq!(rule("wakeup.p99 < 50us at 99.9%").confidence, 0.999);
        let phase = rule("wakeup[load=all, idle=as-is].p50 < 1us");
        assert_eq!((phase.load.as_deref(), phase.idle.as_deref()), (Some("all"), Some("as-is")));
        assert_eq!(rule("[idle=off].late == 0").series, None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_column() {
        for (text, column, what) in [
            ("", 1, "unknown quantity"),
            ("wakeup.p100 < 1us", 8, "unknown quantity \"p100\""),
            ("latency < 1us", 1, "unknown quantity"),
            ("wakeup.p99 100us", 12, "found nothing"),
            ("wakeup.p99 = 100us", 12, "found ="),
            ("wakeup.p99 > 100us", 12, "expected < or <= after a quantile"),
            ("wakeup.p99 < ", 14, "expected a number"),
            ("wakeup.p99 < -5us", 14, "expected a number"),
            ("wakeup.p99 < 100", 14, "needs a unit"),
            ("wakeup.p99 < 1.5.2us", 14, "not a duration"),
            ("wakeup.p99 < 100parsecs", 14, "not a duration"),
            ("wakeup.p99 < 100 parsecs", 14, "needs a unit"),
            ("missed == 0us", 11, "no unit"),
            ("missed == 99999999999999999999", 11, "whole number"),
            ("max < 1.5 instructions", 7, "whole number"),
            ("missed == 0 or late == 0", 13, "expected the end"),
            ("missed == 0 at 99%", 13, "only a quantile"),
            ("p99 < 1us at 10%", 11, "of at least 50"),
            ("wakeup[load=all.p99 < 1us", 7, "missing ]"),
            ("wakeup[=1].p99 < 1us", 8, "load=… and idle=…"),
            ("wakeup[cpu].p99 < 1us", 8, "exactly one value"),
            ("wakeup[load=all,load=none].p99 < 1us", 17, "exactly one value"),
            ("wakeup[load=].p99 < 1us", 8, "exactly one value"),
            ("wakeup[load=all]p99 < 1us", 17, "expected ."),
            ("Rückwand.px < 1us", 10, "unknown quantity"),
        ] {
            let error = error(text);
            assert!(error.contains(&format!("column {column}:")) && error.contains(what), "{error}");
            assert!(!error.contains('\n'));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z0-9\\[\\].,<>=% ü]{0,40}") {
            let _ = text.parse::<Rule>();
        }
    }
}
