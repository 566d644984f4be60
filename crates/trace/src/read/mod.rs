// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of the kernel's events in a file: of backwall, trace-cmd, perf, ftrace's text, Perfetto, CTF, and Detent's trail.
//!
//! A file is not trusted: an invalid part is an error that names its place, and memory does not grow with the file.
//!
//! - `about`: what a recording states about itself
//! - `beginnings`: where losses begin, in recordings that note only where a loss ends
//! - `ctf`: traces in the Common Trace Format: LTTng's, barectf's, Zephyr's
//! - `error`: why a recording cannot be read
//! - `extents`: a CPU's sub-buffers in a file, a piece at a time
//! - `field`: tests: texts of other people's traces with the right values
//! - `head`: the parts of the head that both versions of trace.dat have
//! - `input`: reads a file without trusting it: compares every length with the bytes that are left
//! - `layouts`: the events of the recorded kernel: the layouts of the events to decode, and the names of all events
//! - `merged`: plays several sources as one, each of which is in order of time
//! - `packed`: packed pieces of a recording, with lengths that are not trusted
//! - `pages`: sub-buffers of several CPUs, read from a file piece by piece and played in order of time
//! - `perf_data`: perf.data with events of the scheduler: the kernel's records within perf's samples
//! - `perf_order`: sorts perf's samples by time
//! - `perf_packed`: records that `perf record -z` packed
//! - `perf_pipe`: the head of a perf.data that was written into a pipe
//! - `perf_sample`: where a sample of perf has its time, its CPU and the kernel's record
//! - `perfetto`: traces of Perfetto, systing and wprof
//! - `played`: what a recording contained, after playing all of it
//! - `receiver`: takes the events of a recording
//! - `rings`: the trace instances of a trace.dat, and which of them is read
//! - `stored`: a recording in a file: its format, and its events one by one
//! - `rows`: the rows of a text, limited in length, without prefixes of mails or the kernel's log
//! - `text`: the text of ftrace or perf: a row per event, as the kernel, trace-cmd report or perf script prints it
//! - `text_fields`: reads the fields of a row of ftrace's text, in the kernel's format or trace-cmd's
//! - `text_latency`: a row of the kernel's latency format
//! - `text_measured`: measurements that tools wrote into the kernel's trace
//! - `text_perf`: a row of `perf script`
//! - `text_row`: one row of a text in its parts
//! - `text_shape`: which tool printed a text, and what each of its rows is
//! - `text_stack`: the kernel's stacks in a text, of several rows each
//! - `trace_dat`: a trace.dat of trace-cmd or backwall: determines its version
//! - `trace_dat_6`: the head of a trace.dat, version 6: trace-cmd.dat.v6(5)
//! - `trace_dat_7`: the head of a trace.dat, version 7: the parts of version 6 in sections that may be packed
//! - `tracer`: what a latency tracer states about its trace above the first row
//! - `tracked`: completes events that lack their CPU's thread or interrupts
//! - `trail`: Detent's trail, as the kernel prints it on its console (`docs/internals/detent.md`)
//! - `understood`: how much of a recording was understood, by one rule for all readers
//! - `wakings`: joins the two events that a kernel may record for one wakeup
pub mod about;
mod beginnings;
mod ctf;
pub mod error;
mod extents;
#[cfg(test)]
mod field;
mod head;
mod input;
mod layouts;
mod merged;
mod packed;
mod pages;
mod perf_data;
mod perf_order;
mod perf_packed;
mod perf_pipe;
mod perf_sample;
mod perfetto;
pub mod played;
pub mod receiver;
mod rings;
mod rows;
pub mod stored;
mod text;
mod text_counts;
mod text_fields;
mod text_latency;
mod text_measured;
mod text_perf;
mod text_row;
mod text_shape;
mod text_stack;
mod trace_dat;
mod trace_dat_6;
mod trace_dat_7;
pub mod tracer;
mod tracked;
mod trail;
mod understood;
mod wakings;
