// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab: boots a guest in QEMU with the instrument attached and hands back what the scope saw.
//!
//! Time here is executed instructions. `docs/how-it-works/lab.md` says what that means and what it does not.
//!
//! A scenario and its guest:
//!
//! - `scenario`: a scenario: guest, load, generators, count and expectation, read from TOML
//! - `shipped`: the scenarios that the tool carries, and how a name or a file becomes one or several
//! - `machine`: the machines of the bench, one file and one line each: what a scenario's `machine = "NAME"` becomes
//! - `input`: the input of a machine that a generator pulses on: what a scenario's `input = "NAME"` becomes
//! - `generator`: a generator as a scenario describes it, and the instrument's arguments for it
//! - `guest`: the guests, one line each: what a scenario's `guest = "KIND:REST"` becomes
//! - `cpio`: writer of an initial file system: a cpio archive
//! - `task_guest`: Detent as the guest that runs task sets
//! - `task_set`: a set of tasks on Detent: the kernel with the probe, and the set beside it as the boot loader's module
//!
//! The emulator:
//!
//! - `emulator`: QEMU's command line, one function a concern, and which QEMU is there
//! - `instrument`: the instrument that the tool carries: the build that fits this QEMU, and its arguments for a scenario
//! - `settings`: what the bench is told beside the scenario
//! - `work_folder`: the folder a scenario works in
//! - `emulate`: one process of QEMU for a scenario: its command line, and where its machine begins
//! - `state_key`: everything in which two machines must be alike to have one saved state
//! - `shelf`: where saved states are kept: a folder that is the user's alone, of bounded size, each state whole or not there
//! - `saved_state`: guests that are up, kept so that they need not boot again
//! - `unit_key`: all that decides the result of a scenario, by which results of several machines are the same piece of work
//! - `bench`: one scenario on the bench: prepare the guest, run QEMU, read what the scope saw, say what went wrong
//!
//! What comes of it:
//!
//! - `result`: from what the scope saw of a scenario to a run
//! - `stream`: what a probe in the guest said on the instrument's channel, into the run
//! - `saturate`: the search for the highest frequency that a guest bears
//! - `sweep`: every arrival instant of a span, one instruction apart
//! - `cost`: how many instructions a program costs the whole guest for each wake-up that it makes, in user and in kernel mode
//! - `counted_programs`: the programs whose wake-ups are counted
//! - `recorder`: what it costs to record: programs for `cost`, each of which lets the guest's kernel record in one way
//! - `history`: the history between a good and a bad revision of a guest's sources, halved by git in a clone of its own
//! - `bisect`: the first revision of a guest's sources that fails a requirement: build, run, halve
//! - `trail`: one answer, to the instruction: entered again, and told as the functions executed between the edge and it
//! - `batch`: many runs of the lab as units that any engine may run

pub mod batch;
pub mod bench;
pub mod bisect;
pub mod cost;
pub mod counted_programs;
pub mod cpio;
mod emulate;
pub mod emulator;
pub mod generator;
pub mod guest;
pub mod history;
pub mod input;
pub mod instrument;
pub mod machine;
pub mod recorder;
pub mod result;
pub mod saturate;
pub mod saved_state;
pub mod scenario;
mod settings;
mod shelf;
pub mod shipped;
mod state_key;
pub mod stream;
pub mod sweep;
pub mod task_guest;
pub mod task_set;
pub mod trail;
pub mod unit_key;
pub mod work_folder;
