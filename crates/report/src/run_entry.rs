// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run among others on one page.
use backwall_model::Run;

pub struct RunEntry<'a> {
    pub name: String,
    /// Link to its own page from the common one.
    pub page: String,
    pub run: &'a Run,
}
