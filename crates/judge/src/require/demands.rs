// SPDX-License-Identifier: MIT OR Apache-2.0
//! All requirements of one run: checked against its plan before it, and judged on its figures afterwards.
use super::{Inapplicable, Rule};
use backwall_model::{Outcome, PlannedSeries, Requirement, Run};

#[derive(Clone, Debug, Default)]
pub struct Demands {
    rules: Vec<Rule>,
    planned: Vec<PlannedSeries>,
}

impl Demands {
    pub fn without_plan(rules: Vec<Rule>) -> Self {
        Self { rules, planned: Vec::new() }
    }

    /// Requirements for a run that will have these series.
    ///
    /// # Errors
    /// If a requirement matches none of them, or has another unit.
    pub fn on(rules: Vec<Rule>, planned: Vec<PlannedSeries>) -> Result<Self, Inapplicable> {
        rules.iter().try_for_each(|rule| rule.applies_to(&planned))?;
        Ok(Self { rules, planned })
    }

    pub fn judge(&self, run: &Run) -> Result<Vec<Requirement>, Inapplicable> {
        let of_run = run.undecided();
        let judge = |rule: &Rule| -> Result<Requirement, Inapplicable> {
            let (judged, of_series) = self.judge_one(rule, run)?;
            // The reason of the judged series comes before that of the run.
            Ok(match of_series.or_else(|| of_run.clone()) {
                Some(why) => judged.undecided(&why),
                None => judged,
            })
        };
        self.rules.iter().map(judge).collect()
    }

    /// An invalid series decides nothing. A failure that a valid series shows remains a failure.
    fn judge_one(&self, rule: &Rule, run: &Run) -> Result<(Requirement, Option<String>), Inapplicable> {
        let judged = self.judge_all(rule, run)?;
        let mut meant = run.series.iter().filter(|series| rule.means(&series.key));
        let Some(why) = meant.find_map(|series| run.no_evidence_of(&series.key)) else { return Ok((judged, None)) };
        let sound = run.series.iter().filter(|series| run.no_evidence_of(&series.key).is_none());
        let of_sound = rule.judge(&sound.cloned().collect::<Vec<_>>());
        let failed = of_sound.ok().filter(|judged| judged.outcome == Outcome::Fail);
        Ok(failed.map_or((judged, Some(why)), |failed| (failed, None)))
    }

