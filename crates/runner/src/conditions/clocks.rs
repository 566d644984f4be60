// SPDX-License-Identifier: MIT OR Apache-2.0
//! Start, length and conditions of a session: one uninterrupted part of a run. Lengths use the clock since boot, which cannot be
//! set and continues during suspend. The wall clock only gives the date.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, reads the clock")]
use backwall_model::{Run, Session};
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;

const CONDITIONS: [(&str, &str); 3] =
    [(BOOT, "/proc/sys/kernel/random/boot_id"), ("kernel", "/proc/version"), ("cmdline", "/proc/cmdline")];
pub(crate) const BOOT: &str = "boot";

/// The session that begins now and follows those of `before`.
pub(crate) fn stretch(before: Option<&Run>) -> Session {
    let (now, uptime) = (Timestamp::now(), uptime());
    let read =
        |(name, file): &(&str, &str)| Some((name.to_string(), std::fs::read_to_string(file).ok()?.trim().to_string()));
    let mut conditions: BTreeMap<String, String> = CONDITIONS.iter().filter_map(read).collect();
    conditions.insert("version".to_string(), env!("CARGO_PKG_VERSION").to_string());
    let last = before.and_then(|run| run.sessions.last());
    let gap_seconds = last.and_then(|last| gap(last, &conditions, now, uptime));
    Session { started: dated(now), until: dated(now), uptime, gap_seconds, conditions, ..Session::default() }
}

pub(crate) fn tell(stretch: &mut Session) {
    stretch.seconds = (uptime() - stretch.uptime).max(0.0);
    stretch.until = dated(Timestamp::now());
}

/// Time since the end of the last session. Within one boot it comes from the clock since boot, otherwise from the wall clock;
/// `None` if the wall clock was set back.
fn gap(last: &Session, conditions: &BTreeMap<String, String>, now: Timestamp, uptime: f64) -> Option<f64> {
    let boot = last.conditions.get(BOOT);
    if boot.is_some() && boot == conditions.get(BOOT) {
        return Some(uptime - last.uptime - last.seconds).filter(|gap| *gap >= 0.0);
    }
    let until: Timestamp = last.until.parse().ok()?;
    Some(now.duration_since(until).as_secs_f64()).filter(|gap| *gap >= 0.0)
}

fn dated(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Seconds since boot, including time in suspend.
fn uptime() -> f64 {
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(boot: &str, until: &str) -> Session {
        let conditions = BTreeMap::from([(BOOT.to_string(), boot.to_string())]);
        Session { until: until.to_string(), uptime: 100.0, seconds: 50.0, conditions, ..Session::default() }
    }

    #[test]
    fn a_gap_is_told_by_the_clock_since_boot_and_only_after_another_boot_by_the_one_on_the_wall() {
        let now: Timestamp = "2026-01-01T00:10:00Z".parse().unwrap();
        let here = BTreeMap::from([(BOOT.to_string(), "a".to_string())]);
        let of = |last: &Session| gap(last, &here, now, 160.0);
        // Somebody set the wall clock. Within one boot that does not matter.
        assert_eq!(of(&ended("a", "2031-01-01T00:00:00Z")), Some(10.0));
        assert_eq!(of(&ended("b", "2026-01-01T00:00:00Z")), Some(600.0));
        assert_eq!(of(&ended("b", "2031-01-01T00:00:00Z")), None, "set back: nobody knows");
        assert_eq!(of(&ended("b", "yesterday")), None);
    }

    #[test]
    fn a_stretch_grows_and_says_under_which_conditions() {
        let mut begun = stretch(None);
        assert!(begun.gap_seconds.is_none() && begun.conditions.len() == 4, "{begun:?}");
        tell(&mut begun);
        let first = begun.seconds;
        tell(&mut begun);
        assert!(begun.seconds >= first);
    }
}
