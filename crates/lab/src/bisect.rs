// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the first revision of a guest's sources that fails a requirement: builds, runs, bisects.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use crate::bench::{self, Settings};
use crate::emulator::Emulator;
use crate::guest;
use crate::history::{BadHistory, History, Revision, Stand, Verdict, short};
use crate::result::{judge, run_of};
use crate::scenario::Scenario;
use backwall_judge::require::{Demands, outcome_of};
use backwall_model::{Outcome, Requirement, Run};
use backwall_os::console::progress::Activity;
use backwall_os::refusal::{Refusal, Result, unable, usage};
use serde::Serialize;
use std::path::Path;

#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    pub revision: Revision,
    pub verdict: Verdict,
    pub because: String,
}

pub struct Bisection<'a> {
    pub history: History,
    pub scenario: Scenario,
    pub demands: Demands,
    pub emulator: Emulator,
    pub settings: Settings,
    pub build: &'a str,
    pub image: &'a Path,
    pub words: Vec<String>,
    pub quiet: bool,
    pub hear: &'a dyn Fn(&Trial) -> Result<()>,
}

impl Bisection<'_> {
    /// Every revision that was tried, and the candidates for the first bad one; if there is only one candidate, it is
    /// the first bad revision.
    ///
    /// # Errors
    /// If the first or last revision has the wrong verdict, git fails, or the user stops.
    pub fn search(&self, good: &str, bad: &str) -> Result<(Vec<Trial>, Vec<Revision>)> {
        let named = |name: &str| self.history.revision(name).map_err(refused);
        let (good, bad) = (named(good)?, named(bad)?);
        self.history.begin(&good, &bad).map_err(refused)?;
        let mut trials = Vec::new();
        for (revision, wanted) in [(good, Verdict::Good), (bad, Verdict::Bad)] {
            let trial = self.trial(revision)?;
            if trial.verdict != wanted {
                return Err(wrong_end(&trial, wanted));
            }
            trials.push(trial);
        }
        loop {
            match self.history.stand().map_err(refused)? {
                Stand::Next(revision) => {
                    let trial = self.trial(revision)?;
                    self.history.tell(&trial.revision, trial.verdict).map_err(refused)?;
                    trials.push(trial);
                }
                Stand::Found(revision) => return Ok((trials, vec![revision])),
                Stand::Among(suspects) => return Ok((trials, suspects)),
            }
        }
    }

    fn trial(&self, revision: Revision) -> Result<Trial> {
        let what = format!("{} {}", short(&revision), revision.subject);
        let shown = Activity::begin(self.quiet, move || what.clone());
        let (verdict, because) = self.verdict(&revision)?;
        drop(shown);
        let trial = Trial { revision, verdict, because };
        (self.hear)(&trial)?;
        Ok(trial)
    }

    fn verdict(&self, revision: &Revision) -> Result<(Verdict, String)> {
        let (build, image) = (self.build, self.image);
        let stop = || self.settings.stop.asked();
        let built = self.history.build(revision, build, image, &stop).map_err(refused)?;
        let built = built.ok_or_else(ended)?;
        let image = match built {
            Ok(image) => image,
            Err(fault) => return Ok((Verdict::Skip, fault.to_string())),
        };
        let kind = guest::name_of_kind(&self.scenario.guest);
        let scenario = Scenario { guest: format!("{kind}:{}", image.display()), ..self.scenario.clone() };
        match bench::run(&scenario, &self.emulator, &self.settings) {
            Ok(bench) if bench.interrupted => Err(ended()),
            Ok(mut bench) => self.judged(&scenario, &mut bench),
            Err(_) if stop() => Err(ended()),
            Err(fault) => Ok((Verdict::Skip, format!("lab: {}: {}", scenario.name, fault.short()))),
        }
    }

    fn judged(&self, scenario: &Scenario, bench: &mut bench::BenchRun) -> Result<(Verdict, String)> {
        let mut run =
            run_of(scenario, bench, &self.emulator, self.settings.seed, self.words.clone(), jiff::Timestamp::now());
        let judged = judge(scenario, &mut bench.recording.edges);
        judged.into_iter().flat_map(|judged| judged.answered).for_each(|answered| answered.add_to(&mut run));
        verdict_of(&self.demands, &run)
    }
}

/// The verdict on the guest of a run, and the sentences of the requirements that decided it.
///
/// # Errors
/// If a requirement names something that the run does not have.
pub fn verdict_of(demands: &Demands, run: &Run) -> Result<(Verdict, String)> {
    let requirements = demands.judge(run).map_err(|error| usage(error.to_string()))?;
    let verdict = match outcome_of(&requirements) {
        Outcome::Pass => Verdict::Good,
        Outcome::Fail => Verdict::Bad,
        Outcome::Undecided => Verdict::Skip,
    };
    Ok((verdict, decisive(&requirements)))
}

fn decisive(requirements: &[Requirement]) -> String {
    let outcome = outcome_of(requirements);
    let decided = requirements.iter().filter(|one| one.outcome == outcome);
    decided.map(|one| format!("{}: {}", one.text, one.because)).collect::<Vec<_>>().join("; ")
}

fn wrong_end(trial: &Trial, wanted: Verdict) -> Refusal {
    let name = short(&trial.revision);
    match (wanted, trial.verdict) {
        (_, Verdict::Skip) => unable(format!("lab bisect: cannot judge {name}: {}", trial.because)),
        (Verdict::Good, _) => usage(format!("lab bisect: {name} must be good, but fails: {}", trial.because)),
        _ => usage(format!("lab bisect: {name} must be bad, but passes: {}", trial.because)),
    }
}

pub fn refused(fault: BadHistory) -> Refusal {
    match fault {
        BadHistory::Input(text) => usage(format!("lab bisect: {text}")),
        BadHistory::Unable(text) => unable(format!("lab bisect: {text}")),
    }
}

fn ended() -> Refusal {
    unable("lab bisect: interrupted; your repository is unchanged")
}
