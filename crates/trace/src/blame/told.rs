// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a divided latency to the form that a run stores.
use crate::blame::{Blame, Culprit, More, Share};
use crate::event::{Section, Thread};
use crate::processor::Holder;
use crate::processor::changes::{Plugged, Slowed};
use crate::thread::raise::{Loan, Raise};
use backwall_model::{HolderDetail, Priority};
use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Naming {
    /// Names of the series of a task set, by thread number.
    series: HashMap<i32, String>,
    /// Whether threads are told apart by number, or only by name.
    numbered: bool,
}

impl Naming {
    /// Threads with these numbers get the names of their series; all others are told apart by name.
    pub(crate) fn of_series(names: impl IntoIterator<Item = (i32, String)>) -> Self {
        Self { series: names.into_iter().collect(), numbered: false }
    }

    pub(crate) fn numbered(self) -> Self {
        Self { numbered: true, ..self }
    }

    pub(crate) fn blame(&self, blame: &Blame) -> backwall_model::Blame {
        let share = |share: &Share| backwall_model::Share {
            cause: share.cause,
            culprit: share.culprit.map(|culprit| self.culprit(culprit)),
            ns: share.ns,
        };
        let wakers = blame.wakers.map(|thread| self.thread(*thread));
        let shares = backwall_model::Shares::of(blame.shares.iter().map(share))
            .unwrap_or_else(backwall_model::Shares::of_no_time);
        backwall_model::Blame::Shares { shares, wakers }
    }

    pub(crate) fn culprit(&self, culprit: Culprit) -> backwall_model::Culprit {
        backwall_model::Culprit { holder: self.holder(culprit.holder), more: self.more(culprit.more) }
    }

    fn holder(&self, holder: Holder) -> backwall_model::Holder {
        match holder {
            Holder::Unknown => backwall_model::Holder::Unknown,
            Holder::Idle => backwall_model::Holder::Idle,
            Holder::Thread(thread) => backwall_model::Holder::Thread(self.thread(thread)),
            Holder::Section(Section::Interrupt(name)) => backwall_model::Holder::Interrupt(name.to_string()),
            Holder::Section(Section::Softirq(number)) => backwall_model::Holder::Softirq(number),
        }
    }

    fn thread(&self, thread: Thread) -> backwall_model::Thread {
        let priority = Priority::of_events(thread.priority);
        if let Some(name) = self.series.get(&thread.id) {
            return backwall_model::Thread { name: Some(name.clone()), id: None, priority, series: true };
        }
        let id = Some(thread.id).filter(|_| self.numbered);
        let name = Some(thread.name.to_string()).filter(|name| priority.is_some() || !name.is_empty());
        backwall_model::Thread { name, id, priority, series: false }
    }

    fn more(&self, more: More) -> Option<HolderDetail> {
        Some(match more {
            More::Nothing => return None,
            More::OnTimeOf(thread) => HolderDetail::OnTimeOf(self.thread(thread)),
            More::Raised(Raise::Inherited(Loan { to, lender, .. })) => HolderDetail::Inherited {
                to: Priority::of_events(to),
                lender: lender.map(|lender| self.thread(lender)),
            },
            More::Raised(Raise::Left(to)) => HolderDetail::Raised(Priority::of_events(to)),
            More::Raised(Raise::Unseen) => HolderDetail::Raised(None),
            More::WhileHeldBy(thread) => HolderDetail::WhileHeldBy(self.thread(thread)),
            More::Until { thread, group } => {
                HolderDetail::Until { thread: self.thread(thread), group: group.map(|group| group.path().to_string()) }
            }
            More::OtherRun => HolderDetail::OtherRun,
            More::Untold(untold) => HolderDetail::Untold(untold.map(|function| function.name().to_string())),
            More::Masking { function, caller } => HolderDetail::Masking {
                function: function.name().to_string(),
                caller: caller.map(|caller| caller.name().to_string()),
            },
            More::At(function) => HolderDetail::At(function.name().to_string()),
            More::Timers { at_least, function: None } => HolderDetail::Timers(at_least),
            More::Timers { at_least, function: Some(function) } => {
                HolderDetail::TimersOf { at_least, function: function.name().to_string() }
            }
            More::Slowed(Slowed { mhz, of_mhz, limited }) => HolderDetail::Slowed { mhz, of_mhz, limited },
            More::Plugged(Plugged { cpu, down }) => HolderDetail::Plugged { cpu, down },
            More::Signals(at_least) => HolderDetail::Signals(at_least),
            More::UsedUp { limit, group } => {
                HolderDetail::UsedUp { limit, group: group.map(|group| group.path().to_string()) }
            }
            More::After(ns) => HolderDetail::After(ns),
            More::FarAbove(p99) => HolderDetail::FarAbove(p99),
        })
    }
}

impl Blame {
    /// Converts to the form that a run stores. Threads with the same name stay separate, by number.
    pub fn told(&self) -> backwall_model::Blame {
        Naming::default().numbered().blame(self)
    }
}

impl Share {
    /// Converts the culprit to the form that a run stores. Threads with the same name stay separate, by number.
    pub fn told_culprit(&self) -> Option<backwall_model::Culprit> {
        self.culprit.map(|culprit| Naming::default().numbered().culprit(culprit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_of_no_time_has_one_share_of_none() {
        let backwall_model::Blame::Shares { shares, .. } = Blame::default().told() else { panic!() };
        assert_eq!(
            *shares,
            [backwall_model::Share { cause: backwall_model::Cause::Unexplained, culprit: None, ns: 0 }]
        );
    }
}
