// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts files of other tools to runs, and runs to files for other tools.
pub mod anonymize;
pub mod export;
pub mod import;
