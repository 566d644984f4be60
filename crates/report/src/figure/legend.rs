// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names each curve, with its maximum and losses, next to a sample of its stroke.
use super::group::Group;
use crate::drawing::key;
use crate::phrase;
use backwall_model::units::grouped;
use maud::{Markup, html};

pub fn list(group: &Group) -> Markup {
    html! { ul class="legend" { @for index in 0..group.series.len() { (item(group, index)) } } }
}

fn item(group: &Group, index: usize) -> Markup {
    let series = group.series[index];
    let most = series.max.map_or(String::new(), |max| format!(", maximum {}", phrase::value(max, series.unit)));
    let lost =
        if series.known_missed() > 0 { format!(", {} missed", grouped(series.known_missed())) } else { String::new() };
    let stroke = key(&format!("curve {}", Group::class(index)));
    html! { li { (stroke) " " b { (group.label(index)) } span { (most) (lost) } } }
}
