// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests that can run beside each other, as one program: each program of tests costs a link of the whole tool.
//!
//! `cargo test --test all page` runs those of one file. Those that start themselves again, or that want the machine's
//! tracing to themselves, are programs of their own.
mod browser;
mod lacking;
mod sample;

mod abuse;
mod attach;
mod captures;
mod captures_memory;
mod check;
mod checkpoints;
mod circumstances;
mod compare;
mod contrib;
mod copied;
mod documents;
mod doubts;
mod dummy_source;
mod endings;
mod export;
mod first_version;
mod help;
mod iltiming;
mod import;
mod instruments;
mod interfere;
mod known_answer;
mod known_causes;
mod lab_bare;
mod lab_bisect;
mod lab_detent;
mod lab_halt;
mod lab_image;
mod lab_processes;
mod lab_profiles;
mod lab_states;
mod lock_holders;
mod osbench;
mod page;
mod page_faults;
mod pico;
mod processors;
mod read_command;
mod recording_forms;
mod recording_instances;
mod recordings;
mod refusals;
mod report_command;
mod report_text;
mod respond;
mod rights;
mod run_file;
mod schema;
mod scope_command;
mod scope_symbols;
mod tasks_hostile;
mod tasks_lehoczky;
mod tasks_limit;
mod tasks_predict;
mod tasks_run;
mod timeline_page;
mod trace_golden;
mod track_command;
mod wire_golden;
