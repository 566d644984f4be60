// SPDX-License-Identifier: MIT OR Apache-2.0
#![allow(dead_code, reason = "each program uses some of it")]
pub mod copied;
pub mod endless;
pub mod killed_at;
pub mod lacking;
pub mod lehoczky;
pub mod operations;
pub mod program;
pub mod python;
pub mod task_sets;
pub mod tool;
