// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file that describes a batch: its scenarios, their guests, and the seeds.
use crate::batch::subcommand::Subcommand;
use backwall_judge::require::{BadRule, Rule};
use backwall_model::units::place::mistake;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A plan with more units is refused, because a typing error could fill a disk.
const MOST_UNITS: u64 = 1_000_000;

/// Default and maximum number of parts into which one round of a search divides the guests.
const PARTS: usize = 4;
const MOST_PARTS: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub scenarios: Vec<String>,
    /// Guests to run each scenario with; empty: the scenario's own guest.
    pub guests: Vec<String>,
    pub seeds: Vec<u64>,
    pub lab: Subcommand,
    pub ranges: u64,
    pub pairs: Pairs,
    pub parts: usize,
    pub require: Vec<Rule>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    #[default]
    Neighbours,
    All,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    matrix: Matrix,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Matrix {
    scenario: Vec<String>,
    #[serde(default)]
    guest: Vec<String>,
    #[serde(default = "Matrix::one")]
    seeds: String,
    #[serde(default)]
    lab: Subcommand,
    ranges: Option<u64>,
    parts: Option<usize>,
    pairs: Option<Pairs>,
    #[serde(default)]
    require: Vec<String>,
}

impl Matrix {
    fn one() -> String {
        "1".to_string()
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadPlan {
    /// Invalid TOML, or a missing, unknown or mistyped member.
    #[error("line {line}: {what}")]
    Form {
        /// The line's number, from 1.
        line: usize,
        what: String,
    },
    #[error("matrix.seeds: {0:?}: expected numbers and ranges such as 1-64 or 1,5,9-12")]
    Seeds(String),
    #[error("matrix.ranges: must be at least 1, and is allowed with lab = \"sweep\" only")]
    Ranges,
    /// A member that this kind of plan does not take, or an invalid list of guests for a search or for pairs.
    #[error("matrix.{0}")]
    Member(&'static str),
    #[error("matrix.require: {0}")]
    Require(#[from] BadRule),
    #[error("matrix.scenario: expected at least one scenario")]
    Empty,
    #[error("{0} units exceed the limit of {MOST_UNITS}")]
    TooMany(u64),
}

impl Plan {
    pub fn parse(text: &str) -> Result<Self, BadPlan> {
        let File { matrix } = toml::from_str(text).map_err(|error| bad(text, &error))?;
        let seeds = seeds(&matrix.seeds)?;
        if matrix.scenario.is_empty() {
            return Err(BadPlan::Empty);
        }
        let ranges = matrix.ranges.unwrap_or(1);
        if ranges == 0 || (matrix.ranges.is_some() && matrix.lab != Subcommand::Sweep) {
            return Err(BadPlan::Ranges);
        }
        let parts =
            of_search(&matrix, &seeds).and_then(|parts| of_pairs(&matrix).map(|()| parts)).map_err(BadPlan::Member)?;
        let guests = matrix.guest.len().max(1) as u64;
        let of_each = if matrix.pairs == Some(Pairs::All) { guests.saturating_mul(guests) } else { guests };
        let scenarios = (matrix.scenario.len() as u64).saturating_mul(of_each);
        refuse_too_many(scenarios.saturating_mul(seeds.len() as u64).saturating_mul(ranges))?;
        let require = matrix.require.iter().map(|text| text.parse::<Rule>()).collect::<Result<Vec<Rule>, BadRule>>()?;
        let Matrix { scenario: scenarios, guest: guests, lab, pairs, .. } = matrix;
        Ok(Self { scenarios, guests, seeds, lab, ranges, pairs: pairs.unwrap_or_default(), parts, require })
    }
}

fn of_pairs(matrix: &Matrix) -> Result<(), &'static str> {
    match matrix.lab {
        Subcommand::Diff if matrix.guest.len() < 2 => Err("guest: lab = \"diff\" needs at least two guests, in order"),
        Subcommand::Diff if has_twice(&matrix.guest) => Err("guest: lab = \"diff\" takes each guest once"),
        Subcommand::Diff => Ok(()),
        _ if matrix.pairs.is_some() => Err("pairs: only with lab = \"diff\""),
        _ => Ok(()),
    }
}

fn has_twice(guests: &[String]) -> bool {
    guests.iter().collect::<BTreeSet<_>>().len() < guests.len()
}

fn of_search(matrix: &Matrix, seeds: &[u64]) -> Result<usize, &'static str> {
    let parts = matrix.parts.unwrap_or(PARTS);
    match matrix.lab {
        Subcommand::Bisect if matrix.guest.len() < 2 => {
            Err("guest: lab = \"bisect\" needs the guests in order, from a good one to a bad one")
        }
        Subcommand::Bisect if has_twice(&matrix.guest) => Err("guest: lab = \"bisect\" takes each guest once"),
        Subcommand::Bisect if matrix.require.is_empty() => {
            Err("require: lab = \"bisect\" needs the requirements that a good guest passes")
        }
        Subcommand::Bisect if seeds.len() > 1 => Err("seeds: lab = \"bisect\" takes one seed"),
        Subcommand::Bisect if !(2..=MOST_PARTS).contains(&parts) => Err("parts: expected 2 to 1000"),
        Subcommand::Bisect => Ok(parts),
        _ if matrix.parts.is_some() => Err("parts: only with lab = \"bisect\""),
        _ if !matrix.require.is_empty() => {
            Err("require: only with lab = \"bisect\"; with other kinds use `lab batch merge \
            --require`")
        }
        _ => Ok(parts),
    }
}

/// A scenario's text with another guest in it. Comments are lost.
///
/// # Errors
/// If the text is not valid TOML.
pub fn with_guest(text: &str, guest: &str) -> Result<String, BadPlan> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| bad(text, &error))?;
    table.insert("guest".to_string(), guest.into());
    Ok(toml::to_string(&table).expect("it was a table of TOML"))
}

