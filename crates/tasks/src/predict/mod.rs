// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worst-case response times, computed from the tasks' computation times and the system's costs, in whole nanoseconds.
//!
//! Nothing here reads a file or a clock, and no floating-point number decides whether a deadline is met. The input is a
//! [`task::Processor`] with its tasks and costs. `arrival`, `work` and `supply` bound what delays a job and what the CPU
//! supplies; `fixed_priority` and `edf` search for the worst response; `processor` gives one answer per task, and `prediction`
//! one for the whole set.
pub mod answer;
pub mod arrival;
pub mod blocking;
pub mod chains;
pub mod constant;
pub mod curves;
pub mod edf;
pub mod fixed_priority;
pub mod global;
mod overhead;
mod phases;
pub mod poisson;
pub mod prediction;
pub mod processor;
pub mod recorded;
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
