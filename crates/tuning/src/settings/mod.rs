// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a machine that make responses late: what each is now, what it would be, and how it is set back.
//!
//! A [`Setting`] is a row of the table in [`known`]; on a [`Machine`] it comes to changes of places. Nothing is changed before
//! the [`journal`] has it on the disk, everything that was changed is read back, and what a trial left behind is set back by
//! anyone who opens the journal next.
//!
//! - [`boot`]: options of the boot line that are tried over a restart
//! - `machine`: a machine as files, and the processor that is measured
//! - `form`: how a place writes its value, and when two texts are the same value
//! - `place`: where a value stands: a file, a thread's processors, a thread's scheduling
//! - `setting`: a setting, and what it would change here
//! - `suspect`: what the time of a late response went to, as far as settings differ in what they can do about it
//! - [`known`]: every setting that the tool knows, one file a subject
//! - [`journal`]: what was changed, written down before it is
//! - `attempt`: one setting tried, and what became of it
//! - `decision`: what the two sides of a trial come to
//! - `plan`: what would change something here, in which order
//! - [`trial`]: the order of a trial, without a setting and with it
//! - `slices`: the loop that is measured in a trial: `backwall run` as a program of its own
//! - [`script`]: the same changes as a shell script with its undo
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
