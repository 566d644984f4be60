// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that start an emulator. Their figures are counts of instructions and edges, so they may run beside those of `pure`.
#[path = "../common/mod.rs"]
mod common;

use common::{lacking, lehoczky, task_sets, tool};

mod campaign;
mod campaign_bisect;
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
mod pico;
mod recipes;
mod tasks_detent;
