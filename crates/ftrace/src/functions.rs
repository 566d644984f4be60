// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions of the running kernel, read once: the list has a quarter of a million lines.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use backwall_trace::event::symbols::Symbols;
use std::sync::{Arc, OnceLock};

/// All symbols of the kernel; none if it hides their addresses (`kernel.kptr_restrict`) or has no list.
pub(super) fn of_this_kernel() -> Arc<Symbols> {
    static KNOWN: OnceLock<Arc<Symbols>> = OnceLock::new();
    let read = || Arc::new(Symbols::parse(&std::fs::read_to_string("/proc/kallsyms").unwrap_or_default()));
    KNOWN.get_or_init(read).clone()
}
