// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a response waited for before its thread was made ready: its own timer on another processor, a page, or a waker that was late
//! itself, back to the first that was.
//!
//! A waker is followed where somebody relies on it: a real-time thread, or one that its own timer was to make ready. One in between, which
//! such a thread made ready, is followed for a real-time thread that it makes ready itself: both ends are relied on. How late
//! it came is passed on once to each thread that it makes ready; what it did since it came is nobody's lateness.
use super::moved::Moved;
use crate::blame::{Blame, Wakers, WakersEnd};
use crate::event::Thread;
use std::sync::Arc;

/// Wakers followed back; a longer chain is marked as cut.
pub(super) const LINKS_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    thread: Thread,
    /// Its lateness without that of its predecessors.
    ns: u64,
    blame: Blame,
}

/// A late thread and those that delayed it, nearest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    links: Vec<Link>,
    end: WakersEnd,
    /// Nobody relies on its first thread but real-time threads that it makes ready.
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

    /// As above, for a thread that matters only through the real-time threads it wakes.
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
    /// Its response had started earlier: its own timer had expired on another CPU, or it had left to wait for a page.
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
