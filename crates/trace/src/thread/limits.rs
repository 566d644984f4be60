// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of CPU time for a thread, and when the kernel grants new time.
//!
//! A thread that has used up its time stays ready, but gets no CPU. No event shows that. But a timer of the kernel grants the new
//! time, and the function of that timer shows which limit it was.
use crate::blame::{Culprit, More};
use crate::event::function::Function;
use crate::event::{Group, Thread};
use crate::processor::Holder;
use backwall_model::Limit;
use std::collections::{BTreeMap, VecDeque};

/// At most this many grants are remembered: enough for some seconds with many limited groups.
const KEPT: usize = 1_024;
/// A thread that got its CPU later than this after a grant also waited for something else.
const NEAR_NS: u64 = 10_000_000;
/// An ordinary thread that got its CPU within this time after a grant had waited for the grant, however briefly.
const AT_ONCE_NS: u64 = 300_000;
/// An ordinary thread that got its CPU later than `AT_ONCE_NS` had waited for the grant only if it was ready at least this long
/// before the grant. A group gets a grant each period, even if it has time left.
const LONG_NS: u64 = 5_000_000;

const GRANTS: [(&str, Limit); 4] = [
    ("sched_cfs_period_timer", Limit::Quota),
    ("sched_cfs_slack_timer", Limit::Quota),
    ("sched_rt_period_timer", Limit::RealTimeShare),
    ("dl_task_timer", Limit::Budget),
];

/// A time in which a thread was ready but had no quota left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    /// When the thread became ready, or lost its CPU without a sleep.
    pub from_ns: u64,
    /// The thread lost its CPU because the scheduler chose the next thread.
    pub lost_processor: bool,
    /// When the kernel granted new time.
    pub until_ns: u64,
    /// The limit.
    pub limit: Limit,
    /// The control group with this limit, if known.
    pub group: Option<Group>,
}

impl UsedUp {
    pub(crate) fn has(&self, at_ns: u64) -> bool {
        (self.from_ns..self.until_ns).contains(&at_ns)
    }

    pub(crate) fn culprit(&self) -> Culprit {
        Culprit { holder: Holder::Unknown, more: More::UsedUp { limit: self.limit, group: self.group } }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    quotas: BTreeMap<i32, Group>,
    grants: VecDeque<(u64, Limit)>,
}

impl Limits {
    pub(crate) fn of(quotas: BTreeMap<i32, Group>) -> Self {
        Self { quotas, grants: VecDeque::new() }
    }

    #[inline(always)]
    pub(crate) fn timer(&mut self, at_ns: u64, function: Option<Function>) {
        let name = function.map_or("", Function::name);
        if let Some((_, limit)) = GRANTS.iter().find(|(grants, _)| *grants == name) {
            self.grant(at_ns, *limit);
        }
    }

    #[cold]
    fn grant(&mut self, at_ns: u64, limit: Limit) {
        if self.grants.len() == KEPT {
            self.grants.pop_front();
        }
        self.grants.push_back((at_ns, limit));
    }

    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        !self.grants.is_empty()
    }

    /// When this thread's quota ran out while the thread waited for a CPU. An ordinary thread counts only in a group with a
    /// quota, because the timers of other groups run all the time.
    #[cold]
    pub(crate) fn used_up(&self, thread: &Thread, from_ns: u64, to_ns: u64) -> Option<UsedUp> {
        let used_up = self.granted(thread, from_ns, to_ns)?;
        let UsedUp { until_ns, limit, .. } = used_up;
        let waited_for_it = until_ns - from_ns >= LONG_NS || to_ns - until_ns <= AT_ONCE_NS;
        (limit != Limit::Quota || waited_for_it).then_some(used_up)
    }

    fn granted(&self, thread: &Thread, from_ns: u64, to_ns: u64) -> Option<UsedUp> {
        let group = self.quotas.get(&thread.id).copied();
        let wanted = match thread {
            thread if thread.is_deadline() => Limit::Budget,
            thread if thread.is_ordinary() => group.map(|_| Limit::Quota)?,
            _ => Limit::RealTimeShare,
        };
        let since = self.grants.iter().rev().take_while(|(at_ns, _)| *at_ns > from_ns);
        let near = |at_ns: u64| at_ns <= to_ns && to_ns - at_ns <= NEAR_NS;
        let (until_ns, limit) = *since.filter(|(at_ns, limit)| *limit == wanted && near(*at_ns)).min()?;
        let group = group.filter(|_| limit == Limit::Quota);
        Some(UsedUp { from_ns, lost_processor: false, until_ns, limit, group })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Name;

    fn thread(priority: i32) -> Thread {
        Thread { id: 7, priority, name: Name::new(b"t") }
    }

    #[test]
    fn each_class_of_threads_has_its_own_limit_and_an_ordinary_one_only_in_a_group_with_a_quota() {
        let group = Group::named("/box");
        let (mut open, mut limited) = (Limits::default(), Limits::of(BTreeMap::from([(7, group)])));
        for (at_ns, name) in [
            (1_000, "sched_cfs_period_timer"),
            (2_000, "sched_rt_period_timer"),
            (3_000, "dl_task_timer"),
            (4_000, "hrtimer_wakeup"),
        ] {
            open.timer(at_ns, Some(Function::named(name)));
            limited.timer(at_ns, Some(Function::named(name)));
        }
        let told = |limits: &Limits, priority| {
            let used = limits.used_up(&thread(priority), 500, 5_000)?;
            assert_eq!(used.from_ns, 500);
            Some((used.limit, used.until_ns, used.group))
        };
        assert_eq!(told(&limited, 120), Some((Limit::Quota, 1_000, Some(group))));
        assert_eq!(told(&open, 120), None);
        assert_eq!(told(&open, 19), Some((Limit::RealTimeShare, 2_000, None)));
        assert_eq!(told(&open, -1), Some((Limit::Budget, 3_000, None)));
        assert_eq!(open.used_up(&thread(19), 2_000, 5_000), None, "it was ready only since then");
        assert_eq!(open.used_up(&thread(19), 500, 20_000_000), None, "it came long after that");
        assert_eq!(limited.used_up(&thread(120), 500, 1_000_000), None, "so short a wait is one for others");
    }
}
