// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run that stands among others on one page.
use backwall_model::Run;

pub struct RunEntry<'a> {
    pub name: String,
    /// Where its own page lies, as a link from the page of all.
    pub page: String,
    pub run: &'a Run,
}
