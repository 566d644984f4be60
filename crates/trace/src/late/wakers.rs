// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a response waited for before its thread was made ready: its own timer on another CPU, a page, or a late waker. Late
//! wakers are followed back to the first one that was late.
//!
//! A waker is followed if its own latency matters: it is a real-time thread, or its own timer woke it. Between such a waker and
//! a real-time thread there may be threads whose own latency does not matter. These are followed too, but only for the
//! real-time threads that they wake.
//!
//! A waker passes its lateness on once to each thread that it wakes. The time since the waker got its CPU does not count as
//! lateness.
use super::moved::Moved;
use crate::blame::{Blame, Wakers, WakersEnd};
use crate::event::Thread;
use std::sync::Arc;

/// At most this many wakers are followed back; a longer chain is marked as cut.
pub(super) const LINKS_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    thread: Thread,
    /// How late this thread itself was, without the lateness of its wakers.
    ns: u64,
    blame: Blame,
}

/// A late thread and the late wakers before it, nearest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    links: Vec<Link>,
    end: WakersEnd,
    /// Whether the first thread's latency matters only to the real-time threads that it wakes.
    in_between: bool,
}

impl Chain {
    pub(super) fn of(thread: Thread, ns: u64, blame: Blame, waker: Option<&Arc<Self>>) -> Arc<Self> {
        let links = vec![Link { thread, ns, blame }];
        let mut chain = Self { links, end: WakersEnd::First, in_between: false };
        if let Some(waker) = waker {
            let before = waker.links.iter().take(LINKS_MAX - 1).cloned();
            chain.links.extend(before);
            chain.end = if waker.links.len() < LINKS_MAX { waker.end } else { WakersEnd::TooMany };
        }
        Arc::new(chain)
    }

    /// Marks the first thread as one that matters only to the real-time threads that it wakes.
    pub(super) fn in_between(self: Arc<Self>) -> Arc<Self> {
        Arc::new(Self { in_between: true, ..Arc::unwrap_or_clone(self) })
    }

    pub(super) fn makes_late(&self, woken: Option<Thread>) -> bool {
        !self.in_between || woken.is_some_and(|thread| !thread.is_ordinary())
    }

    pub(super) fn missing(thread: Thread) -> Arc<Self> {
        Arc::new(Self { links: Vec::new(), end: WakersEnd::Missing(thread), in_between: false })
    }

    fn without(&self, id: i32) -> impl Iterator<Item = &Link> {
        self.links.iter().take_while(move |link| link.thread.id != id)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Before {
    /// The response had started earlier: its thread's timer had expired on another CPU, or its thread waited for a page.
    Own(Box<Moved>),
    Waker(Arc<Chain>),
}

impl Before {
    pub(super) fn chain(self) -> Option<Arc<Chain>> {
        if let Self::Waker(chain) = self { Some(chain) } else { None }
    }
}

impl Chain {
    pub(super) fn ns(&self, id: i32) -> u64 {
        self.without(id).map(|link| link.ns).sum()
    }

    pub(super) fn join(&self, id: i32, blame: &mut Blame) {
        self.without(id).for_each(|link| blame.join(link.blame.clone()));
        let late: Vec<Thread> = self.without(id).map(|link| link.thread).collect();
        let circle = self.links.get(late.len()).map(|link| WakersEnd::Circle(link.thread));
        blame.wakers = Wakers { late, end: circle.unwrap_or(self.end) };
    }
}
