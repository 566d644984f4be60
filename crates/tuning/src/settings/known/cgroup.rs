// SPDX-License-Identifier: MIT OR Apache-2.0
//! CPU quotas and cpusets of the measured control groups: the application's, or those of this process, whose children run the
//! loops. Both versions of control groups have them.
use crate::settings::form::Form;
use crate::settings::machine::{Machine, processors};
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;
use backwall_model::units::ranges::listed;
use std::collections::BTreeSet;

const ROOT: &str = "/sys/fs/cgroup";

/// `cpu.max`, or `cpu.cfs_quota_us`, of every group from the innermost to the outermost.
pub const QUOTA: Setting = Setting {
    name: "quota",
    checks: &["control group"],
    against: &[Suspect::Nobody, Suspect::Quota],
    does: "removes the CPU quota of the measured program's control groups",
    harm: "other programs in these groups lose their limit too",
    changes: |machine| {
        let unlimited = |folder: &String| {
            let (new, old) = (format!("{folder}/cpu.max"), format!("{folder}/cpu.cfs_quota_us"));
            let place = Place::file(if machine.has(&new) { new } else { old }, Form::Text);
            let now = place.read(machine).ok()?;
            let wanted = now.split_once(' ').map_or("-1".to_string(), |(_, period)| format!("max {period}"));
            (!now.starts_with("max")).then(|| Change::to(machine, place, wanted)).flatten()
        };
        folders(machine, "cpu").iter().rev().filter_map(unlimited).collect()
    },
};

/// `cpuset.cpus` of every group from the outermost to the innermost, because a group can only have CPUs of its parent.
pub const CPUSET: Setting = Setting {
    name: "cpuset",
    checks: &[],
    against: &[Suspect::Nobody],
    does: "allows the measured program's control groups to use the measured CPU",
    harm: "other programs in these groups may run there too",
    changes: |machine| {
        let allowed = |folder: &String| {
            let place = Place::file(format!("{folder}/cpuset.cpus"), Form::List);
            let mut now = processors(&place.read(machine).ok()?);
            // An empty cpuset inherits the CPUs of its parent.
            let lacks = !now.is_empty() && !now.contains(&machine.cpu);
            now.push(machine.cpu);
            now.sort_unstable();
            lacks.then(|| Change::to(machine, place, listed(now.into_iter()))).flatten()
        };
        folders(machine, "cpuset").iter().filter_map(allowed).collect()
    },
};

/// Folders of the groups of a controller, outermost first, without duplicates and without the root, which has no limits.
fn folders(machine: &Machine, controller: &str) -> Vec<String> {
    let measured: Vec<String> = match machine.watched() {
        [] => vec!["/proc/self/cgroup".to_string()],
        threads => threads.iter().map(|thread| format!("/proc/{}/cgroup", thread.id)).collect(),
    };
    let texts = measured.iter().filter_map(|path| machine.read(path).ok());
    let all: BTreeSet<String> = texts.flat_map(|text| of_controller(&text, controller)).collect();
    all.into_iter().collect()
}

/// Reads the rows `NUMBER:CONTROLLERS:GROUP` of a thread (cgroups(7)); version 2 has one row without a controller. Sorted by
/// name, a group precedes its children.
fn of_controller(text: &str, controller: &str) -> Vec<String> {
    let row = |row: &str| {
        let mut parts = row.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?.trim_end_matches('/'));
        let version_1 = controllers.split(',').any(|one| one == controller);
        let top = if version_1 { format!("{ROOT}/{controller}") } else { ROOT.to_string() };
        let ends = group.char_indices().filter(|(at, letter)| *at > 0 && *letter == '/').map(|(at, _)| at);
        let ends = ends.chain([group.len()]).filter(|end| *end > 0);
        (version_1 || controllers.is_empty()).then(|| ends.map(|end| format!("{top}{}", &group[..end])).collect())
    };
    text.lines().filter_map(row).flat_map(|folders: Vec<String>| folders).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_both_versions_are_found_from_the_outermost() {
        let text = "2:cpu,cpuacct:/a/b\n3:cpuset:/\n0::/user.slice/x.service\n";
        let found = of_controller(text, "cpu");
        let both = ["cpu/a", "cpu/a/b", "user.slice", "user.slice/x.service"].map(|end| format!("{ROOT}/{end}"));
        assert_eq!(found, both);
        assert_eq!(of_controller("3:cpuset:/\n0::/\n", "cpuset"), Vec::<String>::new());
        assert_eq!(of_controller("no rows\n:\n1:cpu\n", "cpu"), Vec::<String>::new());
    }
}
