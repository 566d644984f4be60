// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares pairs of a batch's guests: each unit compares the median answers of two guests, function by function.
use crate::batch::merged::fault;
use crate::batch::place::{self, DIFFERENCE, Place, State};
use crate::batch::plan::{Pairs, Plan, name_with_guest};
use crate::batch::planned::{PlannedScenario, decisive, wholes};
use crate::batch::unit::Unit;
use crate::unit_key;
use backwall_os::Stop;
use backwall_os::refusal::Result;
use backwall_os::regular_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MOST_BYTES: u64 = backwall_model::read::MOST_BYTES;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    pub function: String,
    pub user: bool,
    /// Instructions: the second guest's minus the first guest's.
    pub difference: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Instructions: the second guest's minus the first guest's.
    pub difference: i64,
    pub terms: Vec<Term>,
}

impl Difference {
    /// Instructions that no function accounts for. Anything but 0 is an error.
    pub fn unexplained(&self) -> i64 {
        self.difference - self.terms.iter().map(|term| term.difference).sum::<i64>()
    }
}

/// The units of a plan: for each scenario, the requested pairs of its guests, in their order.
///
/// # Errors
/// If a guest is not available.
pub fn units(plan: &Plan, scenarios: &BTreeMap<String, PlannedScenario>) -> Result<Vec<Unit>> {
    let mut known: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, planned) in scenarios {
        known.insert(name, decisive(&planned.scenario, plan.lab, &Stop::default())?);
    }
    let mut units = Vec::new();
    for whole in wholes(scenarios) {
        let names: Vec<String> = plan.guests.iter().map(|guest| name_with_guest(whole, guest)).collect();
        for (first, second) in chosen(names.len(), plan.pairs) {
            let (first, second) = (&names[first], &names[second]);
            let decisive = [&known[first.as_str()][..], &known[second.as_str()][..]].concat();
            let text = place::digest([first, second].map(|name| scenarios[name].text.as_str()));
            units.extend(plan.seeds.iter().map(|seed| Unit {
                key: unit_key::of_unit(&decisive, *seed),
                scenario: first.clone(),
                against: Some(second.clone()),
                seed: *seed,
                lab: plan.lab,
                range_of: Some(whole.to_string()),
                text: Some(text.clone()),
            }));
        }
    }
    Ok(units)
}

fn chosen(guests: usize, pairs: Pairs) -> Vec<(usize, usize)> {
    let all = (0..guests).flat_map(|first| (first + 1..guests).map(move |second| (first, second)));
    all.filter(|(first, second)| pairs == Pairs::All || second - first == 1).collect()
}

/// The difference of a unit's pair; `None` if the unit is not done.
///
/// # Errors
/// When the result is not a difference.
pub fn difference(place: &Place, unit: &Unit) -> Result<Option<Difference>> {
    if place.state(unit) != State::Done {
        return Ok(None);
    }
    let bad = |error: &dyn std::fmt::Display| fault(place, unit, &format!("{DIFFERENCE}: {error}"));
    let text = regular_file::text(&place.result(unit).join(DIFFERENCE), MOST_BYTES).map_err(|error| bad(&error))?;
    serde_json::from_str(&text).map(Some).map_err(|error| bad(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_fewer_than_guests_and_all_pairs_come_once() {
        assert_eq!(chosen(3, Pairs::Neighbours), [(0, 1), (1, 2)]);
        assert_eq!(chosen(3, Pairs::All), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!((chosen(10, Pairs::All).len(), chosen(1, Pairs::All).len()), (45, 0));
    }

    #[test]
    fn what_no_function_accounts_for_is_told() {
        let text = r#"{"difference": 95, "other": 1, "terms": [{"function": "f", "user": false, "first": 1, "second": 91, "difference": 90}]}"#;
        let difference: Difference = serde_json::from_str(text).unwrap();
        assert_eq!(difference.unexplained(), 5);
    }
}
