// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application followed: its threads are found and waited for, measured in stretches, and each minute is reported as it ends.
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
