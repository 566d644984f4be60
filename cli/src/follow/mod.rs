// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application followed: its threads are found and waited for, measured in stretches, and each minute is reported as it ends.
//!
//! - `target`: what is followed: an application by its recipe, a process by number or name, or a command that is started here
//! - `recipes`: every recipe there is: the user's, the machine's, the tool's
//! - `following`: from the first thread that is found to the end: stretch after stretch, minute after minute, as one run
//! - `newcomers`: threads that it makes while it is followed
//! - `late`: the log of late responses
//! - `live`: the view in the terminal
//! - `own`: what the application itself says of late responses
//! - `page`: the page that follows, on this machine's own address
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
