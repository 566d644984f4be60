// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of task set readers.
use super::fault::Fault;
use super::set::Set;

/// One reader.
pub struct Format {
    /// For a reader of the documents.
    pub name: &'static str,
    /// Whether a text, without blanks at its start, is of this kind.
    pub begins: fn(&str) -> bool,
    /// Its set; unsupported members are refused by name.
    pub read: fn(&str) -> Result<Set, Fault>,
}
