// SPDX-License-Identifier: MIT OR Apache-2.0
use super::{cause, evidence, headline};
use backwall_fleet::history::Device;
use backwall_fleet::steps::Step;
use serde_json::{Value, json};

pub fn json(device: &Device) -> Value {
    let headline = headline(device);
    let worst = headline.and_then(|(_, series)| device.worst(&series.key));
    let gaps: Vec<Value> =
        device.gaps.iter().map(|gap| json!({ "from": gap.from.to_string(), "until": gap.until.to_string() })).collect();
    let steps: Vec<Value> = device.steps.iter().map(step).collect();
    let changes: Vec<Value> = device
        .changes
        .iter()
        .map(|change| json!({ "before": change.before, "after": change.after, "verdict": change.comparison.verdict }))
        .collect();
    json!({
        "device": device.name,
        "runs": device.entries.len(),
        "last": device.last().map(|last| json!({ "run": last.place, "started": last.run.started, "kernel": last.kernel })),
        "series": headline.map(|(_, series)| series.key.to_string()),
        "max": headline.and_then(|(_, series)| series.max),
        "unit": headline.map(|(_, series)| series.unit),
        "valid": headline.map(|(last, series)| evidence(&last.run, &series.key)),
        "worst": worst.map(|(entry, series)| json!({
            "run": entry.place, "max": series.max, "cause": cause(&entry.run, &series.key),
        })),
        "gaps": gaps,
        "steps": steps,
        "changes": changes,
    })
}

fn step(step: &Step) -> Value {
    json!({
        "from": step.started, "before": step.before, "after": step.after, "unit": step.unit, "chance": step.chance,
        "with_kernel": step.with_kernel,
    })
}
