// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures as data: what was seen, not how it is drawn. The report alone draws.
use serde::{Deserialize, Serialize};

/// One picture of a run, told apart by `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Picture {
    /// Of a kind that this version cannot draw.
    #[serde(other)]
    Unknown,
}
