// SPDX-License-Identifier: MIT OR Apache-2.0
//! A measurement session: starts the probe and the loads as processes and collects their output.
//!
//! [`phase`] runs one phase. A [`backwall_os::Stop`] ends it early, and a [`Watch`] shows its progress. No process outlives its
//! [`stream::child::Child`].
pub mod attached;
pub mod conditions;
pub mod device;
pub mod iltiming;
pub mod interfere;
pub mod loads;
pub mod osbench;
pub mod phase;
pub mod request;
pub mod schedule;
pub mod session;
pub mod stream;
pub mod tasks;

pub use session::watch::Watch;
