// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to ask an active recorder for its latest events.
//!
//! The requester waits. The recorder checks a flag between its own steps, gives the events that it has, and continues.
use super::TraceError;
use crate::lately::Lately;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Requests to the recorders of one process, of which one records at a time.
#[derive(Debug, Default)]
pub struct Request {
    asked: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    recorders: usize,
    answer: Option<Result<Lately, TraceError>>,
}

#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    #[error("no recorder is active; a run records while it measures, unless it was started with --no-recorder")]
    Nothing,
    #[error("the recorder did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    #[error(transparent)]
    Failed(#[from] TraceError),
}

/// A recorder's side. The recorder counts as active until this is dropped.
#[derive(Debug)]
pub struct Answering(Arc<Request>);

impl Request {
    pub fn answering(self: &Arc<Self>) -> Answering {
        self.state().recorders += 1;
        Answering(self.clone())
    }

    /// Asks for the latest events, and waits for `patience` at most.
    ///
    /// # Errors
    /// When no recorder answers.
    pub fn ask(&self, patience: Duration) -> Result<Lately, Unanswered> {
        let mut state = self.state();
        if state.recorders == 0 {
            return Err(Unanswered::Nothing);
        }
        state.answer = None;
        self.asked.store(true, Ordering::Relaxed);
        let waits = |state: &mut State| state.answer.is_none() && state.recorders > 0;
        let waited = self.changed.wait_timeout_while(state, patience, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        self.asked.store(false, Ordering::Relaxed);
        match state.answer.take() {
            Some(answer) => Ok(answer?),
            None if state.recorders == 0 => Err(Unanswered::Nothing),
            None => Err(Unanswered::Silent(patience)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answering {
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::Relaxed)
    }

    pub(super) fn answer(&self, lately: Result<Lately, TraceError>) {
        self.0.asked.store(false, Ordering::Relaxed);
        self.0.state().answer = Some(lately);
        self.0.changed.notify_all();
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.state().recorders -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: Duration = Duration::from_secs(600);

    fn failed() -> Result<Lately, TraceError> {
        Err(TraceError::Cut { reason: "so".into() })
    }

    #[test]
    fn who_asks_hears_the_answer_and_nobody_is_waited_for_where_nobody_records() {
        let request = Arc::new(Request::default());
        assert!(matches!(request.ask(FAR), Err(Unanswered::Nothing)));
        let answering = request.answering();
        assert!(matches!(request.ask(Duration::ZERO), Err(Unanswered::Silent(_))));
        assert!(!answering.is_asked(), "who has gone is not answered");
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| request.ask(FAR));
            while !answering.is_asked() {
                std::thread::yield_now();
            }
            answering.answer(failed());
            assert!(matches!(asked.join().unwrap(), Err(Unanswered::Failed(_))));
            let asked = scope.spawn(|| request.ask(FAR));
            while !answering.is_asked() {
                std::thread::yield_now();
            }
            drop(answering);
            assert!(matches!(asked.join().unwrap(), Err(Unanswered::Nothing)), "it ended before it came by");
        });
    }
}
