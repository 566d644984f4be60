// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person reads of a run: the verdict, the table, the page.
//!
//! Everything here is a pure function of a [`crate::run::Run`]. Reports format;
//! they do not compute statistics, read files or print.

pub mod axis;
pub mod checks;
mod figure;
pub mod html;
mod idle_cost;
pub mod iltiming;
mod part;
pub mod phrase;
mod plot;
pub mod section;
pub mod svg;
pub mod table;
pub mod text;
pub mod verdict;
