// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs and the files of other tools, both ways: bytes or text come in and a run goes out, or a run comes in and text goes out.
//!
//! - `import`: a reader for each form of result, and the table that finds the reader by how a file begins
//! - `export`: a form for another tool a file
//! - `anonymize`: a run without names of hosts, users, paths and serial numbers
pub mod anonymize;
pub mod export;
pub mod import;
