// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quotas of processor time of the control groups that this process, and what it measures, is in.
use crate::form::Form;
use crate::machine::Machine;
use crate::place::Place;
use crate::setting::{Change, Setting};

const ROOT: &str = "/sys/fs/cgroup";

/// `cpu.max` of every group from this process up.
pub const QUOTA: Setting = Setting {
    name: "quota",
    checks: &["control group"],
    causes: &["quota"],
    does: "takes away the quota of processor time of the control groups that the measured program is in",
    harm: "other programs in these groups are not held back either",
    changes: |machine| {
        let limited = |group: String| {
            let place = Place::file(format!("{ROOT}{group}/cpu.max"), Form::Text);
            let now = place.read(machine).ok()?;
            let period = now.split_whitespace().nth(1)?;
            let change = || Change::to(machine, place.clone(), format!("max {period}"));
            (!now.starts_with("max")).then(change).flatten()
        };
        groups(machine).into_iter().filter_map(limited).collect()
    },
};

/// The groups from the innermost up, without the root, which has no quota.
fn groups(machine: &Machine) -> Vec<String> {
    let text = machine.read("/proc/self/cgroup").unwrap_or_default();
    let own = text.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or_default();
    let own = own.trim_end_matches('/');
    let ends = own.char_indices().filter(|(_, letter)| *letter == '/').map(|(at, _)| at).chain([own.len()]);
    let mut groups: Vec<String> = ends.map(|end| own[..end].to_string()).filter(|group| !group.is_empty()).collect();
    groups.reverse();
    groups
}
