// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many devices, each measured as one would be, and never pooled.
//!
//! A [`plan`] names devices and what is measured on them. Each is reached by a program that gives a shell there ([`shell`]); what is
//! measured comes back as one [`parcel`], and is kept in the [`place`] of the fleet, each run once.
pub mod figures;
pub mod history;
pub mod parcel;
pub mod place;
pub mod plan;
pub mod reach;
pub mod recordings;
pub mod request;
pub mod shell;
pub mod spool;
pub mod steps;
pub mod stored;
