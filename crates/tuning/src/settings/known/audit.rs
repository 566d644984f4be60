// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system calls of programs that the kernel logs.
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;

const ON: &str = "1";

/// Whether the audit is on. If it is locked until the next reboot (2), the kernel refuses a change, so no change is
/// planned.
pub const AUDIT: Setting = Setting {
    name: "audit",
    checks: &[],
    against: &[Suspect::Kernel("kauditd")],
    does: "stops the kernel's audit of system calls",
    harm: "the audit log stops; your company may require it",
    changes: |machine| {
        let is_on = Place::Audit.read(machine).is_ok_and(|now| now == ON);
        let off = || Change::to(machine, Place::Audit, "0");
        is_on.then(off).flatten().into_iter().collect()
    },
};
