// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which control groups used up their quota of processor time while a recording ran, and which threads are in them.
use backwall_os::quota::{self, Throttled};
use backwall_os::threads;
use backwall_trace::write::trace_dat::QuotaRow;
use std::collections::BTreeMap;

/// The groups as they were when the recording began, by what the kernel lists as a thread's groups: many threads have the same.
#[derive(Debug)]
pub(super) struct Quotas(BTreeMap<String, Vec<Throttled>>);

impl Quotas {
    /// Those of all threads that are there now.
    pub(super) fn of_now() -> Self {
        Self(threads_by_groups().into_keys().map(|rows| (rows.clone(), quota::of_groups(&rows))).collect())
    }

    /// Those that used up their quota since, each with the threads that are in it now. A group without a thread at the beginning is not
    /// known: nobody looked at its counts then.
    pub(super) fn used_up(&self) -> Vec<QuotaRow> {
        let mut used_up: BTreeMap<String, QuotaRow> = BTreeMap::new();
        for (rows, threads) in threads_by_groups() {
            let since = self.0.get(&rows).and_then(|before| quota::worst_since(before));
            let Some(Throttled { group, times, ns }) = since else { continue };
            let group = group.display().to_string();
            let row = QuotaRow { group: group.clone(), times, ns, threads: Vec::new() };
            used_up.entry(group).or_insert(row).threads.extend(threads);
        }
        used_up.into_values().collect()
    }
}

fn threads_by_groups() -> BTreeMap<String, Vec<i32>> {
    let mut by_groups: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for thread in threads::all() {
        by_groups.entry(quota::groups_of(thread.process, thread.id)).or_default().push(thread.id);
    }
    by_groups
}
