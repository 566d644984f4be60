// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions of a measurement: clocks, steal time, heat, quotas, other programs and runs, and the CPUs of the threads.
pub(crate) mod busy;
pub(crate) mod clocks;
pub mod heat;
pub mod occupied;
pub mod pinned;
pub mod quotas;
pub mod rivals;
pub(crate) mod split;
pub mod steal;
