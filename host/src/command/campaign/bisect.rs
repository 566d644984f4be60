// SPDX-License-Identifier: MIT OR Apache-2.0
//! A search in rounds: which guests of a list are tried next, by what was found of those before, and the first bad one. A round's units are
//! carried out as all others are, by any engine.
use super::open;
use crate::command::lab;
use crate::console::complain;
use crate::exit::{Exit, unable, usage};
use crate::lab::bisect::verdict_of;
use crate::lab::history::Verdict;
use crate::lab::shipped;
use crate::options::Global;
use crate::progress::Activity;
use crate::require::{Demands, Rule};
use crate::store;
use ::campaign::place::{Place, State};
use ::campaign::plan::{Plan, name_with_guest};
use ::campaign::planned::{Planned, scenarios, units};
use ::campaign::section::{Section, Step};
use ::campaign::unit::Unit;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A scenario with each guest of the list.
struct Search<'a> {
    scenario: &'a str,
    guests: &'a [String],
    section: Section,
    /// By what each that is done was decided.
    because: BTreeMap<usize, String>,
    /// Units that are planned and not done.
    waits: usize,
}

impl<'a> Search<'a> {
    /// As far as its units are done.
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
            let (verdict, because) =
                verdict_of(&demands(place, unit, &plan.require)?, &store::read(&place.result(unit))?)?;
            search.section.tell(at, verdict);
            search.because.insert(at, because);
        }
        Ok(search)
    }

    /// The names of the scenarios that are tried next; none where units are not done, or the first bad one is known.
    fn next(&self) -> anyhow::Result<Vec<String>> {
        if self.waits > 0 {
            return Ok(Vec::new());
        }
        match self.section.step() {
            Step::Try(places) => {
                Ok(places.into_iter().map(|at| name_with_guest(self.scenario, &self.guests[at])).collect())
            }
            Step::Found(_) | Step::Among(_) => Ok(Vec::new()),
            Step::WrongEnd(at) => Err(self.wrong_end(at)),
        }
    }

    fn wrong_end(&self, at: usize) -> anyhow::Error {
        let (scenario, guest) = (self.scenario, &self.guests[at]);
        let because = self.because.get(&at).map_or("", String::as_str);
        match self.section.verdict(at) {
            Some(Verdict::Bad) => {
                usage(format!("{scenario}: {guest} is the first and is to be good, and fails: {because}"))
            }
            Some(Verdict::Good) => {
                usage(format!("{scenario}: {guest} is the last and is to be bad, and passes: {because}"))
            }
            _ => unable(format!("{scenario}: {guest} cannot be judged: {because}")),
        }
    }

    /// Those of which one is the first bad one: a single one where it is found.
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
            format!("note: {bad} is bad and {good} behind it is good: of several changes the first is told\n")
        });
        let found = match &self.suspects()[..] {
            [] => "first bad: not known yet\n".to_string(),
            [one] => format!("first bad: {one}\n"),
            several => format!("first bad: one of these; all but the last were skipped\n{}\n", several.join("\n")),
        };
        format!("{}\n{rows}{note}{found}", self.scenario)
    }

    fn json(&self) -> Value {
        let trial = |(at, because): (&usize, &String)| json!({ "guest": self.guests[*at], "verdict": self.section.verdict(*at), "because": because });
        let trials: Vec<Value> = self.because.iter().map(trial).collect();
        json!({ "scenario": self.scenario, "trials": trials, "first_bad_among": self.suspects() })
    }
}

/// What a good guest passes: what the scenario expects, and what the plan requires.
fn demands(place: &Place, unit: &Unit, require: &[String]) -> anyhow::Result<Demands> {
    let scenario =
        shipped::find_only(&place.scenario(unit).display().to_string()).map_err(|error| usage(error.to_string()))?;
    let required = require.iter().map(|expression| {
        expression.parse::<Rule>().map_err(|error| usage(format!("matrix.require: {expression}: {error}")))
    });
    let expected = lab::expected(&scenario)?;
    let rules = expected.into_iter().map(Ok).chain(required).collect::<anyhow::Result<Vec<Rule>>>()?;
    Ok(Demands::without_plan(rules))
}

/// Plans the first round, or the next one of a campaign that is there, or says what was found. 3: a round is not done, or nobody can tell.
pub(super) fn plan(plan: &Plan, text: &str, folder: &Path, global: &Global) -> anyhow::Result<Exit> {
    for expression in &plan.require {
        expression.parse::<Rule>().map_err(|error| usage(format!("matrix.require: {expression}: {error}")))?;
    }
    let scenarios = scenarios(plan)?;
    let there = folder.join("units.jsonl").exists().then(|| open(folder)).transpose()?;
    if let Some((place, _)) = &there {
        let before = place.plan().map_err(|error| usage(format!("{}: campaign.toml: {error}", folder.display())))?;
        if before != text {
            return Err(usage(format!("{}: it is of another plan: name a new folder", folder.display())));
        }
    }
    let (place, known) = there.as_ref().map_or((None, &[][..]), |(place, units)| (Some(place), &units[..]));
    let searches = of_scenarios(&scenarios, plan, place, known)?;
    let mut next = Vec::new();
    for search in &searches {
        next.extend(search.next()?);
    }
    if next.is_empty() {
        return said(&searches, folder, global);
    }
    let shown = Activity::begin(global.quiet, || "preparing each guest of the round once".to_string());
    let round: Vec<&Planned> = next.iter().filter_map(|name| scenarios.get(name)).collect();
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
    global.show(
        || json!({ "campaign": folder, "units": units.len(), "searches": searches }),
        || format!("{}: {} units of the next round are planned\n", folder.display(), units.len()),
    )?;
    Ok(Exit::Done)
}

fn of_scenarios<'a>(
    scenarios: &'a BTreeMap<String, Planned>,
    plan: &'a Plan,
    place: Option<&Place>,
    all: &[Unit],
) -> anyhow::Result<Vec<Search<'a>>> {
    let mut names: Vec<&str> = scenarios.values().filter_map(|planned| planned.range_of.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|scenario| Search::of(scenario, plan, place, all)).collect()
}

/// What the units of a campaign that searches came to until now; 3 where the first bad one is not known.
pub(super) fn merge(place: &Place, all: &[Unit], folder: &Path, global: &Global) -> anyhow::Result<Exit> {
    let bad = |error: &dyn std::fmt::Display| usage(format!("{}: campaign.toml: {error}", folder.display()));
    let text = place.plan().map_err(|error| bad(&error))?;
    let plan = Plan::parse(&text).map_err(|error| bad(&error))?;
    let mut names: Vec<&str> = all.iter().map(Unit::whole).collect();
    names.sort_unstable();
    names.dedup();
    let searches: Vec<Search> =
        names.into_iter().map(|name| Search::of(name, &plan, Some(place), all)).collect::<anyhow::Result<_>>()?;
    said(&searches, folder, global)
}

fn said(searches: &[Search], folder: &Path, global: &Global) -> anyhow::Result<Exit> {
    global.show(
        || json!({ "campaign": folder, "units": 0, "searches": searches.iter().map(Search::json).collect::<Vec<_>>() }),
        || searches.iter().map(Search::text).collect(),
    )?;
    let waits: usize = searches.iter().map(|search| search.waits).sum();
    if waits > 0 {
        complain(&format!("backwall: {waits} units of the round are not done: `backwall campaign run` does them"));
    }
    match searches.iter().all(|search| search.suspects().len() == 1) {
        true if waits == 0 => Ok(Exit::Done),
        _ => Ok(Exit::Undecided),
    }
}
