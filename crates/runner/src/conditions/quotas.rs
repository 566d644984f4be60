// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares the cgroup counters before and after the measurement: did a cgroup quota keep the measured threads off the CPUs?
//!
//! A quota applies to ordinary threads. Real-time threads have another limit, `cpu.rt_runtime_us` of their cgroup, which has no
//! counters.
use crate::device::probe::Probe;
use backwall_model::Warning;
use backwall_model::units::{DisplayedValue, Unit, counted};
use backwall_os::quota::{self, Throttled};

/// The threads' cgroup counters before the measurement.
#[derive(Debug, Default)]
pub struct Quotas(Vec<Vec<Throttled>>);

impl Quotas {
    pub fn of(threads: impl IntoIterator<Item = (i32, i32)>) -> Self {
        Self(threads.into_iter().map(|(process, thread)| quota::of_thread(process, thread)).collect())
    }

    pub(crate) fn of_probe(probe: &Probe, process: u32, ordinary: bool) -> Self {
        let process = process as i32;
        Self::of((ordinary && probe.device().is_here()).then_some((process, process)))
    }

    /// One warning for each cgroup whose quota kept some of these threads off the CPUs.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        for throttled in self.0.iter().filter_map(|before| quota::worst_since(before)) {
            let warning = warning(&throttled);
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }
}

// A sum of at least a second is printed in seconds, like the maximum response next to it.
fn together(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    if seconds < 1.0 { DisplayedValue(ns, Unit::Ns).to_string() } else { format!("{seconds:.1} s") }
}

fn warning(Throttled { group, times, ns }: &Throttled) -> Warning {
    let said = format!(
        "its control group used up its CPU quota {} in this measurement ({}), and the delays add up: {}",
        counted(*times, "time", "times"),
        together(*ns),
        group.display()
    );
    Warning::new(Warning::THROTTLED, said)
        .mended_by("raise the quota (cpu.max, or cpu.cfs_quota_us), or move the thread out of the cgroup")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_says_how_often_for_how_long_and_which_group() {
        let said = warning(&Throttled { group: "/sys/fs/cgroup/box".into(), times: 2, ns: 2_500_000 });
        assert!(
            said.text.contains("2 times in this measurement (2,500.0 us)")
                && said.text.ends_with(": /sys/fs/cgroup/box")
        );
        let long = warning(&Throttled { group: "/sys/fs/cgroup/box".into(), times: 79, ns: 7_107_200_000 });
        assert!(long.text.contains("79 times in this measurement (7.1 s)"), "{}", long.text);
        assert!(said.remedy.unwrap().contains("cpu.max"));
    }

    #[test]
    fn who_has_no_group_with_a_quota_is_told_nothing() {
        assert_eq!(Quotas::default().warnings(), []);
    }
}
