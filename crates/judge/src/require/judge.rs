// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges a requirement on the series of a run.
//!
//! A quantile is a claim about the machine, decided by the number of samples that exceed the limit. Every other figure is a fact
//! about this run; it says nothing about other runs. A stimulus without an answer exceeds every upper limit on `max` and on a
//! quantile.
//!
//! The overload rule skips releases that came due during a late response. An answer to a skipped release could have taken any
//! time up to the length of that response. So `max` ignores skipped releases; a quantile counts them both as fast as possible and
//! as late as that response; `missed` counts them as missed.
use super::judgement::{Judgement, not_known, not_seen, nothing_seen, observed, severity};
use super::names::listed;
use super::words::{doubts, left_out, never, percent, samples, shown};
use super::{Comparison, Count, Inapplicable, Latency, Quantity, Rule};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Outcome, Series};
use backwall_stats::claim::{Claim, FORECAST};
use backwall_stats::dependence;
use backwall_stats::quantile::{Between, Distribution, Level};

impl Rule {
    /// The worst outcome of all matching series and phases. If none matches, the outcome is undecided.
    ///
    /// # Errors
    /// If the unit of a series is not that of the limit.
    pub fn judge(&self, series: &[Series]) -> Result<backwall_model::Requirement, Inapplicable> {
        let meant = self.meant(series)?;
        if meant.is_empty() {
            return Ok(self.not_measured(format!(
                "the run has no such series; it has {}",
                listed(series.iter().map(|one| &one.key))
            )));
        }
        let judged = meant.iter().map(|series| (*series, self.judge_one(series)));
        // Of equally bad judgements take the first, so that the result does not vary.
        let (worst, judgement) =
            judged.rev().max_by_key(|(_, j)| (severity(j.outcome), j.needs_more)).expect("not empty");
        let others = if meant.len() > 1 { format!(" (worst of {} series)", meant.len()) } else { String::new() };
        Ok(backwall_model::Requirement {
            text: self.text.clone(),
            outcome: judgement.outcome,
            needs_more: judgement.needs_more,
            confidence: if matches!(self.quantity, Quantity::Quantile(..)) { self.confidence } else { 1.0 },
            because: format!("{}{others}: {}", worst.key, judgement.because),
        })
    }

    pub(super) fn not_measured(&self, because: String) -> backwall_model::Requirement {
        let text = self.text.clone();
        backwall_model::Requirement { text, outcome: Outcome::Undecided, needs_more: 1, confidence: 1.0, because }
    }

    fn judge_one(&self, series: &Series) -> Judgement {
        match self.quantity {
            Quantity::Count(count) => self.judge_count(count, series),
            Quantity::Latency(latency, unit) => self.judge_latency(latency, unit, series),
            Quantity::Quantile(level, unit) => self.judge_quantile(level, unit, series),
        }
    }

    fn judge_count(&self, count: Count, series: &Series) -> Judgement {
        let (found, name, needs_stimuli) = match count {
            Count::Due => (series.due, "due", false),
            Count::Done => (Some(series.done), "done", false),
            Count::Missed => (series.missed, "missed", true),
            Count::Unseen => (Some(series.unseen), "unseen", true),
            Count::Late => (series.late, "late", true),
            Count::Overflow => (Some(series.overflow), "overflow", true),
        };
        let due = series.due.unwrap_or(series.done);
        if needs_stimuli && due == 0 {
            return nothing_seen();
        }
        let Some(found) = found else { return not_known(name) };
        let of = series.due.map_or("an unknown number".to_string(), grouped);
        let because = format!("{name} {} of {of} due", grouped(found));
        // An unseen response may have been missed or late.
        let most = found.saturating_add(if matches!(count, Count::Missed | Count::Late) { series.unseen } else { 0 });
        if self.comparison.same_within(found, most, self.limit) {
            observed(self.comparison.holds(found.cmp(&self.limit)), because)
        } else {
            not_seen(because, series)
        }
    }

