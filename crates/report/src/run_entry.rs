// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run that stands among others on one page.
use backwall_model::Run;

/// A run among others.
pub struct RunEntry<'a> {
    /// What it is called here.
    pub name: String,
    /// Where its own page lies, as a link from the page of all.
    pub page: String,
    /// The run.
    pub run: &'a Run,
}
