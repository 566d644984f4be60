// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings for other tools: one form a file.
//!
//! - `chrome`: chrome's JSON of a window: a row for each processor
//! - `csv`: a row for every stretch in which one held a processor
//! - `ctf`: a trace of CTF 1.8: a folder with its description and a stream for each processor
//! - `ctf_metadata`: what a trace of CTF 1.8 says of its own form, in the Trace Stream Description Language
//! - `foreign`: an event as other tools' forms have it: names beside numbers, interrupts by number, ends that have a begin
//! - `interrupts`: interrupts have numbers in other tools' forms, and ends that must match their begins
//! - `perfetto`: a trace of Perfetto: the scheduler's and the interrupts' events in its own form, so that its viewer draws processors
//! - `protobuf`: the few forms of Protocol Buffers that a trace of Perfetto needs
//! - `slices`: named stretches on tracks, as a trace of Perfetto
//! - `stretches`: gives every stretch in which one held a processor, as soon as it has ended
//! - `timeline`: the stretches and wakings of a window, as a page can draw them: rows, and what happened on each
//! - `trace_dat`: a trace.dat, version 6: what it takes to read the kernel's sub-buffers, and these as the kernel wrote them
pub mod chrome;
pub mod csv;
pub mod ctf;
mod ctf_metadata;
mod foreign;
mod interrupts;
pub mod perfetto;
mod protobuf;
pub mod slices;
pub mod stretches;
pub mod timeline;
pub mod trace_dat;