    /// If the run ended early or a phase failed, requirements on the missing series are undecided. Failures remain failures.
    fn judge_all(&self, rule: &Rule, run: &Run) -> Result<Requirement, Inapplicable> {
        let judged = rule.judge(&run.series)?;
        if judged.outcome == Outcome::Fail {
            return Ok(judged);
        }
        let ended = if run.interrupted { " before the run ended" } else { "" };
        let mut planned = self.planned.iter().map(|planned| &planned.key);
        let missing = planned.find(|key| rule.means(key) && run.series_of(key).is_none());
        Ok(match missing {
            Some(key) => rule.not_measured(format!("{key} was not measured{ended}")),
            None if run.interrupted && !run.series.iter().any(|series| rule.means(&series.key)) => {
                rule.not_measured(format!("no such series was measured{ended}"))
            }
            None => judged,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use backwall_model::{InvalidPhase, Key, Origin, Plan, Series, Span, Warning};
    use backwall_stats::SeriesBuilder;

    fn planned() -> Vec<PlannedSeries> {
        ["none", "all"].map(|load| PlannedSeries { key: Key::new("wakeup", load, "as-is"), unit: Unit::Ns }).into()
    }

    fn run(interrupted: bool) -> Run {
        let mut builder = SeriesBuilder::new(planned()[0].key.clone(), Span::new("expiry", "thread", Unit::Ns));
        (0..1_000).for_each(|seq| builder.sample(seq, seq, 5_000, false));
        let begun = Run::begin(Origin::Measured, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        Run { interrupted, series: vec![builder.build()], ..begun }
    }

    #[test]
    fn a_run_without_evidence_decides_nothing_whatever_its_figures_show() {
        let mut run = run(false);
        run.warnings = vec![Warning::new("clusters", "x")];
        run.spoil("load disk made no progress");
        let rules = ["wakeup.max < 1ms", "wakeup.max < 1us", "missed == 0"].map(|text| text.parse().unwrap());
        let judged = Demands::without_plan(rules.into()).judge(&run).unwrap();
        for requirement in &judged {
            assert_eq!(requirement.outcome, Outcome::Undecided, "{requirement:?}");
            assert!(requirement.because.starts_with("no evidence: load disk made no progress; "), "{requirement:?}");
        }
    }

    fn judged(text: &str, planned: Option<Vec<PlannedSeries>>, run: &Run) -> Result<Requirement, String> {
        let rules = vec![text.parse::<Rule>().unwrap()];
        let demands = match planned {
            Some(planned) => Demands::on(rules, planned).unwrap(),
            None => Demands::without_plan(rules),
        };
        demands.judge(run).map(|mut all| all.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn what_an_interrupted_run_did_not_come_to_is_undecided() {
        let outcome = |text: &str| judged(text, Some(planned()), &run(true)).unwrap().outcome;
        assert_eq!(outcome("wakeup[load=all].max < 1ms"), Outcome::Undecided);
        assert_eq!(outcome("max < 1ms"), Outcome::Undecided, "one phase of two was seen");
        assert_eq!(outcome("max < 1us"), Outcome::Fail, "whatever the other phase would have shown");
        assert_eq!(outcome("[load=none].max < 1ms"), Outcome::Pass);
        let because = judged("max < 1ms", Some(planned()), &run(true)).unwrap().because;
        assert_eq!(because, "wakeup[load=all,idle=as-is] was not measured before the run ended");
    }

    #[test]
    fn what_a_run_that_went_to_its_end_has_not_is_undecided_with_its_reason() {
        let undecided = |text: &str, planned| {
            let judged = judged(text, planned, &run(false)).unwrap();
            assert_eq!(judged.outcome, Outcome::Undecided, "{judged:?}");
            judged.because
        };
        let phase = "wakeup[load=all,idle=as-is] was not measured";
        assert_eq!(undecided("wakeup[load=all].max < 1ms", Some(planned())), phase);
        assert_eq!(undecided("max < 1ms", Some(planned())), phase, "one phase of two was seen");
        let series = "the run has no such series; it has wakeup[load=none,idle=as-is]";
        for text in ["ist.max < 1ms", "ist.max > 0us", "ist.p99 < 1ms", "ist.missed == 0", "[load=disk].late == 0"] {
            assert_eq!(undecided(text, None), series, "{text}");
        }
        assert_eq!(judged("max < 1us", Some(planned()), &run(false)).unwrap().outcome, Outcome::Fail);
        assert_eq!(judged("[load=none].max < 1ms", Some(planned()), &run(false)).unwrap().outcome, Outcome::Pass);
    }

    #[test]
    fn a_run_without_any_series_decides_nothing() {
        let run = Run { series: Vec::new(), ..run(false) };
        let judged = judged("max < 1ms", None, &run).unwrap();
        assert_eq!(
            (judged.outcome, judged.because),
            (Outcome::Undecided, "the run has no such series; it has none".into())
        );
    }

    // Only figures of valid phases count. They may fail the requirement, but cannot pass it for the invalid phase.
    #[test]
    fn a_spoiled_phase_decides_nothing_and_the_other_keeps_what_it_shows() {
        let mut run = run(false);
        let quiet = run.series[0].clone();
        run.series.push(Series { key: quiet.key.with_load("all"), ..quiet });
        let spoiled = InvalidPhase { load: "all".into(), idle: "as-is".into(), traced: false };
        run.spoil_phase(spoiled, "load disk did nothing");
        let of = |text: &str| judged(text, None, &run).unwrap();
        for text in ["wakeup.max < 1ms", "wakeup[load=all].max < 1ms", "wakeup[load=all].max < 1us"] {
            let undecided = of(text);
            assert_eq!(undecided.outcome, Outcome::Undecided, "{undecided:?}");
            assert!(undecided.because.starts_with("no evidence: load disk did nothing; "), "{undecided:?}");
        }
        assert_eq!(of("wakeup[load=none].max < 1ms").outcome, Outcome::Pass);
        let failed = of("wakeup.max < 1us");
        assert_eq!(failed.outcome, Outcome::Fail);
        assert!(failed.because.starts_with("wakeup[load=none,"), "{failed:?}");
    }

    #[test]
    fn without_a_plan_an_interrupted_run_may_lack_anything() {
        let undecided = judged("app.max < 1ms", None, &run(true)).unwrap();
        assert_eq!(undecided.because, "no such series was measured before the run ended");
        assert!(judged("wakeup.max < 5 instructions", None, &run(true)).is_err());
        assert_eq!(judged("wakeup.max < 1ms", None, &run(true)).unwrap().outcome, Outcome::Pass);
    }
}
