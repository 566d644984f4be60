// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scope: from edges on lines to latencies, pictures and tables.
//!
//! Pure: it reads and writes what it is handed, opens no file and reads no clock. `docs/how-it-works/pairing.md` states the rules and shows them
//! on examples. A file passes through `capture`, which knows its format by its first bytes, and becomes edges; `wiring` says which
//! line asks and which answer; `pairing` gives each stimulus its fate; `latency` and `completion` make series of these, and the
//! others pictures and searches.
//!
//! - [`analog`]: from volts to levels: a threshold with hysteresis
//! - [`request`]: what is asked for of a capture, found in it: its lines, their edges, lengths of time
//! - [`arrivals`]: latency against the instant of arrival, gathered in columns
//! - [`answered_rate`]: the highest frequency at which a line answers every pulse, from one recording
//! - [`capture`]: a capture of any kind, told apart by its first bytes
//! - [`completion`]: where the pulses of a response end: completion and run time
//! - [`contents`]: what a capture holds, before anything is asked of it
//! - `csv`: tables as logic analyzers and oscilloscopes export them
//! - [`edges`]: for each line the instants at which it changed level
//! - `fixture`: captures for tests that nobody can type
//! - [`format`](mod@format): what a reader of captures is, and what it gives
//! - [`joined`]: one capture from several files of one acquisition
//! - [`latency`]: from a pairing to a series of the run
//! - [`lines`]: lines of source by address, from an ELF file's debug information
//! - `listed`: the tests' own format, the shortest reader
//! - [`modes`]: where the instructions of a response were executed
//! - [`oscilloscope_binary`]: waveforms of Agilent, Keysight and Tektronix
//! - [`outcome`]: a run of a capture without its series
//! - [`owners`]: who ran when the stimuli of a sweep arrived
//! - [`pairing`]: which response answers which stimulus, in two assignments
//! - [`phase`]: how much of a circle the stimuli met
//! - [`recording`]: the instrument's edge file
//! - `rows`: levels of all lines in rows, as logic analyzers export them
//! - `saleae_binary`: Saleae Logic 2's binary export
//! - [`saturation`]: the highest frequency that each line bears, by a search
//! - [`screen`]: many triggered sweeps of one line laid over each other
//! - [`screens`]: what an oscilloscope's screens show of judged lines
//! - `seconds`: instants that a file writes as seconds, without a float between
//! - `sigrok`: session files of sigrok
//! - [`stamps`]: counts of a timestamper that looks at three lines, as edges
//! - [`sweep`]: latency against the instant of arrival, one instruction apart
//! - [`symbols`]: names of addresses, from an ELF file or a kernel's list
//! - [`tick`]: instants of a capture: whole ticks, and what one tick is
//! - [`timebase`]: the time axis of a screen
//! - [`trail`]: the functions between a stimulus and its answer, to the instruction
//! - [`vcd_read`]: reader of value change dumps
//! - [`vcd_write`]: edges as a value change dump
//! - [`wiring`]: which line asks and which lines answer
#![warn(missing_docs)]

pub mod analog;
pub mod answered_rate;
pub mod arrivals;
pub mod capture;
pub mod completion;
pub mod contents;
mod csv;
pub mod edges;
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod fixture;
pub mod format;
pub mod joined;
pub mod latency;
pub mod lines;
#[cfg(test)]
mod listed;
pub mod modes;
pub mod oscilloscope_binary;
pub mod outcome;
pub mod owners;
pub mod pairing;
pub mod phase;
pub mod recording;
pub mod request;
mod rows;
mod saleae_binary;
pub mod saturation;
pub mod screen;
pub mod screens;
mod seconds;
mod sigrok;
pub mod stamps;
pub mod sweep;
pub mod symbols;
pub mod tick;
pub mod timebase;
pub mod trail;
pub mod vcd_read;
pub mod vcd_write;
pub mod wiring;
