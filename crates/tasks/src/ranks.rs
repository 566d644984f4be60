// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns priorities in sets that name a rule instead of priorities.
use super::set::{Policy, Series};
use super::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Given,
    /// The order of the file; the first series has the highest priority.
    Order,
    Rate,
    Deadline,
    /// The earliest absolute deadline first.
    EarliestFirst,
}

/// Gives each series its priority by the rule. Series that the rule ranks equally get the same priority, except with
/// [`Rule::Order`].
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
