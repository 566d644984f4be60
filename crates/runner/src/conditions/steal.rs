// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that a hypervisor took, from `/proc/stat`.
use crate::conditions::split;

/// Ticks (10 ms) of steal since boot over all CPUs; `None` if unreadable.
pub fn ticks() -> Option<u64> {
    split::ticks().map(|ticks| ticks[split::STEAL])
}