    fn judge_latency(&self, latency: Latency, unit: Unit, series: &Series) -> Judgement {
        let Some([least, most]) = series.extremes() else {
            return nothing_seen();
        };
        let (max, samples) = (most.1, samples(series, unit));
        if latency == Latency::Max && series.unanswered() > 0 && self.comparison.is_upper() {
            let because = format!("{}, which exceeds any limit (largest latency {})", never(series), shown(max, unit));
            return observed(false, because);
        }
        let (name, (low, high)) = match latency {
            Latency::Min => ("smallest", least),
            Latency::Max => ("largest", most),
            Latency::Jitter => ("largest minus smallest", (most.0.saturating_sub(least.1), most.1 - least.0)),
            // If a threshold dropped samples, the mean is only known to be at most the maximum.
            Latency::Mean if series.threshold.is_some() => ("mean", (0, most.1)),
            Latency::Mean => return self.judge_mean(series, unit, &samples),
        };
        if low < high {
            let keeps = if series.threshold.is_some() {
                "only the values above its threshold"
            } else {
                "histogram buckets only"
            };
            let because = format!(
                "{name} between {} and {} {samples}: the file stores {keeps}",
                shown(low, unit),
                shown(high, unit)
            );
            return self.judge_between((low, high), because);
        }
        let holds = self.comparison.holds(high.cmp(&self.limit));
        let because = format!("{name} {} {samples}{}", shown(high, unit), left_out(series));
        // Unseen responses can only raise a maximum and lower a minimum.
        let may_change = match latency {
            Latency::Max | Latency::Jitter => holds == self.comparison.is_upper(),
            Latency::Min => holds != self.comparison.is_upper(),
            Latency::Mean => true,
        };
        if series.unseen > 0 && may_change { not_seen(because, series) } else { observed(holds, because) }
    }

    fn judge_mean(&self, series: &Series, unit: Unit, samples: &str) -> Judgement {
        let Some(mean) = series.mean else { return not_known("mean") };
        let holds = self.comparison.holds(mean.total_cmp(&(self.limit as f64)));
        let because = format!("mean {} {samples}{}", shown(mean.round() as u64, unit), left_out(series));
        if series.unseen > 0 { not_seen(because, series) } else { observed(holds, because) }
    }

    /// Judges a figure that is known only as a range (a histogram bucket). The outcome is decided if it is the same for every
    /// value in the range.
    fn judge_between(&self, (low, high): (u64, u64), because: String) -> Judgement {
        let [at_low, at_high] = [low, high].map(|value| self.comparison.holds(value.cmp(&self.limit)));
        let equal_inside = self.comparison == Comparison::Equal && (low..=high).contains(&self.limit);
        match at_low == at_high && !equal_inside {
            true => observed(at_low, because),
            false => Judgement { outcome: Outcome::Undecided, needs_more: 0, because },
        }
    }

    fn judge_quantile(&self, level: Level, unit: Unit, series: &Series) -> Judgement {
        let limit = if self.comparison == Comparison::Less { Some(self.limit) } else { self.limit.checked_add(1) };
        let distribution = Distribution::of(series);
        let answered = limit.map_or(Between { low: 0, high: 0 }, |limit| distribution.at_or_beyond(limit));
        let unanswered = series.unanswered();
        let perhaps = if answered.high > 0 { series.skipped } else { 0 };
        let dependence = dependence::of(series, level.beyond());
        let claim = Claim {
            allowed: level.beyond(),
            samples: distribution.samples() + series.known_missed() + series.unseen,
            exceeding: Between {
                low: answered.low + unanswered,
                high: answered.high + unanswered + perhaps + series.unseen,
            },
            confidence: self.confidence,
            independent: dependence.independent_share(),
        };
        if let Some(threshold) = series.threshold.filter(|_| claim.outcome() != Outcome::Pass) {
            let because = format!(
                "the file stores only the values above {}, and no count of all values; so only max can be required",
                shown(threshold, unit)
            );
            return Judgement { outcome: Outcome::Undecided, needs_more: 0, because };
        }
        let needs_more = claim.needs_more();
        Judgement {
            outcome: claim.outcome(),
            needs_more,
            because: self.explain(&claim, level, unit, series, needs_more) + &doubts(series, dependence),
        }
    }

