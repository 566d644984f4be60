// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a machine that make responses late: what each is now, what it would be, and how it is restored.
//!
//! A [`Setting`] is a row of the table in [`known`]; on a [`Machine`] it becomes changes of places. Nothing is changed before the
//! [`journal`] has it on the disk, everything changed is read back, and the next call that opens the journal restores what a
//! trial left.
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
