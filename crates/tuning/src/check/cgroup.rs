// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of the control groups of this process, which its children share.
use super::{Machine, Reading};

const MEMBERSHIP: &str = "/proc/self/cgroup";
const TOP: &str = "/sys/fs/cgroup";

/// Reads `cpu.max` (version 2), `cpu.cfs_quota_us` and `cpu.rt_runtime_us` (version 1), from the group up to the root.
pub(super) fn limits(machine: &Machine) -> Reading {
    let why =
        "a group may deny its threads real-time priority, or stop them when they have used their share of a period";
    let text = match machine.read(MEMBERSHIP) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let groups: Vec<String> = text.lines().filter_map(folder).flat_map(|folder| upwards(&folder)).collect();
    let refused = groups.iter().find_map(|group| real_time(machine, group));
    let quota = || groups.iter().find_map(|group| quota(machine, group));
    refused.or_else(quota).unwrap_or_else(|| Reading::good(format!("{MEMBERSHIP}: no limit in any group"), why))
}

/// How to let a group run real-time threads, if only the group's limits refuse them (RT_GROUP_SCHED).
pub(super) fn remedy(machine: &Machine) -> String {
    let text = machine.read(MEMBERSHIP).unwrap_or_default();
    let groups = text.lines().filter_map(folder).flat_map(|folder| upwards(&folder));
    let version_1 = groups.map(|group| format!("{group}/cpu.rt_runtime_us")).find(|file| machine.has(file));
    let here = match version_1 {
        Some(file) => {
            format!(
                "for each group from the root down: echo 950000 > {file}; in a container: docker run --cpu-rt-runtime=950000"
            )
        }
        None => {
            "boot with rt_group_sched=0, or start the command in the top group: echo $$ > /sys/fs/cgroup/cgroup.procs"
                .to_string()
        }
    };
    format!("the process's control group has no time for real-time threads (RT_GROUP_SCHED): {here}")
}

/// The group's path in a row: `0::/path`, or `4:cpu,cpuacct:/path`.
fn folder(row: &str) -> Option<String> {
    let mut parts = row.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let safe = !path.split('/').any(|part| part == "..");
    let of_processors = controllers.is_empty() || controllers.split(',').any(|name| name == "cpu");
    let below = if controllers.is_empty() { String::new() } else { format!("/{controllers}") };
    (safe && of_processors).then(|| format!("{TOP}{below}{path}").trim_end_matches('/').to_string())
}

fn upwards(folder: &str) -> Vec<String> {
    let above = std::path::Path::new(folder).ancestors().map(|place| place.display().to_string());
    above.take_while(|place| place.starts_with(TOP)).collect()
}

fn real_time(machine: &Machine, group: &str) -> Option<Reading> {
    let file = format!("{group}/cpu.rt_runtime_us");
    let none = machine.number(&file).is_ok_and(|runtime| runtime == 0);
    let why = "no thread of this group gets real-time priority";
    none.then(|| {
        Reading::bad(format!("{file}: 0"), why)
            .fix(format!("give time to each group, from the root down\necho 950000 > {file}"))
    })
}

fn quota(machine: &Machine, group: &str) -> Option<Reading> {
    let why = "ordinary threads of this group stop when they have used their share, so loads are weaker than they \
        look; real-time threads are not limited";
    let second = format!("{group}/cpu.max");
    if let Some(limit) = machine.read(&second).ok().filter(|text| !text.starts_with("max")) {
        return Some(
            Reading::note(format!("{second}: {limit} us"), why).fix(format!("raise the quota\necho max > {second}")),
        );
    }
    let first = format!("{group}/cpu.cfs_quota_us");
    let limit = machine.number(&first).ok().filter(|quota| *quota > 0)?;
    Some(Reading::note(format!("{first}: {limit} us"), why).fix(format!("raise the quota\necho -1 > {first}")))
}
