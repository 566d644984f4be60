// SPDX-License-Identifier: MIT OR Apache-2.0
//! The second schema, `backwall/run/2`, into the third: who used the time of a response was a sentence in it, which stays one.
//! Whatever is wrong in it is left for the reader of the third to refuse.
use super::SCHEMA;
use serde_json::{Map, Value, json};

/// A run of the second schema as one of the third.
pub fn convert(mut run: Value) -> Value {
    let Some(members) = run.as_object_mut() else { return run };
    members.insert("schema".to_string(), SCHEMA.into());
    for list in ["series", "stages"] {
        items(members, list).for_each(|owner| items(owner, "worst").for_each(told));
    }
    run
}

fn items<'a>(owner: &'a mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let items = owner.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}

/// A cause's total needs no change: its words stand there in the same members.
fn told(worst: &mut Map<String, Value>) {
    if let Some(blame) = worst.get_mut("blame").filter(|blame| blame.is_string()) {
        *blame = json!({ "kind": "told", "text": blame.take() });
    }
}
