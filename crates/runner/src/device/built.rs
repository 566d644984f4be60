// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths of the probes in the build folder, for tests.

pub const PROBE: &str = concat!(env!("OUT_DIR"), "/probe/probe");
pub const FAKE: &str = concat!(env!("OUT_DIR"), "/probe/probe-fake");
pub const DUMMY: &str = concat!(env!("OUT_DIR"), "/probe/probe-dummy");
pub const DUMMY_LINUX: &str = concat!(env!("OUT_DIR"), "/probe/probe-dummy-linux");
