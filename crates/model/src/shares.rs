// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of one response: at least one, because a blame must name a cause or say why it cannot.
use super::{Cause, Culprit};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The part of a response that one cause and one culprit used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// The culprit, if the cause has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// Its length without nested parts; nanoseconds, or instructions.
    pub ns: u64,
}

/// The parts of one response, largest first; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Shares(Vec<Share>);

impl Shares {
    /// These, in order; `None` if empty.
    pub fn of(shares: impl IntoIterator<Item = Share>) -> Option<Self> {
        let shares: Vec<Share> = shares.into_iter().collect();
        (!shares.is_empty()).then_some(Self(shares))
    }

    /// For a response that took no time.
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
