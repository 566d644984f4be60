// SPDX-License-Identifier: MIT OR Apache-2.0
//! Passes the capabilities of backwall's file to the carried probe and to no other program.
//!
//! The carried probe runs from memory and has no file that `setcap` could mark. Without this step the capabilities would end when
//! backwall starts it. A program that the user names never gets them, because the user could name any program.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use rustix::fs::{Access, access};
use rustix::thread::{CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities};
use std::os::unix::process::CommandExt;
use std::process::Command;

const HANDED_ON: [CapabilitySet; 2] = [CapabilitySet::SYS_NICE, CapabilitySet::IPC_LOCK];
/// While a process holds this device open, the kernel avoids C-states that take longer to leave than the number written to it.
const IDLE_DEVICE: &str = "/dev/cpu_dma_latency";

/// Raises the capabilities that this program's file permits. A program whose file grants capabilities directly (`setcap …+ep`)
/// cannot start where they are unavailable, for example in a container. A program whose file only permits capabilities (`setcap
/// …=p`) starts there without them. Call this function while the process has a single thread.
pub fn take_up() {
    let Ok(mut sets) = capabilities(None) else { return };
    let permitted = HANDED_ON.into_iter().filter(|right| sets.permitted.contains(*right));
    sets.effective |= permitted.fold(CapabilitySet::empty(), std::ops::BitOr::bitor);
    let _ = set_capabilities(None, sets);
}

/// Lets this command inherit the process's capabilities. If the kernel refuses, the started program reports what it lacks.
pub fn hand_on_to(command: &mut Command) {
    // SAFETY: between fork and exec only capget, capset and prctl are called, which are async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            HANDED_ON.into_iter().for_each(keep);
            Ok(())
        });
    }
}

/// Lets the programs that this process starts inherit `right`, if the process has it.
fn keep(right: CapabilitySet) {
    let Ok(mut sets) = capabilities(None) else { return };
    if sets.permitted.contains(right) {
        sets.inheritable |= right;
        let _ = set_capabilities(None, sets).and_then(|()| configure_capability_in_ambient_set(right, true));
    }
}

/// Whether backwall may keep the CPUs out of C-states; the check changes nothing.
pub fn idle_can_be_held() -> bool {
    access(IDLE_DEVICE, Access::WRITE_OK).is_ok()
}
