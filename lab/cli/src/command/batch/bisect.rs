// SPDX-License-Identifier: MIT OR Apache-2.0
//! Searches in rounds for the first bad guest of a list. The results of each round decide which guests the next round tries. The
//! units of a round run like all others, on any engine.
use super::open;
use crate::command;
use backwall::exit::{Exit, unable, usage};
use backwall::options::Printing;
use backwall_judge::require::{Demands, Rule};
use backwall_lab::batch::merged::{fault, run_of};
use backwall_lab::batch::place::{Place, State};
use backwall_lab::batch::plan::{Plan, name_with_guest};
use backwall_lab::batch::planned::{PlannedScenario, scenarios, units, wholes};
use backwall_lab::batch::section::{Section, Step};
use backwall_lab::batch::unit::Unit;
use backwall_lab::bisect::verdict_of;
use backwall_lab::history::Verdict;
use backwall_lab::shipped;
use backwall_os::console::complain;
use backwall_os::console::progress::Activity;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

struct Search<'a> {
    scenario: &'a str,
    guests: &'a [String],
    section: Section,
    because: BTreeMap<usize, String>,
    waits: usize,
}

impl<'a> Search<'a> {
    fn of(scenario: &'a str, plan: &'a Plan, place: Option<&Place>, all: &[Unit]) -> anyhow::Result<Self> {
        let guests = &plan.guests[..];
        let section = Section::new(guests.len(), plan.parts);
        let mut search = Self { scenario, guests, section, because: BTreeMap::new(), waits: 0 };
        let Some(place) = place else { return Ok(search) };
        for (at, guest) in guests.iter().enumerate() {
            let name = name_with_guest(scenario, guest);
            let Some(unit) = all.iter().find(|unit| unit.scenario == name) else { continue };
            if place.state(unit) != State::Done {
                search.waits += 1;
                continue;
            }
            let (verdict, because) = verdict(place, unit, &plan.require)?;
            search.section.tell(at, verdict);
            search.because.insert(at, because);
        }
        Ok(search)
    }

    /// Names of the scenarios to try next; empty while planned units are not done, or if the search can find nothing
    /// more.
    fn next(&self) -> Vec<String> {
        match self.section.step() {
            Step::Try(places) if self.waits == 0 => {
                places.into_iter().map(|at| name_with_guest(self.scenario, &self.guests[at])).collect()
            }
            _ => Vec::new(),
        }
    }

    fn wrong_end(&self) -> Option<usize> {
        match self.section.step() {
            Step::WrongEnd(at) => Some(at),
            _ => None,
        }
    }

    fn refusal(&self) -> Option<anyhow::Error> {
        let at = self.wrong_end()?;
        let (scenario, guest) = (self.scenario, &self.guests[at]);
        let because = self.because.get(&at).map_or("", String::as_str);
        Some(match self.section.verdict(at) {
            Some(Verdict::Bad) => {
                usage(format!("{scenario}: {guest} is the first guest and must be good, but fails: {because}"))
            }
            Some(Verdict::Good) => {
                usage(format!("{scenario}: {guest} is the last guest and must be bad, but passes: {because}"))
            }
            _ => unable(format!("{scenario}: {guest} cannot be judged: {because}")),
        })
    }

    /// The candidates for the first bad guest. If there is only one, it is the first bad guest.
    fn suspects(&self) -> Vec<&str> {
        let places = match self.section.step() {
            Step::Found(at) => vec![at],
            Step::Among(places) => places,
            Step::Try(_) | Step::WrongEnd(_) => Vec::new(),
        };
        places.into_iter().map(|at| self.guests[at].as_str()).collect()
    }

    fn text(&self) -> String {
        let row = |(at, because): (&usize, &String)| {
            let verdict = self.section.verdict(*at).map_or("", Verdict::word);
            format!("{verdict:<7}  {}\n         {because}\n", self.guests[*at])
        };
        let rows: String = self.because.iter().map(row).collect();
        let note = self.section.unordered().map_or(String::new(), |(bad, good)| {
            let (bad, good) = (&self.guests[bad], &self.guests[good]);
            format!("note: {bad} is bad, but the later {good} is good; the search finds only the first change\n")
        });
        let found = match &self.suspects()[..] {
            [] if self.wrong_end().is_some() => {
                "first bad: not found, because the first or last guest has the wrong verdict\n".to_string()
            }
            [] => "first bad: not known yet\n".to_string(),
            [one] => format!("first bad: {one}\n"),
            several => format!("first bad: one of these; all but the last were skipped\n{}\n", several.join("\n")),
        };
        format!("{}\n{rows}{note}{found}", self.scenario)
    }

    fn json(&self) -> Value {
        let trial = |(at, because): (&usize, &String)| json!({ "guest": self.guests[*at], "verdict": self.section.verdict(*at), "because": because });
        let trials: Vec<Value> = self.because.iter().map(trial).collect();
        let wrong_end = self.wrong_end().map(|at| &self.guests[at]);
        json!({ "scenario": self.scenario, "trials": trials, "first_bad_among": self.suspects(), "wrong_end": wrong_end })
    }
}

