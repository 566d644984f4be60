// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that start an emulator. Their figures are counts of instructions and edges, so they may run beside those of `pure`.
#[path = "../../../../cli/tests/common/mod.rs"]
mod common;

use common::{lacking, lehoczky, python, task_sets, tool};

mod batch;
mod batch_bisect;
mod engines;
mod first_day;
mod help;
mod lab_bare;
mod lab_bisect;
mod lab_detent;
mod lab_detent_arm64;
mod lab_ended;
mod lab_halt;
mod lab_image;
mod lab_lacking;
mod lab_processes;
mod lab_profiles;
mod lab_read_back;
mod lab_states;
mod lab_trail;
mod named_files;
mod pico;
mod planted;
mod recipes;
mod refusals;
mod tasks_detent;
