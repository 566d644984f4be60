// SPDX-License-Identifier: MIT OR Apache-2.0
//! The right to real-time priority and locked memory: how it is granted on this machine, or in this container.
use super::{Machine, cgroup, limits};
use backwall_model::RefusedPriority;
use backwall_os::realtime;

/// Whether the kernel refuses real-time `priority`, and how to grant it; `None` if it is granted.
pub fn refused(priority: u32) -> Option<RefusedPriority> {
    let asked = realtime::granted(u8::try_from(priority).unwrap_or(u8::MAX));
    let machine = Machine::under(std::path::Path::new("/"), 0);
    let of = |error: std::io::Error| RefusedPriority {
        priority,
        error: error.to_string(),
        remedy: if limits::may_have(&machine, priority) { cgroup::remedy(&machine) } else { limits::remedy(&machine) },
    };
    asked.err().map(of)
}

/// How to grant this process real-time priority and locked memory, on the machine or in a container.
pub fn rights_remedy() -> String {
    limits::remedy(&Machine::under(std::path::Path::new("/"), 0))
}
