// SPDX-License-Identifier: MIT OR Apache-2.0
//! The progress display of a session: time left, worst response, phase.
use crate::conditions::split::CpuSplit;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_os::console::progress::{Progress, bar};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct ProgressState {
    pub worst_ns: u64,
    pub lost: u64,
    pub cause: Option<(bool, String)>,
}

#[derive(Debug)]
pub struct Bar {
    progress: Progress,
    whole: Duration,
    before: Duration,
    phase: String,
    split: Mutex<CpuSplit>,
}

impl Bar {
    pub fn new(whole: Duration, quiet: bool) -> Self {
        let (phase, split) = (String::new(), Mutex::default());
        Self { progress: Progress::new(quiet), whole, before: Duration::ZERO, phase, split }
    }

    pub fn phase(&mut self, name: &str) {
        self.phase = name.to_string();
    }

    /// Shows `elapsed` of the current phase. The next line has the cause of the worst response, if the trace shows it. The last
    /// line says how programs, the kernel and a hypervisor share the CPUs' time.
    pub fn show(&self, elapsed: Duration, seen: impl FnOnce() -> ProgressState) {
        let passed = (self.before + elapsed).min(self.whole);
        let share = passed.as_secs_f64() / self.whole.as_secs_f64().max(f64::MIN_POSITIVE);
        self.progress.show(|| {
            let ProgressState { worst_ns, lost, cause } = seen();
            let worst = format!("worst {}", DisplayedValue(worst_ns, Unit::Ns));
            let lost = (lost > 0).then(|| format!("{} missed", grouped(lost)));
            let first = [left(self.whole - passed), worst].into_iter().chain(lost);
            let first = first.chain([self.phase.clone(), bar(share)]).collect();
            let cause = cause.map(|(worst, cause)| {
                let which = if worst { "worst" } else { "worst with a known cause" };
                vec![format!("{which}: {cause}")]
            });
            let split = self.split.lock().unwrap_or_else(PoisonError::into_inner).words();
            [Some(first), cause, split.map(|words| vec![words])].into_iter().flatten().collect()
        });
    }

    pub fn passed(&mut self, length: Duration) {
        self.before += length;
    }
}

/// `34 s left`, `57 min left`, `23 h 12 min left`.
fn left(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..600 => format!("{seconds} s left"),
        600..7_200 => format!("{} min left", seconds.div_ceil(60)),
        _ => format!("{} h {} min left", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_in_the_unit_that_tells_something() {
        let told = [0, 34, 599, 600, 3_420, 83_531].map(|seconds| left(Duration::from_secs(seconds)));
        assert_eq!(told, ["0 s left", "34 s left", "599 s left", "10 min left", "57 min left", "23 h 12 min left"]);
    }
}
