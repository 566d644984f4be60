// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings that differ between the sides: the first suspects for a difference.
use super::PlacedRun;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub name: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// Checks that count events since boot or during the check. They always differ, so they are not settings.
const COUNTS: [&str; 3] = ["interrupts seen", "SMI", "steal"];

const OWN: [&str; 3] = ["plan.seed", "plan.require", "device.boot"];

const ABSENT: &str = "(absent)";

pub(super) fn differences(before: &[PlacedRun], after: &[PlacedRun]) -> Vec<Difference> {
    let (left, right): (Vec<_>, Vec<_>) = (before.iter().map(settings).collect(), after.iter().map(settings).collect());
    let names: BTreeSet<&String> = left.iter().chain(&right).flat_map(BTreeMap::keys).collect();
    let one = |name: &String| {
        let (before, after) = (values(&left, name), values(&right, name));
        (before != after).then(|| Difference { name: name.clone(), before, after })
    };
    names.into_iter().filter_map(one).collect()
}

fn values(side: &[BTreeMap<String, String>], name: &str) -> Vec<String> {
    let values = side.iter().map(|run| run.get(name).map_or(ABSENT, String::as_str).to_string());
    values.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Everything that can influence a run's figures and was not measured: plan and device without their run-specific parts, and
/// checks without [`COUNTS`].
fn settings(placed: &PlacedRun) -> BTreeMap<String, String> {
    let run = &placed.run;
    let mut found = BTreeMap::new();
    for (name, part) in [("plan", serde_json::to_value(&run.plan)), ("device", serde_json::to_value(&run.device))] {
        flatten(name, &part.unwrap_or(Value::Null), &mut found);
    }
    OWN.iter().for_each(|name| drop(found.remove(*name)));
    let checks = run.environment.checks.iter().filter(|check| !COUNTS.contains(&check.name.as_str()));
    found.extend(checks.map(|check| (format!("check.{}", check.name), check.value.clone())));
    found.insert("origin".to_string(), format!("{:?}", run.origin).to_lowercase());
    found.insert("version".to_string(), run.version.clone());
    found
}

fn flatten(name: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(member, value)| flatten(&format!("{name}.{member}"), value, found));
        }
        Value::String(text) => drop(found.insert(name.to_string(), text.clone())),
        Value::Null => {}
        other => drop(found.insert(name.to_string(), other.to_string())),
    }
}
