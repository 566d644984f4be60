// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steal time: time that a hypervisor took from this machine's CPUs, from `/proc/stat`.
use crate::conditions::split;

pub fn ticks() -> Option<u64> {
    split::ticks().map(|ticks| ticks[split::STEAL])
}
