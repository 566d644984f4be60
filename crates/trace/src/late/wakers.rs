// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a response waited for before its thread was made ready: its own timer on another processor, or a waker that was late
//! itself, back to the first that was.
//!
//! A waker is followed where somebody relies on it: a real-time thread, or one that its own timer was to make ready. How late
//! it came is passed on once to each thread that it makes ready; what it did since it came is nobody's lateness.
use crate::blame::{Blame, Wakers, WakersEnd};
use crate::event::Thread;
use std::sync::Arc;

/// Wakers that are followed back; a chain that is longer is told to be.
const LINKS_MAX: usize = 16;

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
}

impl Chain {
    /// A thread came so late itself, after what it had waited for before.
    pub(super) fn of(thread: Thread, ns: u64, blame: Blame, before: Option<&Before>) -> Arc<Self> {
        let mut chain = Self { links: vec![Link { thread, ns, blame }], end: WakersEnd::First };
        match before {
            None => {}
            Some(Before::OwnTimer { ns, blame }) => {
                chain.links[0].ns += ns;
                chain.links[0].blame.join(blame.clone());
            }
            Some(Before::Waker(waker)) => {
                let before = waker.links.iter().take(LINKS_MAX - 1).cloned();
                chain.links.extend(before);
                chain.end = if waker.links.len() < LINKS_MAX { waker.end } else { WakersEnd::TooMany };
            }
        }
        Arc::new(chain)
    }

    /// Nothing is known of how late this waker came.
    pub(super) fn missing(thread: Thread) -> Arc<Self> {
        Arc::new(Self { links: Vec::new(), end: WakersEnd::Missing(thread) })
    }

    /// Those that are no part of a circle through this thread.
    fn without(&self, id: i32) -> impl Iterator<Item = &Link> {
        self.links.iter().take_while(move |link| link.thread.id != id)
    }
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
    /// A thread that was late itself made it ready.
    Waker(Arc<Chain>),
}

impl Before {
    /// How long it was, for the thread of that number.
    pub(super) fn ns(&self, id: i32) -> u64 {
        match self {
            Self::OwnTimer { ns, .. } => *ns,
            Self::Waker(chain) => chain.without(id).map(|link| link.ns).sum(),
        }
    }

    /// Adds it to what is said of that thread's response.
    pub(super) fn join(&self, id: i32, blame: &mut Blame) {
        match self {
            Self::OwnTimer { blame: before, .. } => blame.join(before.clone()),
            Self::Waker(chain) => {
                chain.without(id).for_each(|link| blame.join(link.blame.clone()));
                let late: Vec<Thread> = chain.without(id).map(|link| link.thread).collect();
                let circle = chain.links.get(late.len()).map(|link| WakersEnd::Circle(link.thread));
                blame.wakers = Wakers { late, end: circle.unwrap_or(chain.end) };
            }
        }
    }
}
