// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: the probe and the loads as processes, from their start to what was heard of them.
//!
//! [`phase`] runs one phase; a [`backwall_os::Stop`] and the [`Watch`] it is given make it
//! end early and show how far it is. No process outlives its [`stream::child::Child`].
pub mod attached;
pub mod conditions;
pub mod device;
pub mod iltiming;
pub mod interfere;
pub mod loads;
pub mod osbench;
pub mod phase;
pub mod request;
pub mod session;
pub mod stream;
pub mod tasks;

pub use session::watch::Watch;
