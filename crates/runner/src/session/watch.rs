// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of a running measurement that the progress display reads.
use crate::session::progress::ProgressState;
use crate::stream::probe_report::{Hearing, ProbeReport};
use backwall_ftrace::flight::Words;
use backwall_model::Blame;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Watch {
    worst: AtomicU64,
    ended: AtomicBool,
    records: AtomicU64,
    hearing: Mutex<Hearing>,
    words: Option<Words>,
    cause: Mutex<(u64, String)>,
}

impl Watch {
    pub fn telling(words: Words) -> Self {
        Self { words: Some(words), ..Self::default() }
    }

    pub fn saw(&self, worst: u64) {
        self.worst.fetch_max(worst, Ordering::Relaxed);
    }

    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    pub fn heard(&self) {
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// The probe's output so far. The listener adds to it.
    pub fn hearing(&self) -> MutexGuard<'_, Hearing> {
        self.hearing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn blamed(&self, value: u64, blame: &Blame) {
        let Some(words) = self.words else { return };
        let mut cause = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        if value >= cause.0 {
            *cause = (value, words(blame, value));
        }
    }

    pub fn cause(&self) -> Option<(bool, String)> {
        let cause = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        (cause.0 > 0).then(|| (cause.0 >= self.worst(), cause.1.clone()))
    }

    pub fn seen(&self) -> ProgressState {
        ProgressState { worst_ns: self.worst(), lost: self.hearing().lost(), cause: self.cause() }
    }

    pub fn so_far(&self) -> Option<ProbeReport> {
        self.hearing().so_far()
    }

    /// The largest value so far, in the unit of the measure; 0 before the first sample.
    pub fn worst(&self) -> u64 {
        self.worst.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_response_with_a_cause_is_shown_and_whether_it_is_the_worst() {
        let watch = Watch::telling(|blame, value| format!("{value} {blame:?}"));
        assert_eq!(watch.cause(), None);
        watch.saw(900);
        watch.blamed(900, &Blame::Unfitting);
        watch.blamed(500, &Blame::Unseen { moved: None });
        assert_eq!(watch.cause(), Some((true, "900 Unfitting".to_string())));
        watch.saw(901);
        assert_eq!(
            watch.cause(),
            Some((false, "900 Unfitting".to_string())),
            "a later one was worse, and nobody knows why"
        );
    }
}
