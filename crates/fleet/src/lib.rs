// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many devices, each measured as one would be, and never pooled.
//!
//! A [`plan`] names devices and what is measured on them. Each is reached by a program that gives a shell there ([`shell`]); what is
//! measured comes back as one [`parcel`], and is kept in the [`place`] of the fleet, each run once.
//!
//! - `plan`: the file of a fleet: which devices, and what is measured
//! - `shell`: a shell on a device, and the words that it is given
//! - `request`: by what a run is known on the device that makes it, so that a later call fetches it
//! - `reach`: carries out what is measured on one device
//! - `parcel`: the files of a run as a device sends them
//! - `recordings`: what the processes of a device that record give of the last minutes, as the device sends it
//! - `spool`: runs that devices have pushed into a folder, until they are kept
//! - `stored`: the history of a device, from the runs that are kept of it
//! - `history`: what became of each device over time: its runs in order, gaps, changes of its kernel, its worst
//! - `figures`: the figures of a fleet as one Parquet file, by device, kernel and day
//! - `steps`: where a figure of a device went to another level, whatever was changed then
//! - `place`: the folder of a fleet: its runs by device, kernel and day
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
