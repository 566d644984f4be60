// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of lateness, one row each: its sentence, and what to change about it.
pub mod culprit;
mod sentence;
mod table;

use super::remedy::Machine;
use backwall_model::{Accusation, Cause, CauseTotal, Culprit};
pub use table::CAUSES;

pub struct CauseRow {
    pub cause: Cause,
    /// The condition for this cause, as in its row of `docs/reference/causes.md`.
    pub when: &'static str,
    /// The file of `crates/trace/src` and the function that assign this cause.
    pub decided_in: (&'static str, &'static str),
    pub known_answer: (&'static str, &'static str),
    /// Whether a pause by the hypervisor may be the cause; the report then adds the steal time.
    may_be_stolen: bool,
    /// The label under which late responses are counted; `None` means the culprit's name or the sentence.
    label: fn(Option<&Culprit>) -> Option<String>,
    sentence: fn(Option<&Culprit>) -> String,
    advice: fn(Option<&Culprit>) -> &'static str,
    remedy: fn(Option<&Culprit>, &Machine) -> Option<String>,
}

fn row(cause: Cause) -> &'static CauseRow {
    &CAUSES[cause as usize]
}

pub fn phrase(cause: Cause, culprit: Option<&Culprit>) -> String {
    (row(cause).sentence)(culprit)
}

pub(super) fn label(cause: Cause, culprit: Option<&Culprit>) -> String {
    let of_holder = || culprit.and_then(|culprit| culprit::short(&culprit.holder));
    (row(cause).label)(culprit).or_else(of_holder).unwrap_or_else(|| phrase(cause, culprit))
}

pub(crate) fn may_be_stolen(cause: Cause) -> bool {
    row(cause).may_be_stolen
}

pub fn advice(cause: Cause, culprit: Option<&Culprit>) -> &'static str {
    let of_detail = culprit.and_then(|culprit| culprit::advice(culprit.more.as_ref()?));
    of_detail.unwrap_or_else(|| (row(cause).advice)(culprit))
}

pub fn advice_of(total: &CauseTotal) -> &'static str {
    let Accusation { cause, culprit } = &total.accused;
    advice(*cause, culprit.as_ref())
}

pub fn remedy(cause: Cause, culprit: Option<&Culprit>, machine: &Machine) -> String {
    (row(cause).remedy)(culprit, machine).unwrap_or_else(|| advice(cause, culprit).to_string())
}
