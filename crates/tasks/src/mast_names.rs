// SPDX-License-Identifier: MIT OR Apache-2.0
//! MAST 2 has other names for many parts, types and fields of MAST 1. The reader converts them to the names of MAST 1.
use super::mast_text::{Part, Value};

const NAMES: [(&str, &str); 16] = [
    ("schedulable_resource", "scheduling_server"),
    ("mutual_exclusion_resource", "shared_resource"),
    ("end_to_end_flow", "transaction"),
    ("thread", "regular"),
    ("immediate_ceiling_mutex", "immediate_ceiling_resource"),
    ("priority_inheritance_mutex", "priority_inheritance_resource"),
    ("fixed_priority_params", "fixed_priority_policy"),
    ("interrupt_fp_params", "interrupt_fp_policy"),
    ("step", "activity"),
    ("workload_events", "external_events"),
    ("observer", "timing_requirements"),
    ("step_operation", "activity_operation"),
    ("step_schedulable_resource", "activity_server"),
    ("mutexes_to_lock", LOCKED),
    ("mutexes_to_unlock", UNLOCKED),
    ("mutex_list", HELD),
];
const LOCKED: &str = "shared_resources_to_lock";
const UNLOCKED: &str = "shared_resources_to_unlock";
const HELD: &str = "shared_resources_list";

pub(super) fn in_mast_1(part: &Part) -> Part {
    let mut fields = part.fields.iter().map(field).collect();
    hold(&mut fields);
    Part { kind: name(&part.kind), fields, line: part.line }
}

fn name(word: &str) -> String {
    NAMES.iter().find(|(new, _)| *new == word).map_or(word, |(_, old)| old).to_string()
}

// Converts the names of fields and types only, because a part may have any name.
fn field((key, value): &(String, Value)) -> (String, Value) {
    let value = match value {
        Value::Word(word) if key == "type" => Value::Word(name(word)),
        value => renamed(value),
    };
    (name(key), value)
}

fn renamed(value: &Value) -> Value {
    match value {
        Value::Word(_) => value.clone(),
        Value::Group(fields, list) => {
            Value::Group(fields.iter().map(field).collect(), list.iter().map(renamed).collect())
        }
    }
}

// An operation that locks and unlocks the same resources holds them while it runs.
fn hold(fields: &mut Vec<(String, Value)>) {
    let words = |key: &str| {
        let (_, value) = fields.iter().find(|(known, _)| known == key)?;
        let Value::Group(_, list) = value else { return None };
        let mut words: Vec<&str> = list.iter().map(Value::word).collect();
        words.sort_unstable();
        Some(words)
    };
    if words(LOCKED).is_some() && words(LOCKED) == words(UNLOCKED) {
        fields.retain(|(key, _)| key != UNLOCKED);
        fields.iter_mut().filter(|(key, _)| key == LOCKED).for_each(|(key, _)| *key = HELD.to_string());
    }
}
