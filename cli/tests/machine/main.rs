// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that measure this machine, or keep its processors busy at real-time priority: alone, one at a time (`--test-threads=1`), because each would be the next one's cause.
#[path = "../common/mod.rs"]
mod common;

use common::{lacking, lehoczky, operations, task_sets, tool};

mod applications;
mod contrib;
mod iltiming;
mod interfere;
mod lock_holders;
mod osbench;
mod page_faults;
mod processors;
mod tasks_constants;
mod tasks_lehoczky;
mod tasks_limit;
mod tasks_run;
mod trace_live;
