// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab bisect`: the first revision of a guest's sources that fails a requirement.
use super::{Boot, Common, bad_scenario, emulator, held, refusal_of, run_of, settings};
use crate::command::deliver::rules;
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::lab::bench::{self, Settings};
use crate::lab::emulator::Emulator;
use crate::lab::guest;
use crate::lab::history::{BadHistory, History, Revision, Stand, Verdict, short};
use crate::lab::result::judge;
use crate::lab::scenario::Scenario;
use crate::lab::shipped;
use crate::options::Global;
use crate::progress::Activity;
use crate::require::{Demands, exit_of};
use crate::run::Requirement;
use serde::Serialize;
use serde_json::json;
use std::path::{Component, Path, PathBuf};

/// The kinds of guest whose name is the path of an image.
const OF_A_PATH: [&str; 2] = ["linux", "image"];

/// Arguments of `backwall lab bisect`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A revision that passes the requirements
    #[arg(value_name = "GOOD")]
    good: String,
    /// A later revision that fails one
    #[arg(value_name = "BAD")]
    bad: String,
    /// A name from `backwall lab list`, or a file ending in .toml; its guest is linux or image
    #[arg(value_name = "NAME|FILE.toml", default_value = "linux-stock")]
    scenario: String,
    /// Builds a revision, in a folder of its own; $BACKWALL_TREE is yours
    #[arg(long, value_name = "CMD")]
    build: String,
    /// What the build makes
    #[arg(long, value_name = "FILE", default_value = "arch/x86/boot/bzImage")]
    image: PathBuf,
    /// The repository, or a folder in it
    #[arg(long, value_name = "DIR", default_value = ".")]
    tree: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// A revision that was tried.
#[derive(Clone, Debug, Serialize)]
struct Trial {
    revision: Revision,
    verdict: Verdict,
    /// The figures that decided, or why nothing could.
    because: String,
}

/// What a revision is held against.
struct Bench<'a> {
    history: History,
    scenario: Scenario,
    demands: Demands,
    emulator: Emulator,
    settings: Settings,
    args: &'a Args,
    global: &'a Global,
}

/// Whether a name leads nowhere but further down.
fn is_below(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_))) && name.file_name().is_some()
}

/// Tries both ends, then halves what lies between them.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenario = shipped::find_only(&args.scenario).map_err(bad_scenario)?;
    let kind = guest::name_of_kind(&scenario.guest);
    if !OF_A_PATH.contains(&kind) {
        let name = &scenario.name;
        return Err(usage(format!(
            "lab bisect: {name}: guest {:?} is no image of a build: want linux or image",
            scenario.guest
        )));
    }
    if !is_below(&args.image) {
        let image = args.image.display();
        return Err(usage(format!("--image {image}: want the name of a file from the folder that is built in")));
    }
    let rules = rules(global)?;
    if rules.is_empty() {
        return Err(usage("lab bisect: say with --require what a good revision passes"));
    }
    let bench = Bench {
        demands: held(&scenario, rules)?,
        emulator: emulator(scenario.machine)?,
        scenario,
        settings: settings(&args.common, Boot { fresh: true }, global)?,
        history: History::open(&args.tree).map_err(refused)?,
        args,
        global,
    };
    let (trials, suspects) = bench.search()?;
    if global.json {
        print(&(serde_json::to_string_pretty(&json!({ "trials": trials, "first_bad_among": suspects }))? + "\n"))?;
    } else {
        print(&told(&suspects))?;
    }
    Ok(if suspects.len() == 1 { Exit::Done } else { Exit::Undecided })
}

impl Bench<'_> {
    /// Every revision that was tried, and those of which one is the first bad one: a single one where it was found.
    fn search(&self) -> anyhow::Result<(Vec<Trial>, Vec<Revision>)> {
        let named = |name: &str| self.history.revision(name).map_err(refused);
        let (good, bad) = (named(&self.args.good)?, named(&self.args.bad)?);
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

    /// Builds a revision, runs it, and says a line of what was found.
    fn trial(&self, revision: Revision) -> anyhow::Result<Trial> {
        let what = format!("{} {}", short(&revision), revision.subject);
        let shown = Activity::begin(self.global.quiet, move || what.clone());
        let (verdict, because) = self.verdict(&revision)?;
        drop(shown);
        let trial = Trial { revision, verdict, because };
        if !(self.global.json || self.global.quiet) {
            print(&line(&trial))?;
        }
        Ok(trial)
    }

    fn verdict(&self, revision: &Revision) -> anyhow::Result<(Verdict, String)> {
        let Args { build, image, .. } = self.args;
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
            Err(fault) => Ok((Verdict::Skip, first_line(&refusal_of(&scenario.name, fault).to_string()))),
        }
    }

    fn judged(&self, scenario: &Scenario, bench: &mut bench::BenchRun) -> anyhow::Result<(Verdict, String)> {
        let mut run = run_of(scenario, bench, &self.emulator, self.global, jiff::Timestamp::now());
        let judged = judge(scenario, &mut bench.recording.edges);
        judged.into_iter().flat_map(|judged| judged.answered).for_each(|answered| answered.add_to(&mut run));
        let requirements = self.demands.judge(&run).map_err(|error| usage(error.to_string()))?;
        let verdict = match exit_of(&requirements) {
            Exit::Done => Verdict::Good,
            Exit::Failed => Verdict::Bad,
            _ => Verdict::Skip,
        };
        Ok((verdict, decisive(&requirements)))
    }
}

/// The sentences of the requirements whose outcome decided.
fn decisive(requirements: &[Requirement]) -> String {
    let exit = exit_of(requirements);
    let decided = requirements.iter().filter(|one| exit_of(std::slice::from_ref(one)) == exit);
    decided.map(|one| format!("{}: {}", one.text, one.because)).collect::<Vec<_>>().join("; ")
}

fn wrong_end(trial: &Trial, wanted: Verdict) -> anyhow::Error {
    let name = short(&trial.revision);
    match (wanted, trial.verdict) {
        (_, Verdict::Skip) => unable(format!("lab bisect: {name} cannot be judged: {}", trial.because)),
        (Verdict::Good, _) => usage(format!("lab bisect: {name} is to be good and fails: {}", trial.because)),
        _ => usage(format!("lab bisect: {name} is to be bad and passes: {}", trial.because)),
    }
}

fn refused(fault: BadHistory) -> anyhow::Error {
    match fault {
        BadHistory::Input(text) => usage(format!("lab bisect: {text}")),
        BadHistory::Unable(text) => unable(format!("lab bisect: {text}")),
    }
}

fn ended() -> anyhow::Error {
    unable("lab bisect: interrupted; nothing of your repository was changed")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Bad => "bad",
        Verdict::Skip => "skipped",
    }
}

fn line(trial: &Trial) -> String {
    let Trial { revision, verdict, because } = trial;
    format!("{:<7}  {}  {}\n         {because}\n", word(*verdict), short(revision), revision.subject)
}

fn told(suspects: &[Revision]) -> String {
    let rows: String = suspects.iter().map(|revision| format!("{}  {}\n", revision.id, revision.subject)).collect();
    match suspects.len() {
        1 => format!("first bad: {rows}"),
        _ => format!("first bad: one of these; all but the last were skipped\n{rows}"),
    }
}
