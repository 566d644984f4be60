// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exit codes of the programs, and the errors that choose one.
pub use backwall_os::refusal::{Exit, NoRight, Refusal, code_of, unable, undecided, usage};