    fn explain(&self, claim: &Claim, level: Level, unit: Unit, series: &Series, needs_more: u64) -> String {
        let Between { low, high } = claim.exceeding;
        let count = if low == high { grouped(low) } else { format!("{} to {}", grouped(low), grouped(high)) };
        let beyond = if self.comparison == Comparison::Less { "at or beyond" } else { "beyond" };
        let included = |count, what| if count > 0 { format!(", {} {what}", grouped(count)) } else { String::new() };
        let lost = included(series.unanswered(), "unanswered (counted as later)")
            + &included(series.skipped, "skipped (perhaps late)")
            + &included(series.unseen, "unseen (perhaps late)")
            + if series.missed.is_none() { ", the number missed is unknown" } else { "" };
        let seen = format!("{count} of {} {beyond} {}{lost}", grouped(claim.samples), shown(self.limit, unit));
        let confidence = format!("at {} % confidence", self.confidence * 100.0);
        let allows = format!("{level} allows {}", percent(claim.allowed));
        match claim.outcome() {
            Outcome::Pass => format!("{seen}; {confidence} at most {}, {allows}", percent(claim.highest_share())),
            Outcome::Fail => format!("{seen}; {confidence} at least {}, {allows}", percent(claim.lowest_share())),
            Outcome::Undecided if low != high && series.skipped > 0 => {
                format!(
                    "{seen}; {allows}; with --overrun queue, skipped releases are answered too, which decides the \
                    outcome"
                )
            }
            Outcome::Undecided if claim.samples + needs_more >= FORECAST => {
                format!("{seen}; {allows}; the share is too close to the limit to estimate how many samples decide")
            }
            Outcome::Undecided => {
                format!(
                    "{seen}; {allows}; {} more samples would decide {confidence} if the share of late ones stays the same",
                    grouped(needs_more)
                )
            }
        }
    }
}

