// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the cgroups of a thread used up their CPU quota, and how long that kept them off the CPUs, from `cpu.stat` of
//! cgroups version 1 and 2.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

const TOP: &str = "/sys/fs/cgroup";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throttled {
    pub group: PathBuf,
    pub times: u64,
    /// Total time off the CPUs in nanoseconds, summed over the CPUs.
    pub ns: u64,
}

impl Throttled {
    fn since(&self, before: &Self) -> Self {
        let (times, ns) = (self.times.saturating_sub(before.times), self.ns.saturating_sub(before.ns));
        Self { group: self.group.clone(), times, ns }
    }
}

/// The cgroups of a thread, one row per hierarchy; empty if unreadable.
pub fn groups_of(process: i32, thread: i32) -> String {
    read_to_string(format!("/proc/{process}/task/{thread}/cgroup")).unwrap_or_default()
}

/// The cgroups in such rows and their parents, as far as they have a quota; none if unreadable.
pub fn of_groups(rows: &str) -> Vec<Throttled> {
    of_rows(rows, Path::new(TOP))
}

pub fn of_thread(process: i32, thread: i32) -> Vec<Throttled> {
    of_groups(&groups_of(process, thread))
}

/// The nearest cgroup of a thread, its own or a parent, that limits it by a quota.
pub fn limiting(process: i32, thread: i32) -> Option<PathBuf> {
    groups(&groups_of(process, thread), Path::new(TOP)).find(|group| has_quota(group))
}

/// `cpu.max` in version 2, `cpu.cfs_quota_us` in version 1.
fn has_quota(group: &Path) -> bool {
    let limited = |file: &str, none: &str| {
        read_to_string(group.join(file))
            .is_ok_and(|text| text.split_whitespace().next().is_some_and(|quota| quota != none))
    };
    limited("cpu.max", "max") || limited("cpu.cfs_quota_us", "-1")
}

/// The cgroup that kept its threads off the CPUs longest since `before`, if any. It reads the cgroups, because the thread may
/// have ended.
pub fn worst_since(before: &[Throttled]) -> Option<Throttled> {
    let since = before.iter().filter_map(|before| Some(of_group(&before.group)?.since(before)));
    since.filter(|since| since.times > 0).max_by_key(|since| since.ns)
}

fn of_rows(rows: &str, top: &Path) -> Vec<Throttled> {
    groups(rows, top).filter_map(|group| of_group(&group)).collect()
}

fn groups(rows: &str, top: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = rows.lines().filter_map(|row| folder(row, top));
    folders.flat_map(move |folder| {
        let above = folder.ancestors().take_while(|place| place.starts_with(top)).map(Path::to_path_buf);
        above.collect::<Vec<_>>()
    })
}

/// The folder of a cgroup, from a row such as `0::/path` or `1:cpu,cpuacct:/path`.
fn folder(row: &str, top: &Path) -> Option<PathBuf> {
    let mut parts = row.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    match controllers {
        "" => Some(top.join(path)),
        _ if controllers.split(',').any(|name| name == "cpu") => Some(top.join(controllers).join(path)),
        _ => None,
    }
}

fn of_group(group: &Path) -> Option<Throttled> {
    let text = read_to_string(group.join("cpu.stat")).ok()?;
    let row =
        |name: &str| text.lines().find_map(|row| row.strip_prefix(name)?.strip_prefix(' ')?.trim().parse::<u64>().ok());
    let times = row("nr_throttled")?;
    let ns = row("throttled_time").or_else(|| row("throttled_usec").map(|us| us.saturating_mul(1_000)))?;
    Some(Throttled { group: group.to_path_buf(), times, ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(top: &Path, name: &str, stat: &str) {
        std::fs::create_dir_all(top.join(name)).unwrap();
        std::fs::write(top.join(name).join("cpu.stat"), stat).unwrap();
    }

    #[test]
    fn both_versions_tell_and_the_longest_of_a_group_and_those_above_is_named() {
        let top = tempfile::tempdir().unwrap();
        group(top.path(), "cpu/box", "nr_periods 9\nnr_throttled 4\nthrottled_time 7000\n");
        group(top.path(), "cpu/box/inner", "nr_periods 9\nnr_throttled 0\nthrottled_time 0\n");
        let rows = "4:memory:/box\n1:cpu:/box/inner\n0::/two\n1:cpu:/../../etc\n";
        let before = of_rows(rows, top.path());
        assert_eq!(before.iter().map(|known| (known.times, known.ns)).collect::<Vec<_>>(), [(0, 0), (4, 7_000)]);
        assert_eq!(worst_since(&before), None);
        group(top.path(), "cpu/box", "nr_periods 9\nnr_throttled 6\nthrottled_time 9500\n");
        let worst = worst_since(&before).unwrap();
        assert_eq!((worst.times, worst.ns, worst.group), (2, 2_500, top.path().join("cpu/box")));
        group(top.path(), "two", "usage_usec 1\nnr_periods 9\nnr_throttled 3\nthrottled_usec 40\n");
        assert_eq!(of_rows("0::/two\n", top.path())[0].ns, 40_000);
        let limiting = |rows| groups(rows, top.path()).find(|group| has_quota(group));
        let set = |name: &str, quota| std::fs::write(top.path().join(name), quota).unwrap();
        set("cpu/box/inner/cpu.cfs_quota_us", "-1\n");
        set("cpu/box/cpu.cfs_quota_us", "20000\n");
        set("two/cpu.max", "max 100000\n");
        assert_eq!(limiting(rows), Some(top.path().join("cpu/box")));
        assert_eq!(limiting("0::/two\n"), None);
        set("two/cpu.max", "20000 100000\n");
        assert_eq!(limiting("0::/two\n"), Some(top.path().join("two")));
        group(top.path(), "two", "nr_throttled many\n");
        assert!(of_rows("0::/two\nnonsense\n", top.path()).is_empty());
    }
}
