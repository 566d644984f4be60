// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a minute of following threads came to: the worst response of all, how many were late, and who delayed it.
use run::{Series, Stages};

/// One minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minute {
    /// Responses that were due, of all threads.
    pub due: u64,
    /// Of these, not seen to their end.
    pub lost: u64,
    /// Later than the deadline; absent without one.
    pub late: Option<u64>,
    /// The thread with the worst response, as its series names it; absent where nothing was due.
    pub thread: Option<String>,
    /// That response, in nanoseconds.
    pub worst_ns: u64,
    /// Who used its time, in the words of the blame.
    pub blame: Option<String>,
    /// What to change about the largest cause of the worst responses of that thread.
    pub advice: Option<String>,
}

/// Of the series and the stages of one minute; what tells one thread from another is the value of the variant `thread`.
pub fn minute(series: &[Series], stages: &[Stages]) -> Minute {
    let late = series.iter().map(|one| one.late).try_fold(0_u64, |sum, late| Some(sum.saturating_add(late?)));
    let mut minute = Minute {
        due: series.iter().filter_map(|one| one.due).sum(),
        lost: series.iter().filter_map(|one| one.lost).sum(),
        late: late.filter(|_| !series.is_empty()),
        ..Minute::default()
    };
    let Some(worst) = series.iter().filter(|one| one.done > 0).max_by_key(|one| one.max) else { return minute };
    let of_it = stages.iter().find(|stages| stages.key == worst.key);
    minute.thread = worst.key.variant.values().next().cloned();
    minute.worst_ns = worst.max.unwrap_or(0);
    minute.blame = of_it.and_then(|stages| stages.worst.first()?.blame.clone());
    minute.advice = of_it.and_then(|stages| stages.causes.first()?.advice.clone());
    minute
}
