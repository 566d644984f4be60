// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hostile inputs without a fuzzing engine: every reader of outside data has a target, and every target survives damaged seeds.
mod brief;
mod readers;
#[path = "../../targets/mod.rs"]
mod targets;
