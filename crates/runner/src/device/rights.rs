// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rights of the tool's own file, passed to the probe that it carries and to nothing else.
//!
//! That probe runs from memory and so has no file that `setcap` could mark; without this step the rights of the tool would end
//! when it starts. A program from outside never gets them: the user who names it could name any program.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use rustix::fs::{Access, access};
use rustix::thread::{CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities};
use std::os::unix::process::CommandExt;
use std::process::Command;

const HANDED_ON: [CapabilitySet; 2] = [CapabilitySet::SYS_NICE, CapabilitySet::IPC_LOCK];
/// While it is open and holds a number, the kernel keeps the processors out of slower idle states.
const IDLE_DEVICE: &str = "/dev/cpu_dma_latency";

/// Raises the capabilities that this program's file permits. A file that grants them directly (`setcap …+ep`) could not start at all
/// where they are unavailable, as in a container; one that permits them (`setcap …=p`) runs there without. Called with a single thread.
pub fn take_up() {
    let Ok(mut sets) = capabilities(None) else { return };
    let permitted = HANDED_ON.into_iter().filter(|right| sets.permitted.contains(*right));
    sets.effective |= permitted.fold(CapabilitySet::empty(), std::ops::BitOr::bitor);
    let _ = set_capabilities(None, sets);
}

/// Lets this command inherit the process's capabilities; if the kernel refuses, the program reports what it lacks.
pub fn hand_on_to(command: &mut Command) {
    // SAFETY: between fork and exec only capget, capset and prctl are called, which are async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            HANDED_ON.into_iter().for_each(keep);
            Ok(())
        });
    }
}

/// Lets programs started by this process inherit `right`, if it has it.
fn keep(right: CapabilitySet) {
    let Ok(mut sets) = capabilities(None) else { return };
    if sets.permitted.contains(right) {
        sets.inheritable |= right;
        let _ = set_capabilities(None, sets).and_then(|()| configure_capability_in_ambient_set(right, true));
    }
}

/// Whether the processors can be kept out of idle states; reading the answer changes nothing.
pub fn idle_can_be_held() -> bool {
    access(IDLE_DEVICE, Access::WRITE_OK).is_ok()
}
