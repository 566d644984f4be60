// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which threads of an application count, and what is reported about them every minute.
//!
//! A [`Recipe`] is data: how to recognize the processes and threads of an application, and the words of its users. [`found`]
//! applies a recipe to the processes of a machine. A [`Minute`] is the result of following them for one minute.
mod chain;
mod find;
mod minute;
mod own;
mod recipe;
mod shipped;

pub use chain::{Chain, HopTable};
pub use find::{AppThreads, Process, called, found, meant, process_of, processes, roots};
pub use minute::{Minute, Since, TheWorst};
pub use own::{AskedFor, OwnCount};
pub use recipe::{BadRecipe, Recipe};
pub use shipped::{GENERIC, shipped};
