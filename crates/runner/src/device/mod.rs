// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run is measured on: programs as processes of this machine, their rights and processors.
//!
//! - `carried`: programs that the tool carries packed
//! - `rights`: what this process may, handed on to the probe and to nothing else
//! - `target`: this machine, or another that a program of this machine speaks for: whose clock, which rights, how a probe is started on it
//! - `probe`: the probe on a device, and what it says that it can do
//! - `supervised`: a command of the user's, ended with this process however that ends
//! - `processors`: the processors that a user names
//! - `built`: where the probes for tests lie
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod built;
pub mod carried;
pub mod probe;
pub mod processors;
pub mod rights;
pub mod supervised;
pub mod target;
