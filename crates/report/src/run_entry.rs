// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run among others on one page.
use backwall_model::Run;

pub struct RunEntry<'a> {
    pub name: String,
    pub page: String,
    pub run: &'a Run,
}
