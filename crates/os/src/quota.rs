// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the cgroups of a thread used up their CPU quota, and how long this kept the cgroups' threads off the CPUs, from
//! `cpu.stat` of cgroups version 1 and 2.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

const TOP: &str = "/sys/fs/cgroup";
/// With more cgroup folders than this, none is searched, because each costs a read of 10 to 20 us.
const FOLDERS_MAX: usize = 4_096;

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

/// The cgroups that have a quota, among those in the rows of [`groups_of`] and their parents; none if unreadable.
pub fn of_groups(rows: &str) -> Vec<Throttled> {
    of_rows(rows, Path::new(TOP))
}

/// The cgroups in the rows of [`groups_of`] and their parents, with the counts in `known`. A group that is not in `known` begins
/// at 0.
pub fn of_groups_from(rows: &str, known: &[Throttled]) -> Vec<Throttled> {
    let of = |group: PathBuf| known.iter().find(|known| known.group == group).cloned();
    let new = |group: PathBuf| Throttled { group, times: 0, ns: 0 };
    groups(rows, Path::new(TOP)).map(|group| of(group.clone()).unwrap_or_else(|| new(group))).collect()
}

/// All cgroups with a quota, with and without threads; `None` if there are too many cgroups to search.
pub fn of_all() -> Option<Vec<Throttled>> {
    all_below(Path::new(TOP))
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

fn all_below(top: &Path) -> Option<Vec<Throttled>> {
    let is_of_cpu = |folder: &PathBuf| folder.file_name().is_some_and(|name| is_cpu(&name.to_string_lossy()));
    let is_second = top.join("cgroup.controllers").exists();
    let mut unread = if is_second { vec![top.to_path_buf()] } else { folders(top).filter(is_of_cpu).collect() };
    let (mut all, mut count) = (Vec::new(), 0);
    while let Some(group) = unread.pop() {
        count += 1;
        if count > FOLDERS_MAX {
            return None;
        }
        unread.extend(folders(&group));
        all.extend(has_quota(&group).then(|| of_group(&group)).flatten());
    }
    Some(all)
}

// A link to a hierarchy is not followed: /proc names the folder itself.
fn folders(of: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

fn is_cpu(controllers: &str) -> bool {
    controllers.split(',').any(|name| name == "cpu")
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
        _ if is_cpu(controllers) => Some(top.join(controllers).join(path)),
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

    #[test]
    fn a_group_that_was_not_known_begins_at_0() {
        let known = [Throttled { group: "/sys/fs/cgroup/box".into(), times: 3, ns: 30 }];
        let told =
            |rows| of_groups_from(rows, &known).into_iter().map(|one| (one.group, one.times)).collect::<Vec<_>>();
        let top = PathBuf::from("/sys/fs/cgroup");
        assert_eq!(told("0::/box/new\n"), [(top.join("box/new"), 0), (top.join("box"), 3), (top.clone(), 0)]);
    }

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
        let all = |top: &Path| all_below(top).unwrap().into_iter().map(|known| known.group).collect::<Vec<_>>();
        assert_eq!(all(top.path()), [top.path().join("cpu/box")]);
        set("cgroup.controllers", "cpu\n");
        assert_eq!(all(&top.path().join("two")), Vec::<PathBuf>::new());
        assert!(all(top.path()).contains(&top.path().join("two")));
        group(top.path(), "two", "nr_throttled many\n");
        assert!(of_rows("0::/two\nnonsense\n", top.path()).is_empty());
    }
}
