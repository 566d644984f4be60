// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shares of one response. There is at least one: a blame without shares must say why it has none.
use super::{Cause, Culprit};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The part of a response that one cause and one culprit used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The cause.
    pub cause: Cause,
    /// The culprit, if the cause has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// Length of the part without nested parts, in nanoseconds or instructions.
    pub ns: u64,
}

/// The shares of one response, largest first; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Shares(Vec<Share>);

impl Shares {
    /// These shares, sorted; `None` if there are none.
    pub fn of(shares: impl IntoIterator<Item = Share>) -> Option<Self> {
        let shares: Vec<Share> = shares.into_iter().collect();
        (!shares.is_empty()).then_some(Self(shares))
    }

    /// The share of a response that took no time.
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
