// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of how commands end and what they leave. They mostly wait, so many run at once. None judges a measured time.
#[path = "../common/mod.rs"]
mod common;

use common::{copied, killed_at, lacking, operations, tool};

mod abuse;
mod attach;
mod checkpoints;
mod circumstances;
mod doubts;
mod endings;
mod fetched_apart;
mod first_day;
mod fleet;
mod killed;
mod limited;
mod memory;
mod metrics;
mod quotas;
mod respond;
mod rights;
mod second_process;
mod trace_instance;
mod track_command;
mod tune;
mod tune_boot;
mod tune_kills;
mod watch;
