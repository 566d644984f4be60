// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of the kernel's events that are in a file: of this tool, of trace-cmd, of perf, ftrace's text, and Detent's trail.
//!
//! A file is not believed: what does not fit is an error that says where, and memory does not grow with the file.
pub mod about;
pub mod error;
mod extents;
mod head;
mod input;
mod layouts;
mod packed;
mod pages;
mod perf_data;
mod perf_order;
mod perf_sample;
pub mod played;
pub mod receiver;
mod rings;
pub mod stored;
mod text;
mod text_fields;
mod trace_dat;
mod trace_dat_6;
mod trace_dat_7;
mod trail;
mod wakings;
