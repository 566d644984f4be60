// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probes as files, where the build has left them: for tests.

/// The probe of this machine.
pub const PROBE: &str = concat!(env!("OUT_DIR"), "/probe/probe");
/// The probe with a scripted clock: it measures nothing.
pub const FAKE: &str = concat!(env!("OUT_DIR"), "/probe/probe-fake");
/// The probe of a device without a system.
pub const DUMMY: &str = concat!(env!("OUT_DIR"), "/probe/probe-dummy");
/// The same with what Linux says of itself.
pub const DUMMY_LINUX: &str = concat!(env!("OUT_DIR"), "/probe/probe-dummy-linux");
