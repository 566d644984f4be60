// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a recording: its summary, and a timeline with zoom and search. Interrupts are above the processes, threads below
//! their process; arrows show wakeups.
use super::{shares, words};
use crate::page::{Script, with_script};
use backwall_model::units::Unit;
use backwall_trace::account::summary::{Summary, Thread};
use backwall_trace::write::timeline::{Row, Timeline};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;

const SCRIPT: Script =
    Script { text: include_str!("timeline.js"), hash: "nPLhGeVIwvsV5qYcJQ4+xiuHoWkTDhSM4JH8aLN/YQg=" };

pub fn page(
    summary: &Summary,
    timeline: &Timeline,
    window: Range<u64>,
    (system, unit): (&str, Unit),
    (told, names): (&str, &[String]),
) -> String {
    let to = window.end.min(summary.span_ns).max(window.start + 1);
    let part = timeline.cut_at.map(|at| {
        let (from, until) = (words::time(window.start, unit), words::time(at, unit));
        format!(
            "The recording has more slices or wakeups than a page can draw, so this shows {from} to about {until}. \
                backwall trace report TRACE --page FILE --from {at}ns draws the next part."
        )
    });
    let to = timeline.cut_at.unwrap_or(to).max(window.start + 1);
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "what the kernel did, by name" } }
            h1 { (summary.took_part) " of " (summary.known) " threads took part" }
            p class="meta" { (system) }
        }
        section id="account" aria-labelledby="account-title" {
            h2 id="account-title" { "Who used the time" }
            pre class="columns" tabindex="0" role="region" aria-labelledby="account-title" { (told) }
        }
        @if let Some(shares) = shares::section(summary, names, unit) { (shares) }
        section id="timeline-section" aria-labelledby="timeline-title" {
            h2 id="timeline-title" { "Timeline" }
            p { "Interrupts and softirqs are at the top, threads below their process. A colour is a CPU; an arrow \
                leads from the waker to the woken thread, if fewer than 800 are in view. The wheel or + and - zoom, \
                dragging or the arrow keys move, Home shows all. Enter in the field goes to the next slice of the \
                shown rows." }
            @if let Some(part) = &part { p class="aside" { (part) } }
            p { label for="timeline-search" { "Show rows with " } input id="timeline-search" type="search"; " " span id="timeline-told" { "\u{a0}" } }
            canvas id="timeline" tabindex="0" role="img" aria-label="timeline of the recording" style="width:100%;display:block;touch-action:pan-y" {}
            noscript { p { "The timeline needs the page's own script; the tables above do not." } }
        }
        (island(&data(summary, timeline, window.start..to, unit)))
    };
    with_script(&format!("recording of {}", words::time(summary.span_ns, unit)), &main, &SCRIPT)
}

/// Embeds the data as JSON, escaped so that no name can break out of it.
fn island(data: &Value) -> Markup {
    let text = data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    html! { script type="application/json" id="timeline-data" { (PreEscaped(text)) } }
}

fn data(summary: &Summary, timeline: &Timeline, window: Range<u64>, unit: Unit) -> Value {
    let rows = rows(summary, timeline);
    let places: HashMap<Row, usize> = rows.iter().enumerate().map(|(place, (row, _))| (*row, place)).collect();
    let slices = timeline.slices.iter().filter_map(|slice| {
        let place = places.get(&slice.row)?;
        Some(json!([place, slice.cpu, slice.from_ns, slice.to_ns - slice.from_ns]))
    });
    let wakings = timeline.wakings.iter().filter_map(|waking| {
        let (by, of) = (places.get(&waking.by?)?, places.get(&Row::Thread(waking.thread))?);
        Some(json!([waking.at_ns, by, of]))
    });
    let names = rows.iter().map(|(_, name)| json!({ "name": name }));
    json!({
        "from": window.start, "to": window.end, "rows": names.collect::<Vec<_>>(), "slices": slices.collect::<Vec<_>>(),
        "wakings": wakings.collect::<Vec<_>>(), "unit": unit,
    })
}

fn rows(summary: &Summary, timeline: &Timeline) -> Vec<(Row, String)> {
    let mut used: Vec<Row> = timeline.slices.iter().map(|slice| slice.row).collect();
    used.sort_unstable();
    used.dedup();
    let threads: HashMap<i32, &Thread> = summary.threads.iter().map(|thread| (thread.id, thread)).collect();
    let key = |row: &Row| match row {
        Row::Thread(id) => (2, threads.get(id).and_then(|thread| thread.process).unwrap_or(*id), *id),
        Row::Softirq(number) => (1, i32::from(*number), 0),
        Row::Interrupt(place) => (0, *place as i32, 0),
    };
    used.sort_by_key(key);
    used.into_iter().map(|row| (row, name(row, timeline, &threads))).collect()
}

fn name(row: Row, timeline: &Timeline, threads: &HashMap<i32, &Thread>) -> String {
    match row {
        Row::Interrupt(place) => format!("irq {}", timeline.interrupts.get(place).map_or("", String::as_str)),
        Row::Softirq(number) => format!("softirq {}", backwall_trace::event::softirq::name(number)),
        Row::Thread(id) => match threads.get(&id) {
            Some(thread) => match (&thread.process_name, thread.process) {
                (Some(process), Some(number)) if number != id && *process != thread.name => {
                    format!("  {process} · {}", words::thread(thread))
                }
                _ => words::thread(thread),
            },
            None => format!("thread {id}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_the_data() {
        let markup = island(&json!({ "name": "</script><b>&" })).into_string();
        assert_eq!(markup.matches('<').count(), 2, "{markup}");
    }
}
