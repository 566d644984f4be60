// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan and the device: everything needed to repeat the run.
use crate::axis::short_time;
use crate::phrase;
use crate::section::Section;
use backwall_model::Run;
use backwall_model::units::ranges::listed;
use maud::{Markup, html};
use serde_json::Value;

pub fn section(run: &Run) -> Section {
    let lists = [("Plan", plan(run)), ("Device", device(run))];
    let body = html! {
        div class="lists" { @for (title, rows) in lists.iter().filter(|(_, rows)| !rows.is_empty()) { (list(title, rows)) } }
    };
    Section::new("conditions", "Plan and device", "Everything needed to repeat the run.", body)
}

type Rows = Vec<(String, String)>;

fn list(title: &str, rows: &Rows) -> Markup {
    html! { div { h3 { (title) } dl { @for (name, value) in rows { dt { (name) } dd { (value) } } } } }
}

fn plan(run: &Run) -> Rows {
    let plan = &run.plan;
    let mut rows = vec![
        row("command", run.command.join(" ")),
        row("measures", plan.measures.join(", ")),
        row("phases", plan.loads.join(", ")),
    ];
    rows.extend(plan.phase_ns.map(|length| row("length of a phase", short_time(length.0 as f64))));
    rows.extend(plan.whole_ns.map(|length| row("length of all phases", short_time(length.0 as f64))));
    rows.extend(phrase::processors(plan).map(|cpus| row("measured", cpus)));
    rows.extend(phrase::priority(run).map(|priority| row("priority", priority)));
    rows.extend(plan.period_ns.map(|period| row("period", short_time(period.0 as f64))));
    rows.extend(plan.deadline_ns.map(|deadline| row("deadline", short_time(deadline.0 as f64))));
    rows.extend(phrase::overrun(plan).map(|rule| row("overload rule", rule.to_string())));
    rows.push(row("idle states", plan.idle.clone()));
    rows.extend(plan.load_command.iter().map(|command| row("own load", command.clone())));
    let load_cpus = listed(plan.load_cpus.iter().copied());
    rows.extend((!load_cpus.is_empty()).then(|| row("CPUs of the loads", load_cpus)));
    rows.extend(plan.stop_above_ns.map(|limit| row("ends above", short_time(limit.0 as f64))));
    rows.extend(plan.snapshot_above_ns.map(|limit| row("trace kept above", short_time(limit.0 as f64))));
    rows.extend(plan.best_effort.then(|| row("best effort", "continues without the missing rights".to_string())));
    rows.extend(plan.keep_samples.map(|kept| row("raw samples kept", if kept { "yes" } else { "no" }.to_string())));
    rows.push(row("seed", plan.seed.to_string()));
    rows.extend(plan.extension.members().iter().map(|(name, value)| row(name, plain(value))));
    rows
}

fn device(run: &Run) -> Rows {
    let device = &run.device;
    let mut rows = vec![
        row("kind", device.kind.clone()),
        row("kernel", device.kernel.clone()),
        row("preemption", device.preemption.clone()),
        row("CPU", phrase::processor(run)),
        row("clock", phrase::clock(run)),
    ];
    rows.extend(device.more.iter().map(|(name, value)| row(name, value.clone())));
    rows
}

fn row(name: &str, value: String) -> (String, String) {
    (name.to_string(), if value.is_empty() { "-".to_string() } else { value })
}

pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
