// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of one response: at least one, since a blame that names nobody and says not why is no blame.
use super::{Cause, Culprit};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The part of a response that one cause and one culprit used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// Who, where the cause has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// How long, without what stood above it; nanoseconds, or instructions of a run in those.
    pub ns: u64,
}

/// The parts of one response, the largest first; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Shares(Vec<Share>);

impl Shares {
    /// These, in this order; `None` where there are none.
    pub fn of(shares: impl IntoIterator<Item = Share>) -> Option<Self> {
        let shares: Vec<Share> = shares.into_iter().collect();
        (!shares.is_empty()).then_some(Self(shares))
    }

    /// Of a response that took no time: nobody used any of it.
    pub fn of_no_time() -> Self {
        Self(vec![Share { cause: Cause::Unexplained, culprit: None, ns: 0 }])
    }
}

impl Deref for Shares {
    type Target = [Share];

    fn deref(&self) -> &[Share] {
        &self.0
    }
}
