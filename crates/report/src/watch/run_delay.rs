// SPDX-License-Identifier: MIT OR Apache-2.0
//! What backwall can report about an application without the kernel's trace: how long its threads were ready and waited for a
//! CPU.
use crate::printable::printable;
use backwall_model::units::{DisplayedValue, Unit, grouped};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDelay {
    pub thread: String,
    /// Time that the thread was ready but not on a CPU.
    pub waited_ns: u64,
    pub turns: u64,
}

pub fn possible(app: &str) -> String {
    format!(
        "without root: only how long the threads of {} waited for a CPU (run delay). With root: latency and causes",
        printable(app)
    )
}

/// The last line: the next command, as after every measurement.
pub fn ending(command: &str) -> String {
    format!("next  sudo {}   # wakeup latency and causes\n", printable(command))
}

/// `18:03:00Z jack: 2 threads waited 12.3 ms for a CPU in 60 s; longest: jackd-203, 11.0 ms in 3,000 turns, 3.7 us each`.
pub fn sentence(at: &str, app: &str, delays: &[RunDelay], seconds: f64) -> String {
    let time = |ns| DisplayedValue(ns, Unit::Ns).to_string();
    let sum = delays.iter().fold(0u64, |sum, one| sum.saturating_add(one.waited_ns));
    let threads = if delays.len() == 1 { "1 thread".to_string() } else { format!("{} threads", delays.len()) };
    let mut said = format!("{at} {}: {threads} waited {} for a CPU in {seconds:.0} s", printable(app), time(sum));
    if let Some(most) = delays.iter().max_by_key(|one| one.waited_ns).filter(|most| most.waited_ns > 0) {
        let each = time(most.waited_ns / most.turns.max(1));
        said += &format!(
            "; longest: {}, {} in {} turns, {each} each",
            printable(&most.thread),
            time(most.waited_ns),
            grouped(most.turns)
        );
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_that_waited_most_is_named_with_its_mean() {
        let delay = |thread: &str, waited_ns, turns| RunDelay { thread: thread.into(), waited_ns, turns };
        let delays = [delay("jackd-203", 11_000_000, 3_000), delay("jackd-200", 1_300_000, 60)];
        assert_eq!(
            sentence("18:03:00Z", "jack", &delays, 60.0),
            "18:03:00Z jack: 2 threads waited 12.3 ms for a CPU in 60 s; longest: jackd-203, 11.0 ms in 3,000 turns, \
                3.7 us each"
        );
        assert_eq!(sentence("t", "a", &[delay("a-1", 0, 0)], 9.6), "t a: 1 thread waited 0.0 us for a CPU in 10 s");
    }
}
