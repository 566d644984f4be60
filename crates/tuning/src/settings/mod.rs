// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a machine that affect its latency: the current value, the proposed value, and how to restore it.
//!
//! A [`Setting`] is a row of the table in [`known`]; on a [`Machine`] it becomes changes of places. The [`journal`] has each
//! change on the disk before it is made, and each changed value is read back. The next call that opens the journal restores what
//! a trial left.
mod attempt;
pub mod boot;
mod decision;
mod form;
pub mod journal;
pub mod known;
mod machine;
mod place;
mod plan;
pub mod script;
mod setting;
pub mod slices;
mod suspect;
pub mod trial;

pub use attempt::{Broken, Measure, Outcome, try_setting};
pub use decision::Decision;
pub use form::Form;
pub use machine::Machine;
pub use place::{Place, Refused};
pub use plan::{PlannedSetting, UnreachedTime, left, plan};
pub use setting::{Change, Setting};
pub use suspect::Suspect;
