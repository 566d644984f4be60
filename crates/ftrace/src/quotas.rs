// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which control groups used up their CPU quota while a recording ran, and which threads are in them.
use backwall_os::quota::{self, Throttled};
use backwall_os::threads;
use backwall_trace::write::trace_dat::QuotaRow;
use std::collections::BTreeMap;

/// Threads by the groups that the kernel lists for them, which many threads have in common.
type ByGroups = BTreeMap<String, Vec<i32>>;

#[derive(Debug)]
pub(super) struct Quotas {
    before: BTreeMap<String, Vec<Throttled>>,
    /// All groups with a quota, even those without threads; `None` if there were too many to read.
    limited: Option<Vec<Throttled>>,
    threads: ByGroups,
}

impl Quotas {
    pub(super) fn of_now() -> Self {
        let threads = threads_by_groups();
        let before = threads.keys().map(|rows| (rows.clone(), quota::of_groups(rows))).collect();
        Self { before, limited: quota::of_all(), threads }
    }

    /// Groups that used up their quota since the start, with their threads then and now.
    pub(super) fn used_up(&self) -> Vec<QuotaRow> {
        self.used_up_by(threads_by_groups(), quota::worst_since)
    }

    fn used_up_by(&self, now: ByGroups, since: impl Fn(&[Throttled]) -> Option<Throttled>) -> Vec<QuotaRow> {
        let mut used_up: BTreeMap<String, QuotaRow> = BTreeMap::new();
        for (rows, before) in self.before.iter().chain(&self.of_new(&now)) {
            let Some(Throttled { group, times, ns }) = since(before) else { continue };
            let group = group.display().to_string();
            let row = QuotaRow { group: group.clone(), times, ns, threads: Vec::new() };
            let threads = &mut used_up.entry(group).or_insert(row).threads;
            threads.extend([&self.threads, &now].into_iter().filter_map(|all| all.get(rows)).flatten());
            threads.sort_unstable();
            threads.dedup();
        }
        used_up.into_values().collect()
    }

    // The groups that have threads now but had none at the start: new threads, or threads that were moved.
    fn of_new(&self, now: &ByGroups) -> BTreeMap<String, Vec<Throttled>> {
        let Some(limited) = &self.limited else { return BTreeMap::new() };
        let new = now.keys().filter(|rows| !self.before.contains_key(*rows));
        new.map(|rows| (rows.clone(), quota::of_groups_from(rows, limited))).collect()
    }
}

fn threads_by_groups() -> ByGroups {
    let mut by_groups = ByGroups::new();
    for thread in threads::all() {
        by_groups.entry(quota::groups_of(thread.process, thread.id)).or_default().push(thread.id);
    }
    by_groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_ended_meanwhile_is_one_of_its_group_all_the_same() {
        let throttled = |times| Throttled { group: "/box".into(), times, ns: times * 10 };
        let rows = |all: &[(&str, &[i32])]| all.iter().map(|(rows, ids)| (rows.to_string(), ids.to_vec())).collect();
        let quotas = Quotas {
            before: [("1:cpu:/box".to_string(), vec![throttled(3)]), ("1:cpu:/".to_string(), Vec::new())].into(),
            limited: None,
            threads: rows(&[("1:cpu:/box", &[7, 8]), ("1:cpu:/", &[1])]),
        };
        let since = |before: &[Throttled]| before.first().map(|before| throttled(5 - before.times));
        let used_up = quotas.used_up_by(rows(&[("1:cpu:/box", &[8, 9]), ("1:cpu:/new", &[11])]), since);
        let group = "/box".to_string();
        assert_eq!(used_up, [QuotaRow { group, times: 2, ns: 20, threads: vec![7, 8, 9] }]);
        assert_eq!(quotas.used_up_by(ByGroups::new(), |_| None), []);
    }

    #[test]
    fn a_group_without_threads_at_the_start_is_known_unless_there_were_too_many() {
        let now: ByGroups = [("0::/new".to_string(), vec![11])].into();
        let known = Throttled { group: "/sys/fs/cgroup/new".into(), times: 3, ns: 30 };
        let since = |before: &[Throttled]| {
            before.iter().find(|one| one.group.ends_with("new")).map(|one| Throttled {
                times: 5 - one.times,
                ns: 50 - one.ns,
                ..one.clone()
            })
        };
        for (limited, times) in [(None, None), (Some(Vec::new()), Some(5)), (Some(vec![known]), Some(2))] {
            let quotas = Quotas { before: BTreeMap::new(), limited, threads: ByGroups::new() };
            let used_up = quotas.used_up_by(now.clone(), since);
            assert_eq!(
                used_up.first().map(|row| (row.times, row.threads.clone())),
                times.map(|times| (times, vec![11]))
            );
        }
    }
}
