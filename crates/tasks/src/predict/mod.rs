// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worst-case response times from what tasks compute and what the system costs: pure, in whole nanoseconds.
//!
//! Nothing here reads a file or a clock, and no floating-point number decides whether a deadline is met. A [`task::Processor`]
//! with its tasks and costs goes in; `arrival`, `work` and `supply` bound what delays a job and what the processor gives;
//! `fixed_priority` and `edf` search the worst response; `processor` gives one answer a task, and `prediction` one of the whole set.
//!
//! - [`answer`]: what is reported about a task: a bound with its terms, or why there is none
//! - [`arrival`]: how often work can arrive in any window
//! - [`blocking`]: what less urgent tasks can cost a job once
//! - [`constant`]: a constant of the system with where it comes from
//! - [`edf`]: earliest deadline first on one processor: exact demand test and response times
//! - [`fixed_priority`]: response times under fixed priorities
//! - [`global`]: earliest deadline first on several processors that share all tasks
//! - `overhead`: what the system's own work costs every task
//! - `phases`: the worst responses where the first release of every task is known: the schedule itself, gone through
//! - [`poisson`]: events without memory: how many a window holds, and waiting for one server
//! - [`prediction`]: a whole set: every processor with its answers
//! - [`processor`]: the answers for all tasks of one processor
//! - [`sensitivity`]: how much may grow before the first deadline is missed
//! - [`supply`]: what a processor gives: all of its time, or a share
//! - [`task`]: tasks, what they share a processor with, and what the system costs
//! - [`utilization`]: shares of a processor's time, rounded both ways
//! - [`wakeup`]: the wake-up latency of Linux from its parts
//! - [`windows_ce`]: the latency of interrupts in the form of the Windows CE papers
//! - [`work`]: work that delays others, and the least window that all of it fits into
//! - `global_oracle`: these tests against a simulation of the schedule
//! - `oracles`: random sets against two independent judges
//! - `vectors`: published examples, term by term
pub mod answer;
pub mod arrival;
pub mod blocking;
pub mod constant;
pub mod edf;
pub mod fixed_priority;
pub mod global;
mod overhead;
mod phases;
pub mod poisson;
pub mod prediction;
pub mod processor;
pub mod sensitivity;
pub mod supply;
pub mod task;
pub mod utilization;
pub mod wakeup;
pub mod windows_ce;
pub mod work;

#[cfg(test)]
mod global_oracle;
#[cfg(test)]
mod oracles;
#[cfg(test)]
mod vectors;
