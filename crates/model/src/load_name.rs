// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of the loads of the probe, in the order of its table (`probe/tables.c`). The tool's tests ask the probe that it carries.

/// All of them.
pub const LOADS: [&str; 13] = [
    "polygons", "spin", "cache", "memory", "syscalls", "handoff", "disk", "loopback", "idle1", "idle2", "idle3",
    "idle4", "idle5",
];
