// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of the kernel's events that are in a file: of this tool, of trace-cmd, of perf, ftrace's text, and Detent's trail.
//!
//! A file is not believed: what does not fit is an error that says where, and memory does not grow with the file.
//!
//! - `about`: what a recording says of itself
//! - `beginnings`: where losses begin, in recordings that tell of a loss only where it ends
//! - `ctf`: traces in the Common Trace Format: LTTng's, barectf's, Zephyr's
//! - `error`: why a recording cannot be read
//! - `extents`: a processor's sub-buffers as they lie in a file, a piece at a time
//! - `field`: tests: texts of other people's traces with the right values
//! - `head`: the parts of a trace.dat's head, which both of its versions have
//! - `input`: a file that is not believed: every length that it states is held against what is left of it
//! - `layouts`: the events of the kernel that was recorded: which of them are decoded, and the names of all for counting
//! - `merged`: several sources, each in order of time, played as one
//! - `packed`: pieces of a recording that are packed: each says how long it is, packed and unpacked, and neither is believed
//! - `pages`: sub-buffers of several processors, read from a file piece by piece and played in order of time
//! - `perf_data`: perf.data with events of the scheduler, as `perf sched record` makes it: the kernel's records within perf's samples
//! - `perf_order`: puts perf's samples in order of time
//! - `perf_packed`: records of perf that `perf record -z` packed
//! - `perf_pipe`: the head of a perf.data that was written into a pipe
//! - `perf_sample`: where a sample of perf has its time, its processor and the kernel's record: perf_event_open(2), PERF_RECORD_SAMPLE
//! - `perfetto`: traces of Perfetto: its own recorder's, systing's and wprof's
//! - `played`: what was in a recording, once all of it was played
//! - `receiver`: what takes the events of a recording
//! - `rings`: the trace instances of a trace.dat, each with rings of its own, and which of them is read
//! - `stored`: a recording in a file: which form it has, and its events one by one
//! - `rows`: the rows of a text, none longer than is believed, without what a mail or the kernel's log put before them
//! - `text`: the text of ftrace or of perf: a row an event, as the kernel's `trace` file, trace-cmd report and perf script print them
//! - `text_fields`: what a row of ftrace's text says of its event, in the kernel's words or in those of trace-cmd
//! - `text_latency`: a row of the kernel's latency format
//! - `text_measured`: what tools measured themselves and wrote into the kernel's trace
//! - `text_perf`: a row of `perf script`
//! - `text_row`: one row of a text in its parts
//! - `text_shape`: which tool printed a text, and what each of its rows is
//! - `text_stack`: the kernel's stacks in a text, of several lines each
//! - `trace_dat`: a trace.dat as trace-cmd and this tool write it: which version it is
//! - `trace_dat_6`: the head of a trace.dat, version 6: trace-cmd.dat.v6(5)
//! - `trace_dat_7`: the head of a trace.dat, version 7: the parts of version 6 in sections that may be packed
//! - `tracer`: what a latency tracer says of its own trace above the first row
//! - `tracked`: completes events that don't tell the thread or the interrupts of their CPU
//! - `trail`: detent's trail, as the kernel prints it on its console: a row a switch, an interrupt, an ISR's answer (`docs/internals/detent.md`)
//! - `understood`: how much of a recording was understood: one rule for all readers
//! - `wakings`: two events tell of one waking, its begin and its end
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
