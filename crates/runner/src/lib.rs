// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: the probe and the loads as processes, from their start to what was heard of them.
//!
//! [`phase`] runs one phase; a [`backwall_os::Stop`] and the [`Watch`] it is given make it
//! end early and show how far it is. No process outlives its [`child::Child`].
//!
//! The machine that measures:
//!
//! - `occupied`: whether another run of this tool uses the same processors at the same time
//! - `rivals`: real-time threads that the scheduler prefers to the probe, seen on the machine while a phase was measured
//! - `heat`: whether a measured processor was slowed down because it was too hot: the kernel counts that
//! - `pinned`: whether the measured threads stay on their processors
//! - `steal`: time that a hypervisor took, from `/proc/stat`
//! - `quotas`: whether a control group's quota kept what is measured from the processors meanwhile
//! - `busy`: how busy the CPUs were in a phase without load, and with which programs
//! - `split`: who has this machine's processors from second to second, from `/proc/stat`
//! - `thread_name`: the threads that a user names to be followed: by number, by name, or all of a process
//! - `attachee`: the user's own threads to which a measurement is attached: who they are, and whether they are still there
//! - `traced`: the command that is recorded: on the user's terminal, never longer alive than this tool, and told of a request to end
//!
//! Loads:
//!
//! - `loads`: the words for background loads: `NAME`, `NAME@PRIORITY`, `NAME*COPIES@FROM-TO`
//! - `placing`: loads as they were typed, placed on processors; what this probe does not have is refused by name
//! - `load`: the loads of a phase: started, proved alive, ended, and how far they came
//! - `own_load`: the user's own load: a command, alive as long as the processor time of all it started grows
//! - `pace`: how steadily a load worked, from its reports: it makes one a second, each with the units done so far
//!
//! A probe and what it says:
//!
//! - `child`: one process of the probe: its stream is read by a thread of its own
//! - `identity`: what the first words of a probe say of where it runs
//! - `notes`: what a probe or a load complains of: the first sentences, and how many more there were
//! - `probe_report`: what a probe said, record by record, made into series
//! - `unfinished_series`: a declared series while its samples come in: the one place where counts are subtracted
//! - `operation`: one operation: a probe of its own measures it, and its samples become a series
//! - `jobs`: what became of the jobs of a set: taken from the probe's stream, counted, and kept one by one
//! - `window`: the stretch of a schedule around the job that was worst by its deadline: back to where the processor was last free
//! - `imported_stream`: a stream that a probe wrote earlier or elsewhere, made into a run
//! - `short_series`: every listener, and well-formed streams whose series have another number of points than it expects: tests
//!
//! Phases, and a run of them:
//!
//! - `request`: what is asked of a measurement, made into a job: processors, phases, lengths
//! - `lengths`: how long the phases of a run last that has traced ones
//! - `phase`: one phase: loads up, probe through, loads down
//! - `task_set`: a set of tasks: loads up, the probe that runs it through, loads down
//! - `rows`: rows of `osbench`, one after the other: ours, and the tools of other suites beside them
//! - `peers`: other tools that measure an operation that we measure too: how they are asked, and what they say
//! - `iltiming`: one traced phase of `iltiming`: the timer's interrupt is the ISR, the probe's thread the IST
//! - `job`: phases and measures of a run, one after the other
//! - `part`: what one piece of a measurement gives to a run: figures, stages, loads, and what is to be said of them
//! - `assemble`: from measured parts to a run
//! - `keep`: every sample into `samples.parquet`, over all phases
//! - `clocks`: when a stretch of a run began, how long it has lasted, and under which conditions
//! - `checkpoint`: the run so far, written again and again by a thread of its own: anyone who kills the tool or the machine loses little
//! - `resumable`: whether what is asked for now is what an unfinished run was begun with
//! - `resumed`: a run and what was measured of it later, as one
//! - `watch`: what can be seen of a measurement while it runs
//! - `door`: anyone who knocks is given what was recorded of late, and the recording goes on
//! - `progress`: how far a session is: the time left, the worst so far, the phase
//! - `device`: the probe as a process, its rights and CPUs
//! - `tasks`: task sets that run, here or on a guest
pub mod assemble;
pub mod attachee;
mod busy;
pub mod checkpoint;
pub mod child;
mod clocks;
pub mod device;
pub mod door;
pub mod heat;
mod identity;
pub mod iltiming;
pub mod imported_stream;
pub mod job;
pub mod jobs;
pub mod keep;
pub mod lengths;
pub mod load;
pub mod loads;
pub mod notes;
pub mod occupied;
pub mod operation;
pub mod own_load;
pub mod pace;
pub mod part;
pub mod peers;
pub mod phase;
pub mod pinned;
pub mod placing;
pub mod probe_report;
pub mod progress;
mod quotas;
pub mod request;
pub mod resumable;
mod resumed;
pub mod rivals;
pub mod rows;
#[cfg(test)]
mod short_series;
mod split;
pub mod steal;
pub mod task_set;
pub mod tasks;
pub mod thread_name;
pub mod traced;
pub mod unfinished_series;
pub mod watch;
pub mod window;

pub use watch::Watch;