impl Comparison {
    fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Greater => order.is_gt(),
        }
    }

    fn same_within(self, low: u64, high: u64, limit: u64) -> bool {
        let holds = |value: u64| self.holds(value.cmp(&limit));
        let between = self == Self::Equal && low < limit && limit < high;
        holds(low) == holds(high) && !between
    }

    fn is_upper(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual | Self::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Span};
    use backwall_stats::{Block, SeriesBuilder};

    fn series(name: &str, unit: Unit, load: &str, values: &[u64], lost: u64) -> Series {
        let mut builder = SeriesBuilder::new(Key::new(name, load, "as-is"), Span::new("expiry", "thread", unit));
        let seq: Vec<u64> = (0..values.len() as u64).collect();
        builder.samples(Block { seq: &seq, at: &seq, value: values, late: 0 });
        builder.missed(0, lost);
        builder.build()
    }

    fn wakeup(load: &str, values: &[u64]) -> Series {
        series("wakeup", Unit::Ns, load, values, 0)
    }

    fn judged(text: &str, series: &[Series]) -> backwall_model::Requirement {
        text.parse::<Rule>().unwrap().judge(series).unwrap()
    }

    fn outcome(text: &str, series: &[Series]) -> Outcome {
        judged(text, series).outcome
    }

    #[test]
    fn a_quantile_passes_fails_or_needs_a_stated_number_of_samples() {
        let quiet = |n| [wakeup("none", &vec![50_000; n])];
        let passed = judged("wakeup.p99.99 < 100us", &quiet(30_000));
        assert_eq!((passed.outcome, passed.needs_more, passed.confidence), (Outcome::Pass, 0, 0.95));
        assert_eq!(
            passed.because,
            "wakeup[load=none,idle=as-is]: 0 of 30,000 at or beyond 100 us; \
             at 95 % confidence at most 0.00999 %, p99.99 allows 0.01 %"
        );
        let undecided = judged("wakeup.p99.99 < 100us", &quiet(10_000));
        assert_eq!((undecided.outcome, undecided.needs_more), (Outcome::Undecided, 19_956));
        assert!(undecided.because.contains("19,956 more samples would decide"), "{}", undecided.because);
        assert_eq!(outcome("wakeup.p99.99 < 50us", &quiet(10_000)), Outcome::Fail);
        assert_eq!(outcome("wakeup.p99.99 <= 50us", &quiet(30_000)), Outcome::Pass);
        assert_eq!(outcome("wakeup.p99.99 < 100us at 99%", &quiet(30_000)), Outcome::Undecided);
    }

    #[test]
    fn the_worst_phase_counts_unless_one_is_named() {
        let run = [wakeup("none", &[10; 1_000]), wakeup("all", &[900_000; 1_000])];
        let failed = judged("wakeup.p99 < 100us", &run);
        assert_eq!(failed.outcome, Outcome::Fail);
        assert!(failed.because.starts_with("wakeup[load=all,idle=as-is] (worst of 2 series): "), "{}", failed.because);
        assert_eq!(outcome("wakeup[load=none].p99 < 100us", &run), Outcome::Pass);
        assert_eq!(outcome("[load=none,idle=as-is].max < 100us", &run), Outcome::Pass);
    }

    #[test]
    fn an_observed_maximum_is_certain_for_this_run() {
        let run = [wakeup("none", &[1_000, 2_500])];
        let passed = judged("max < 1ms", &run);
        assert_eq!((passed.outcome, passed.confidence), (Outcome::Pass, 1.0));
        assert!(passed.because.ends_with("largest 2.5 us in 2 samples of this run"), "{}", passed.because);
        assert_eq!(outcome("max < 2.5us", &run), Outcome::Fail);
        assert_eq!(outcome("max <= 2.5us", &run), Outcome::Pass);
        assert_eq!(outcome("jitter == 1500ns", &run), Outcome::Pass);
        assert_eq!(outcome("min >= 1us", &run), Outcome::Pass);
        assert_eq!(outcome("mean > 1750ns", &run), Outcome::Fail);
    }

    #[test]
    fn unseen_responses_leave_undecided_what_they_could_change() {
        let mut builder = SeriesBuilder::new(Key::new("a", "none", "as-is"), Span::new("x", "y", Unit::Ns));
        (0..1_000).for_each(|seq| builder.sample(seq, seq, 1_000 + seq * 7_919 % 1_000, false));
        builder.unseen(1_000, 3);
        let series = [builder.build()];
        for (text, expected) in [
            ("max < 1ms", Outcome::Undecided),
            ("max < 1500ns", Outcome::Fail),
            ("max > 1500ns", Outcome::Pass),
            ("max > 1ms", Outcome::Undecided),
            ("min < 1500ns", Outcome::Pass),
            ("min > 500ns", Outcome::Undecided),
            ("mean < 1ms", Outcome::Undecided),
            ("missed == 0", Outcome::Undecided),
            ("missed <= 3", Outcome::Pass),
            ("missed == 4", Outcome::Fail),
            ("missed == 2", Outcome::Undecided),
            ("unseen == 3", Outcome::Pass),
            ("late < 4", Outcome::Pass),
            ("p50 < 10us", Outcome::Pass),
            ("p99.9 < 10us", Outcome::Undecided),
        ] {
            assert_eq!(outcome(text, &series), expected, "{text}");
        }
    }

    #[test]
    fn a_lost_stimulus_exceeds_every_upper_limit() {
        let run = [series("wakeup", Unit::Ns, "none", &[1_000; 1_000], 30)];
        assert_eq!(outcome("missed == 0", &run), Outcome::Fail);
        assert_eq!(outcome("missed <= 30", &run), Outcome::Pass);
        assert_eq!(outcome("max < 1s", &run), Outcome::Fail);
        assert_eq!(outcome("max > 1ns", &run), Outcome::Pass);
        let failed = judged("p99 < 1s", &run);
        assert_eq!(failed.outcome, Outcome::Fail);
        assert!(
            failed.because.contains("30 of 1,030 at or beyond 1000 ms, 30 unanswered (counted as later)"),
            "{}",
            failed.because
        );
    }

    #[test]
    fn a_skipped_release_is_judged_by_lost_and_never_makes_a_latency_worse_than_the_one_that_passed_it() {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        (0..1_000).for_each(|seq| builder.sample(seq, seq, if seq == 500 { 1_030_000 } else { 1_000 }, false));
        builder.skipped(501, 30);
        let run = [builder.build()];
        let passed = judged("max < 100ms", &run);
        assert_eq!(passed.outcome, Outcome::Pass);
        assert!(
            passed.because.ends_with(
                "largest 1030 us in 1,000 samples of this run; 30 skipped by the overload rule: require missed == 0 \
                    to forbid skipping"
            ),
            "{}",
            passed.because
        );
        assert_eq!(outcome("max < 1ms", &run), Outcome::Fail);
        assert_eq!(outcome("missed == 0", &run), Outcome::Fail);
        assert_eq!(outcome("p99 < 100ms", &run), Outcome::Pass, "no response was so late, so none of the skipped was");
        assert_eq!(outcome("p99 < 1ms", &run), Outcome::Undecided, "each of the skipped may have been that late");
        builder.missed(900, 1);
        assert_eq!(outcome("max < 100ms", &[builder.build()]), Outcome::Fail, "one that nobody answered");
    }

    #[test]
    fn late_responses_in_clusters_decide_less() {
        let spread = |n: u64| if n * 7_919 % 30_000 < 150 { 90_000 + n } else { 50_000 };
        let clustered = |n: u64| if n % 6_000 < 30 { 90_000 + n } else { 50_000 };
        let run = |value: fn(u64) -> u64| [wakeup("none", &(0..30_000).map(value).collect::<Vec<_>>())];
        assert_eq!(outcome("p99.99 < 1ms", &run(spread)), Outcome::Pass);
        let undecided = judged("p99.99 < 1ms", &run(clustered));
        assert_eq!(undecided.outcome, Outcome::Undecided);
        assert!(undecided.because.contains("late responses come in clusters (extremal index"), "{}", undecided.because);
    }

    #[test]
    fn where_nobody_kept_the_order_the_verdict_says_so() {
        let histogram = Series { worst: Vec::new(), ..wakeup("none", &vec![50_000; 30_000]) };
        let passed = judged("p99.99 < 1ms", &[histogram]);
        assert_eq!(passed.outcome, Outcome::Pass);
        assert!(passed.because.contains("the file does not contain the order of its samples"), "{}", passed.because);
        assert!(!judged("max < 1ms", &[wakeup("none", &[5])]).because.contains("order"));
    }

    #[test]
    fn of_a_run_that_drifted_the_verdict_says_what_its_confidence_is_worth() {
        let values: Vec<u64> =
            (0..30_000).map(|seq| if seq * 7_919 % 30_000 < seq / 50 { 90_000 } else { 50_000 }).collect();
        let shuffled: Vec<u64> = (0..30_000).map(|seq| values[seq * 11_003 % 30_000]).collect();
        let told =
            |values: &[u64]| judged("p99.99 < 1ms", &[wakeup("none", values)]).because.contains("the run drifted");
        assert_eq!((told(&values), told(&shuffled)), (true, false));
        // Instructions are counted exactly, so a change of them during the run is planned and no drift.
        let counted = series("isr", Unit::Instructions, "none", &values, 0);
        assert!(!judged("isr.p99.99 < 1000000 instructions", &[counted]).because.contains("drifted"));
    }

    #[test]
    fn a_threshold_is_knowledge_of_what_was_not_recorded() {
        let above =
            |values: &[u64]| [Series { threshold: Some(10_000), due: None, missed: None, ..wakeup("none", values) }];
        let (quiet, gaps) = (above(&[]), above(&[12_000, 18_000]));
        for (text, of_quiet, of_gaps) in [
            ("max < 20us", Outcome::Pass, Outcome::Pass),
            ("max <= 10us", Outcome::Pass, Outcome::Fail),
            ("max < 10us", Outcome::Undecided, Outcome::Fail),
            ("max < 15us", Outcome::Pass, Outcome::Fail),
            ("max > 10us", Outcome::Fail, Outcome::Pass),
            ("mean < 20us", Outcome::Pass, Outcome::Pass),
            ("mean < 15us", Outcome::Pass, Outcome::Undecided),
            ("min < 15us", Outcome::Pass, Outcome::Pass),
            ("min > 5us", Outcome::Undecided, Outcome::Undecided),
            ("jitter < 20us", Outcome::Pass, Outcome::Pass),
            ("p99 < 20us", Outcome::Undecided, Outcome::Undecided),
            ("p50 < 11us", Outcome::Undecided, Outcome::Undecided),
            ("missed == 0", Outcome::Undecided, Outcome::Undecided),
            ("done <= 2", Outcome::Pass, Outcome::Pass),
        ] {
            assert_eq!((outcome(text, &quiet), outcome(text, &gaps)), (of_quiet, of_gaps), "{text}");
        }
        let passed = judged("max < 20us", &quiet);
        assert!(passed.because.contains("with nothing above 10 us"), "{}", passed.because);
        let many = above(&vec![12_000; 30_000]);
        assert_eq!(outcome("p99.9 < 15us", &many), Outcome::Pass, "what was dropped was not larger");
        assert_eq!(outcome("p99.9 < 11us", &many), Outcome::Undecided, "how many were dropped is not known");
    }

    #[test]
    fn nothing_measured_decides_nothing() {
        let run = [wakeup("none", &[])];
        for text in ["missed == 0", "max < 1s", "p50 < 1s"] {
            let undecided = judged(text, &run);
            assert_eq!(undecided.outcome, Outcome::Undecided, "{text}");
            assert!(undecided.needs_more > 0, "{text}");
        }
        assert_eq!(outcome("done >= 1", &run), Outcome::Fail);
    }

    #[test]
    fn time_is_never_compared_with_instructions() {
        let run = [series("isr", Unit::Instructions, "none", &[5, 42], 0), wakeup("none", &[10])];
        assert_eq!(outcome("isr.max == 42 instructions", &run), Outcome::Pass);
        for (text, message) in [
            ("isr.max < 1us", "isr[load=none,idle=as-is] is in instructions, but the limit is in time"),
            ("max < 9 instructions", "wakeup[load=none,idle=as-is] is in time, but the limit is in instructions"),
        ] {
            let error = text.parse::<Rule>().unwrap().judge(&run).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn the_end_of_the_number_range_is_a_limit_like_any_other() {
        let run = [series("isr", Unit::Instructions, "none", &[u64::MAX; 1_000], 0)];
        assert_eq!(outcome("p99 <= 18446744073709551615 instructions", &run), Outcome::Pass);
        assert_eq!(outcome("p99 < 18446744073709551615 instructions", &run), Outcome::Fail);
    }

    #[test]
    fn shares_and_values_keep_their_digits() {
        assert_eq!(
            [0.5, 0.01, 9.9861e-5, 1e-6, 0.0, 1.0].map(percent),
            ["50 %", "1 %", "0.00999 %", "0.0001 %", "0 %", "100 %"]
        );
        assert_eq!(shown(100_001, Unit::Ns), "100.001 us");
        assert_eq!(shown(12_345_678, Unit::Ns), "12.345678 ms");
    }
}
