// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that a hypervisor took, from `/proc/stat`.
use crate::conditions::split;

pub fn ticks() -> Option<u64> {
    split::ticks().map(|ticks| ticks[split::STEAL])
}
