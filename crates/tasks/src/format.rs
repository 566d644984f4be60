// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of task set readers.
use super::fault::Fault;
use super::set::Set;

/// The reader of one file format.
pub struct Format {
    /// The format's name, for documents.
    pub name: &'static str,
    /// Whether a text without leading blanks is in this format.
    pub begins: fn(&str) -> bool,
    /// Reads a set. An unsupported field is an error that names it.
    pub read: fn(&str) -> Result<Set, Fault>,
}
