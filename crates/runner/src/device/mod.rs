// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measured device: programs as processes of this machine, their rights and CPUs.
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod built;
pub mod carried;
pub mod probe;
pub mod processors;
pub mod rights;
pub mod supervised;
pub mod target;
