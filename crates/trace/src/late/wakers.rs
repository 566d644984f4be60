// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a response waited for before its thread was made ready: its own timer on another processor, a page, or a waker that was late
//! itself, back to the first that was.
//!
//! A waker is followed where somebody relies on it: a real-time thread, or one that its own timer was to make ready. One in between, which
//! such a thread made ready, is followed for a real-time thread that it makes ready itself: both ends are relied on. How late
//! it came is passed on once to each thread that it makes ready; what it did since it came is nobody's lateness.
use crate::blame::{Blame, Cause, Share, Wakers, WakersEnd};
use crate::event::Thread;
use std::sync::Arc;

/// Wakers that are followed back; a chain that is longer is told to be.
pub(super) const LINKS_MAX: usize = 16;

/// One late thread of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    thread: Thread,
    /// How late it came, without what those before it were late.
    ns: u64,
    /// Who used that time.
    blame: Blame,
}

/// A thread that came late, and those that had made it so, the nearest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    links: Vec<Link>,
    end: WakersEnd,
    /// Nobody relies on its first thread but real-time threads that it makes ready.
    in_between: bool,
}

impl Chain {
    /// A thread came so late itself, after what it had waited for before.
    pub(super) fn of(thread: Thread, ns: u64, blame: Blame, before: Option<&Before>) -> Arc<Self> {
        let links = vec![Link { thread, ns, blame }];
        let mut chain = Self { links, end: WakersEnd::First, in_between: false };
        match before {
            None => {}
            Some(Before::OwnTimer { ns, blame }) => {
                chain.links[0].ns += ns;
                chain.links[0].blame.join(blame.clone());
            }
            Some(Before::Page { ns }) => {
                chain.links[0].ns += ns;
                chain.links[0].blame.join(page(*ns));
            }
            Some(Before::Waker(waker)) => {
                let before = waker.links.iter().take(LINKS_MAX - 1).cloned();
                chain.links.extend(before);
                chain.end = if waker.links.len() < LINKS_MAX { waker.end } else { WakersEnd::TooMany };
            }
        }
        Arc::new(chain)
    }

    /// The same, of a thread on which nobody relies but real-time threads that it makes ready.
    pub(super) fn in_between(self: Arc<Self>) -> Arc<Self> {
        Arc::new(Self { in_between: true, ..Arc::unwrap_or_clone(self) })
    }

    /// Whether what its first thread was late is lateness of this one, where it makes that ready.
    pub(super) fn makes_late(&self, woken: Option<Thread>) -> bool {
        !self.in_between || woken.is_some_and(|thread| !thread.is_ordinary())
    }

    /// Nothing is known of how late this waker came.
    pub(super) fn missing(thread: Thread) -> Arc<Self> {
        Arc::new(Self { links: Vec::new(), end: WakersEnd::Missing(thread), in_between: false })
    }

    /// Those that are no part of a circle through this thread.
    fn without(&self, id: i32) -> impl Iterator<Item = &Link> {
        self.links.iter().take_while(move |link| link.thread.id != id)
    }
}

/// The time in which a thread was away for a page.
fn page(ns: u64) -> Blame {
    Blame::of(vec![Share { cause: Cause::PageFault, culprit: None, ns, longest_ns: ns }])
}

/// What was before a thread was made ready.
#[derive(Clone, Debug)]
pub(super) enum Before {
    /// Its own timer expired so long before that, on a processor to which the thread did not come.
    OwnTimer {
        /// How long.
        ns: u64,
        /// Who used that time.
        blame: Blame,
    },
    /// It had left so long before that for a page that was not there. No thread waits for that of its own will.
    Page {
        /// How long.
        ns: u64,
    },
    /// A thread that was late itself made it ready.
    Waker(Arc<Chain>),
}

impl Before {
    /// How long it was, for the thread of that number.
    pub(super) fn ns(&self, id: i32) -> u64 {
        match self {
            Self::OwnTimer { ns, .. } | Self::Page { ns } => *ns,
            Self::Waker(chain) => chain.without(id).map(|link| link.ns).sum(),
        }
    }

    /// Adds it to what is said of that thread's response.
    pub(super) fn join(&self, id: i32, blame: &mut Blame) {
        match self {
            Self::OwnTimer { blame: before, .. } => blame.join(before.clone()),
            Self::Page { ns } => blame.join(page(*ns)),
            Self::Waker(chain) => {
                chain.without(id).for_each(|link| blame.join(link.blame.clone()));
                let late: Vec<Thread> = chain.without(id).map(|link| link.thread).collect();
                let circle = chain.links.get(late.len()).map(|link| WakersEnd::Circle(link.thread));
                blame.wakers = Wakers { late, end: circle.unwrap_or(chain.end) };
            }
        }
    }
}
