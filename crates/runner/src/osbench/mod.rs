// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations of the system, measured one by one and next to other suites.
pub mod operation;
pub mod peers;
pub mod rows;