fn verdict(place: &Place, unit: &Unit, require: &[Rule]) -> anyhow::Result<(Verdict, String)> {
    match Place::skipped(&place.result(unit)).map_err(|error| fault(place, unit, &error))? {
        Some(why) => Ok((Verdict::Skip, why)),
        None => Ok(verdict_of(&demands(place, unit, require)?, &run_of(place, unit)?)?),
    }
}

/// The requirements that a good guest passes: those of the scenario and those of the plan.
fn demands(place: &Place, unit: &Unit, require: &[Rule]) -> anyhow::Result<Demands> {
    let scenario =
        shipped::find_only(&place.scenario(unit).display().to_string()).map_err(|error| usage(error.to_string()))?;
    Ok(Demands::without_plan([command::expected(&scenario)?, require.to_vec()].concat()))
}

/// Plans the first round, or the next round of an existing batch, or prints the result. Exit code 3 means undecided.
pub(super) fn plan(plan: &Plan, text: &str, folder: &Path, printing: Printing) -> anyhow::Result<Exit> {
    let scenarios = scenarios(plan)?;
    let there = folder.join("units.jsonl").exists().then(|| open(folder)).transpose()?;
    if let Some((place, _)) = &there {
        let before = place.plan().map_err(|error| usage(format!("{}: campaign.toml: {error}", folder.display())))?;
        if before != text {
            return Err(usage(format!("{}: belongs to another plan; name a new folder", folder.display())));
        }
    }
    let (place, known) = there.as_ref().map_or((None, &[][..]), |(place, units)| (Some(place), &units[..]));
    let searches = searches(wholes(&scenarios), plan, place, known)?;
    let next: Vec<String> = searches.iter().flat_map(Search::next).collect();
    if next.is_empty() {
        let exit = said(&searches, folder, printing)?;
        // If planned units are not done, the caller must run them before the next call.
        return Ok(if waits(&searches) > 0 { Exit::Done } else { exit });
    }
    let shown = Activity::begin(printing.quiet, || "preparing each guest of the round once".to_string());
    let round: Vec<&PlannedScenario> = next.iter().filter_map(|name| scenarios.get(name)).collect();
    let units = units(plan, round.iter().copied())?;
    drop(shown);
    let texts: Vec<(String, String)> =
        round.iter().map(|planned| (planned.scenario.name.clone(), planned.text.clone())).collect();
    let written = match place {
        Some(place) => place.extend(&units, &texts),
        None => Place::create(folder, text, &units, &texts).map(|_| ()),
    };
    written.map_err(|error| unable(format!("{}: {error}", folder.display())))?;
    let searches: Vec<Value> = searches.iter().map(Search::json).collect();
    printing.show(
        || json!({ "campaign": folder, "units": units.len(), "searches": searches }),
        || format!("{}: planned {} units of the next round\n", folder.display(), units.len()),
    )?;
    Ok(Exit::Done)
}

fn searches<'a>(
    scenarios: BTreeSet<&'a str>,
    plan: &'a Plan,
    place: Option<&Place>,
    all: &[Unit],
) -> anyhow::Result<Vec<Search<'a>>> {
    scenarios.into_iter().map(|scenario| Search::of(scenario, plan, place, all)).collect()
}

/// Prints the results so far of a search. Exit code 3 while the first bad guest is unknown.
pub(super) fn merge(place: &Place, all: &[Unit], folder: &Path, printing: Printing) -> anyhow::Result<Exit> {
    let bad = |error: &dyn std::fmt::Display| usage(format!("{}: campaign.toml: {error}", folder.display()));
    let text = place.plan().map_err(|error| bad(&error))?;
    let plan = Plan::parse(&text).map_err(|error| bad(&error))?;
    said(&searches(all.iter().map(Unit::whole).collect(), &plan, Some(place), all)?, folder, printing)
}

fn waits(searches: &[Search]) -> usize {
    searches.iter().map(|search| search.waits).sum()
}

fn said(searches: &[Search], folder: &Path, printing: Printing) -> anyhow::Result<Exit> {
    printing.show(
        || json!({ "campaign": folder, "units": 0, "searches": searches.iter().map(Search::json).collect::<Vec<_>>() }),
        || searches.iter().map(Search::text).collect(),
    )?;
    let waits = waits(searches);
    if waits > 0 {
        complain(&format!("backwall: {waits} units of the round are not done; run them with `backwall lab batch run`"));
    } else if let Some(refusal) = searches.iter().find_map(Search::refusal) {
        return Err(refusal);
    }
    match searches.iter().all(|search| search.suspects().len() == 1) {
        true if waits == 0 => Ok(Exit::Done),
        _ => Ok(Exit::Undecided),
    }
}
