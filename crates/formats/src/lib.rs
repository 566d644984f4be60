// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs and the files of other tools, both ways: bytes or text come in and a run goes out, or a run comes in and text goes out.
pub mod anonymize;
pub mod export;
pub mod import;
