// SPDX-License-Identifier: MIT OR Apache-2.0
//! Access to the operating system: files, threads and processes. Nothing blocks, and what is changed is restored.
//!
//! Files: [`regular_file`] opens files of others and reads them up to a limit, [`folder`] writes files completely or not at all,
//! [`parts`] removes what was left half-written, [`cache`] finds the user's cache, [`temporary`] makes folders that disappear
//! with their owner, [`readable`] waits for input, [`machine`] shows a machine as files below a root folder.
//!
//! Processes: [`program`] finds the file of a command, [`process`] starts a child that cannot outlive this process, [`apart`]
//! runs a program as another user, [`complaint`] is a child's last error line, [`threads`] lists all threads of the machine,
//! [`parallel`] does independent work on several threads, [`itself`] runs backwall as a separate process, [`peer`] says who is at
//! the other end of a socket.
//!
//! CPUs: [`affinity`] says where this process may run, [`smi`] counts system management interrupts, [`quota`] says what cgroup
//! quotas took, [`audit`] says whether the kernel's audit is on, [`interrupt_source`] says whether an interrupt can be moved,
//! [`realtime`] requests priority and locked memory, [`container`] says which container this process is in and how to give it
//! rights.
//!
//! [`private_mount`] mounts a file system for this process alone. [`refusal`] is the error type: one line for the user, and its
//! kind. [`stop`] is the user's request to stop. [`bpf`] attaches a small program to a tracepoint of the kernel.
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
