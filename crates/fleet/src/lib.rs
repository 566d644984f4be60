// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures many devices. Each is measured as a single device would be, and their results are never pooled.
//!
//! A [`plan`] names the devices and the measurements. backwall reaches each device through a program that opens a shell there
//! ([`shell`]). The device sends each run as one [`parcel`], which is stored once in the [`place`] of the fleet.
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
