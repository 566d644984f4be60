// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes of the machine for which this kernel has no events, so that backwall cannot name them as causes.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::tracefs::Tracefs;

const CHANGES: [(&str, &str); 3] = [
    ("frequencies", "power/cpu_frequency"),
    ("cooling", "thermal/cdev_update"),
    ("CPUs that go offline", "cpuhp/cpuhp_enter"),
];

/// The changes without events, separated by commas; `None` if the kernel can record all of them, or if that is unknown.
pub fn unrecorded() -> Option<String> {
    let tracefs = Tracefs::open().ok()?;
    let has = |event: &str| tracefs.root().join("events").join(event).exists();
    missing(has)
}

fn missing(has: impl Fn(&str) -> bool) -> Option<String> {
    let names: Vec<&str> = CHANGES.iter().filter(|(_, event)| !has(event)).map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_event_is_named() {
        assert_eq!(missing(|_| true), None);
        assert_eq!(missing(|event| event.starts_with("cpuhp")).unwrap(), "frequencies, cooling");
    }
}
