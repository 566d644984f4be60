// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows an application: waits for its threads, measures them in one or more sessions, and reports each minute as it ends.
pub mod chains;
pub mod following;
pub mod late;
pub mod live;
mod newcomers;
pub mod own;
pub mod page;
pub mod recipes;
pub mod target;

pub use following::{Following, Teller};
pub use page::Served;
pub use target::{Target, Threads};
