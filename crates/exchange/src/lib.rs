// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of other tools: what a tool wrote comes in as bytes or text, and a run comes out.
//!
//! [`import`] has a reader for each form, and the table that finds the reader by how a file begins.
pub mod import;
