// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that read no clock, measure nothing and emulate nothing: any number of them may run at once, next to anything.
//!
//! `cargo test --test pure page` runs those of one file.
#[path = "../common/mod.rs"]
mod common;

use common::{lacking, operations, python, task_sets, tool};

mod advice;
mod browser;
mod captures;
mod captures_memory;
mod causes;
mod chain;
mod chain_series;
mod check;
mod checkpoint_size;
mod compare;
mod contrib;
mod contrib_ansible;
mod documents;
mod dummy_source;
mod export;
mod export_doubtful;
mod export_elsewhere;
mod first_screen;
mod fleet;
mod forecast;
mod help;
mod import;
mod instruments;
mod known_answer;
mod known_causes;
mod known_circumstances;
mod named_files;
mod osbench;
mod page;
mod publish;
mod publish_repository;
mod quotations;
mod read_command;
mod recording_forms;
mod recording_instances;
mod recordings;
mod refusals;
mod report_command;
mod report_text;
mod rules;
mod run_file;
mod sample;
mod schema;
mod scope_command;
mod scope_symbols;
mod sealed;
mod tasks_hostile;
mod tasks_predict;
mod tasks_run;
mod timeline_page;
mod trace_golden;
mod wire_golden;
