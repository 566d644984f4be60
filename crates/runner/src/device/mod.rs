// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measured device: programs as processes of this machine, their rights and CPUs.
#[doc(hidden)] // for tests in other crates; not behind a feature, which would compile this crate a second time
pub mod built;
pub mod carried;
pub mod probe;
pub mod processors;
pub mod rights;
pub mod supervised;
pub mod target;
