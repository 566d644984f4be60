// SPDX-License-Identifier: MIT OR Apache-2.0
//! Priorities for sets that name a rule instead.
use super::set::{Policy, Series};
use super::span::Span;

/// The rules that other tools name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// As the file says.
    Given,
    /// The order of the file, the first the most urgent.
    Order,
    /// The shorter the period, the more urgent.
    Rate,
    /// The shorter the deadline, the more urgent.
    Deadline,
    /// The earliest absolute deadline first.
    EarliestFirst,
}

/// Gives each series the priority that the rule says; equals get equal ones, but for [`Rule::Order`].
pub fn apply(rule: Rule, series: &mut [Series]) {
    let by_rule = |place: usize, series: &Series| match rule {
        Rule::Rate => series.period.or(series.mean),
        Rule::Deadline => series.deadline.or(series.period),
        _ => Some(Span(place as u64)),
    };
    let mut keys: Vec<Option<Span>> = series.iter().enumerate().map(|(place, one)| by_rule(place, one)).collect();
    let own = keys.clone();
    keys.sort_unstable();
    keys.dedup();
    for (one, own) in series.iter_mut().zip(own) {
        match rule {
            Rule::Given => {}
            Rule::EarliestFirst => (one.policy, one.priority) = (Policy::Deadline, None),
            _ => one.priority = keys.binary_search(&own).ok().map(|rank| (keys.len() - rank) as u32),
        }
    }
}
