// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run is measured on: programs as processes of this machine, their rights and processors.
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod built;
pub mod carried;
pub mod probe;
pub mod processors;
pub mod rights;
pub mod supervised;
pub mod target;
