// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which curve is which, with its back wall and its losses, as text beside a stroke of its kind.
use super::group::Group;
use crate::report::phrase;
use crate::report::section::escape;
use crate::units::grouped;

/// A list, one line a curve.
pub fn html(group: &Group) -> String {
    let items: String = (0..group.series.len()).map(|index| item(group, index)).collect();
    format!("<ul class=\"legend\">\n{items}</ul>\n")
}

fn item(group: &Group, index: usize) -> String {
    let series = group.series[index];
    let wall = series.max.map_or(String::new(), |max| format!(", back wall {}", phrase::value(max, series.unit)));
    let lost = if series.lost > 0 { format!(", {} lost", grouped(series.lost)) } else { String::new() };
    let class = Group::class(index);
    format!(
        "<li><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path class=\"curve {class}\" d=\"M1 5L29 5\"/></svg> \
         <b>{}</b><span>{wall}{lost}</span></li>\n",
        escape(&group.label(index))
    )
}
