// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads through their activations: awake, waiting, stopped, limited, and with their present priority.
pub mod activation;
pub(crate) mod awaited;
pub mod departures;
pub(crate) mod holds;
pub mod limits;
pub mod loans;
pub mod raise;
pub mod signals;
pub mod wakeup;