pub fn name_with_guest(scenario: &str, guest: &str) -> String {
    let short = guest.split_once(':').map_or(guest, |(_, short)| short);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || ".+-_".contains(letter) { letter } else { '-' };
    format!("{scenario}-on-{}", short.chars().map(plain).collect::<String>())
}

fn refuse_too_many(units: u64) -> Result<(), BadPlan> {
    if units > MOST_UNITS { Err(BadPlan::TooMany(units)) } else { Ok(()) }
}

fn seeds(list: &str) -> Result<Vec<u64>, BadPlan> {
    let mut seeds: Vec<u64> = Vec::new();
    for range in ranges(list).ok_or_else(|| BadPlan::Seeds(list.to_string()))? {
        refuse_too_many((range.end() - range.start()).saturating_add(1 + seeds.len() as u64))?;
        seeds.extend(range);
    }
    seeds.sort_unstable();
    seeds.dedup();
    Ok(seeds)
}

/// Numbers and ranges such as `1,5,9-12`; `None` if one is invalid or reversed.
pub fn ranges(list: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let one = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last).then_some(first..=last)
    };
    list.split(',').map(one).collect()
}

fn bad(text: &str, error: &toml::de::Error) -> BadPlan {
    let (line, what) = mistake(text, error.span(), error.message());
    BadPlan::Form { line, what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plan_is_a_matrix_and_each_mistake_has_its_place() {
        let plan = Plan::parse("[matrix]\nscenario = [\"a\", \"b\"]\nseeds = \"3,1-2,2\"\n").unwrap();
        assert_eq!((plan.scenarios.len(), plan.seeds), (2, vec![1, 2, 3]));
        assert_eq!(Plan::parse("[matrix]\nscenario = [\"a\"]\nguest = [\"linux:rt\"]\n").unwrap().guests, ["linux:rt"]);
        for (text, says) in [
            ("[matrix]\nscenario = []\n", "matrix.scenario: expected at least one scenario"),
            ("[matrix]\nscenario = [\"a\"]\nseed = \"1\"\n", "line 3: unknown field `seed`"),
            ("[matrix]\nscenario = [\"a\"]\nseeds = \"9-1\"\n", "matrix.seeds: \"9-1\": expected"),
            ("[matrix]\nscenario = [\"a\"]\nseeds = \"0-18446744073709551615\"\n", "18446744073709551615 units exceed"),
            ("[matrix]\nscenario = 7\n", "line 2: invalid type"),
            (
                "[matrix]\nscenario = [\"a\"]\nranges = 2\n",
                "matrix.ranges: must be at least 1, and is allowed with lab = \"sweep\" only",
            ),
            ("[matrix]\nscenario = [\"a\"]\nlab = \"dance\"\n", "line 3: unknown variant `dance`"),
            ("[matrix]\nscenario = [\"a\"]\nlab = \"bisect\"\nguest = [\"x\"]\n", "matrix.guest: lab = \"bisect\""),
            ("[matrix]\nscenario = [\"a\"]\nlab = \"bisect\"\nguest = [\"x\", \"y\"]\n", "matrix.require: lab"),
            ("[matrix]\nscenario = [\"a\"]\npairs = \"all\"\n", "matrix.pairs: only with lab = \"diff\""),
            ("[matrix]\nscenario = [\"a\"]\nlab = \"diff\"\n", "matrix.guest: lab = \"diff\" needs"),
            ("[matrix]\nscenario = [\"a\"]\nparts = 3\n", "matrix.parts: only with lab = \"bisect\""),
            (
                "[matrix]\nscenario = [\"a\"]\nlab = \"bisect\"\nguest = [\"x\", \"y\"]\nrequire = [\"max ? 3\"]\n",
                "matrix.require: requirement \"max ? 3\", column",
            ),
        ] {
            let said = Plan::parse(text).unwrap_err().to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }

    #[test]
    fn a_scenario_takes_another_guest_and_a_name_that_says_so() {
        let text =
            with_guest("# what\nabout = 'x'\nguest = 'a'\n[generator.a]\nperiod = 5\n", "linux:rt-6.1.0-50").unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(
            (table["guest"].as_str(), table["generator"]["a"]["period"].as_integer()),
            (Some("linux:rt-6.1.0-50"), Some(5))
        );
        assert!(with_guest("about", "x").is_err());
        assert_eq!(name_with_guest("plain", "linux:rt-6.12.1+deb12"), "plain-on-rt-6.12.1+deb12");
        assert_eq!(name_with_guest("plain", "linux:/boot/vm linuz"), "plain-on--boot-vm-linuz");
    }

    proptest! {
        #[test]
        fn any_text_is_a_plan_or_one_line(text in ".{0,200}") {
            if let Err(error) = Plan::parse(&text) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
