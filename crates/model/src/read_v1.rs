// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first schema, `backwall/run/1`, member by member into the second. Whatever is wrong in it is left for the reader of
//! the second to refuse.
//!
//! The first had no sum of the samples, no pictures and no processor or variant of a series; a plan had every member, with
//! 0 where it did not apply, and what a command added stood loose beside them.
use serde_json::{Map, Value};

type Members = Map<String, Value>;

/// A run of the first schema as one of the second.
pub fn convert(mut run: Value) -> Value {
    let Some(members) = run.as_object_mut() else { return run };
    members.entry("pictures").or_insert_with(|| Value::Array(Vec::new()));
    each(members, "series", |series| {
        series.entry("sum").or_insert(Value::Null);
    });
    each(members, "stages", |stages| rename(stages, "series", "name"));
    if let Some(Value::Object(plan)) = members.get_mut("plan") {
        convert_plan(plan);
        if let Some(picture) = plan.remove("saturation").and_then(saturation) {
            members["pictures"].as_array_mut().into_iter().for_each(|pictures| pictures.push(picture.clone()));
        }
    }
    run
}

/// What a search found stood in the plan.
fn saturation(mut found: Value) -> Option<Value> {
    found.as_object_mut()?.insert("kind".to_string(), "saturation".into());
    Some(found)
}

fn each(members: &mut Members, list: &str, convert: impl Fn(&mut Members)) {
    let items = members.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut).for_each(convert);
}

fn rename(members: &mut Members, old: &str, new: &str) {
    if let Some(value) = members.remove(old) {
        members.insert(new.to_string(), value);
    }
}

/// Only commands that measure a live system had a period; the others wrote 0 for all that goes with it.
fn convert_plan(plan: &mut Members) {
    if plan.get("period_ns").and_then(Value::as_u64) == Some(0) {
        for name in ["phase_ns", "priority", "period_ns", "overrun", "keep_samples"] {
            plan.remove(name);
        }
    }
    plan.retain(|name, value| name != "cpu" || !value.is_null());
    let own = [("ce_priority", "iltiming"), ("scenario", "lab"), ("scope", "scope")];
    let command = own.iter().find(|(member, _)| plan.contains_key(*member)).map_or("run", |(_, command)| command);
    if let Some(Value::Object(scope)) = plan.remove("scope") {
        plan.extend(scope.into_iter().filter(|(_, value)| !value.is_null()));
    }
    plan.insert("command".to_string(), command.into());
}
