// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks before the measurement that the plan produces the series a requirement names. The figures are judged afterwards.
use super::{Inapplicable, Quantity, Rule};
use backwall_model::units::Unit;
use backwall_model::units::near::near;
use backwall_model::{Key, PlannedSeries, Series};

impl Rule {
    /// Checks that the plan will produce a matching series in the unit of the limit.
    ///
    /// # Errors
    /// If the plan produces no such series. The error lists the series of the plan and the nearest name.
    pub fn applies_to(&self, planned: &[PlannedSeries]) -> Result<(), Inapplicable> {
        let keys = || planned.iter().map(|planned| &planned.key);
        if !keys().any(|key| self.means(key)) {
            let near = self.near(keys()).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            return Err(self.inapplicable(format!("no such series; expected {}{near}", listed(keys()))));
        }
        planned
            .iter()
            .filter(|planned| self.means(&planned.key))
            .try_for_each(|one| self.check_unit(&one.key, one.unit))
    }

    pub(super) fn means(&self, key: &Key) -> bool {
        let named = |wanted: &Option<String>, found: &String| wanted.as_ref().is_none_or(|wanted| wanted == found);
        let own = |(name, wanted): (&String, &String)| match name.as_str() {
            "cpu" => key.cpu.is_some_and(|cpu| cpu.to_string() == *wanted),
            name => key.variant.get(name) == Some(wanted),
        };
        named(&self.series, &key.name)
            && named(&self.load, &key.load)
            && named(&self.idle, &key.idle)
            && self.apart.iter().all(own)
    }

    pub(super) fn check_unit(&self, key: &Key, found: Unit) -> Result<(), Inapplicable> {
        match self.quantity {
            Quantity::Latency(_, asked) | Quantity::Quantile(_, asked) if asked != found => {
                let word = |unit| if unit == Unit::Ns { "time" } else { "instructions" };
                Err(self.inapplicable(format!("{key} is in {}, but the limit is in {}", word(found), word(asked))))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn meant<'a>(&self, series: &'a [Series]) -> Result<Vec<&'a Series>, Inapplicable> {
        let meant: Vec<&Series> = series.iter().filter(|series| self.means(&series.key)).collect();
        meant.iter().try_for_each(|one| self.check_unit(&one.key, one.unit))?;
        Ok(meant)
    }

    fn inapplicable(&self, what: String) -> Inapplicable {
        Inapplicable { text: self.text.clone(), what }
    }

    /// The known series, load or idle setting that an unknown name probably means.
    fn near<'a>(&self, keys: impl Iterator<Item = &'a Key> + Clone) -> Option<String> {
        let nearest = |wanted: &Option<String>, part: fn(&'a Key) -> &'a str| {
            near(wanted.as_deref()?, keys.clone().map(part)).map(str::to_string)
        };
        nearest(&self.series, |key| &key.name)
            .or_else(|| nearest(&self.load, |key| &key.load))
            .or_else(|| nearest(&self.idle, |key| &key.idle))
    }
}

pub(super) fn listed<'a>(keys: impl Iterator<Item = &'a Key>) -> String {
    let keys: Vec<String> = keys.map(Key::to_string).collect();
    if keys.is_empty() { "none".to_string() } else { keys.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned() -> Vec<PlannedSeries> {
        let one = |name, load| PlannedSeries { key: Key::new(name, load, "as-is"), unit: Unit::Ns };
        vec![one("wakeup", "none"), one("wakeup", "all")]
    }

    fn refusal(text: &str) -> String {
        text.parse::<Rule>().unwrap().applies_to(&planned()).unwrap_err().to_string()
    }

    #[test]
    fn a_requirement_about_what_will_be_measured_applies() {
        for text in ["wakeup.p99 < 1ms", "missed == 0", "wakeup[load=all].max < 1ms", "[idle=as-is].missed == 0"] {
            assert_eq!(text.parse::<Rule>().unwrap().applies_to(&planned()), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_processor_and_a_variant_select_like_a_load() {
        let mut key = Key::new("wakeup", "none", "as-is");
        key.cpu = Some(3);
        key.variant.insert("thread".into(), "1".into());
        let means = |text: &str| text.parse::<Rule>().unwrap().means(&key);
        assert!(means("wakeup[cpu=3].missed == 0") && means("[thread=1,cpu=3].max < 1ms") && means("missed == 0"));
        assert!(!means("[cpu=2].missed == 0") && !means("[thread=0].missed == 0") && !means("[size=1].missed == 0"));
    }

    #[test]
    fn an_unknown_series_is_refused_with_the_known_ones_and_a_near_miss() {
        assert_eq!(
            refusal("wakup.p99 < 1ms"),
            "requirement \"wakup.p99 < 1ms\": no such series; expected wakeup[load=none,idle=as-is], \
             wakeup[load=all,idle=as-is]; did you mean wakeup?"
        );
        assert!(refusal("wakeup[load=al].missed == 0").ends_with("; did you mean all?"));
        assert!(refusal("interrupt.missed == 0").ends_with("wakeup[load=all,idle=as-is]"));
    }

    #[test]
    fn a_limit_in_another_unit_is_refused() {
        let error = refusal("wakeup.max < 5 instructions");
        assert!(
            error.ends_with("wakeup[load=none,idle=as-is] is in time, but the limit is in instructions"),
            "{error}"
        );
    }
}
