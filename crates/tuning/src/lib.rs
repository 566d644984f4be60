// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a machine that affect its latency: read, checked, tried one at a time, and restored.
pub mod check;
pub mod settings;
