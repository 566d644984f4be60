// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system on which the tool runs: files, threads and processes, asked for without waiting and left as they were found.
//!
//! Files: [`regular_file`] opens what others wrote and reads it up to a limit, [`folder`] writes what is whole or not there, [`parts`] takes away
//! what was left half-written, [`cache`] is where the user's cache is, [`temporary`] makes folders that go with their owner, [`readable`] waits for what can be read, [`machine`] is a machine as files below a root. Processes: [`program`] finds the file of a command, [`process`] starts a child that cannot outlive this one, [`apart`] lets one have another user's rights and none of ours, [`complaint`] is what such a child said
//! last, [`threads`] lists everybody's threads, [`parallel`] does independent work on several of our own, [`itself`] runs this tool as a program of its own, [`peer`] says who is at the other end of a socket. The processor: [`affinity`] says where this process may run, [`smi`] counts
//! what firmware took, [`quota`] what control groups were refused, [`audit`] whether the kernel writes down what programs do, [`interrupt_source`] whether an interrupt can be moved, [`realtime`] asks for priority and locked memory,
//! [`container`] says what holds this process and how rights are handed into that. [`private_mount`] mounts a file system for
//! this process alone. [`refusal`] is the error of all this: one line for the user, and its kind; [`stop`] is the user's request to stop. [`bpf`] puts a small program of ours at a tracepoint of the kernel.
pub mod affinity;
pub mod apart;
pub mod audit;
pub mod bpf;
pub mod cache;
pub mod complaint;
pub mod console;
pub mod container;
pub mod folder;
pub mod interrupt_source;
pub mod itself;
pub mod machine;
pub mod parallel;
pub mod parts;
pub mod peer;
pub mod private_mount;
pub mod process;
pub mod program;
pub mod quota;
pub mod readable;
pub mod realtime;
pub mod refusal;
pub mod regular_file;
pub mod smi;
pub mod stop;
pub mod temporary;
pub mod threads;

pub use stop::Stop;
