// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of sets of tasks is.
use super::fault::Fault;
use super::set::Set;

/// One reader.
pub struct Format {
    /// For a reader of the documents.
    pub name: &'static str,
    /// Whether a text, without blanks at its start, is of this kind.
    pub begins: fn(&str) -> bool,
    /// The set in it; what we cannot do is refused by name.
    pub read: fn(&str) -> Result<Set, Fault>,
}
