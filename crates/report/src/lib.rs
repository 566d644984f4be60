// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person reads about a run: the verdict, the table, the page.
//!
//! Everything here is a pure function of a [`backwall_model::Run`]. Reports format; they do not compute statistics, read files or
//! print.

pub mod advice;
pub mod answered_rate;
pub mod axis;
mod bench;
mod board;
pub mod brief;
pub mod checks;
pub mod comparison;
pub mod comparison_page;
pub mod contents;
pub mod cost;
pub mod drawing;
mod figure;
pub mod fleet;
pub mod forecast;
pub mod grid;
mod idle_cost;
pub mod iltiming;
pub mod interference;
pub mod interference_text;
pub mod limit;
pub mod osbench;
pub mod page;
pub mod paper;
mod part;
pub mod phrase;
pub mod picture;
mod plot;
pub mod prediction;
pub mod printable;
pub mod recorded_prediction;
pub mod run_entry;
pub mod section;
pub mod shared;
pub mod site;
pub mod table;
pub mod tasks;
pub mod tasks_text;
mod term;
pub mod text;
pub mod together;
pub mod trace;
pub mod trail;
pub mod trial;
pub mod tune;
pub mod verdict;
pub mod warnings;
pub mod watch;
pub mod wrap;
