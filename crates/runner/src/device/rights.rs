// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rights of the tool's own file, handed on to the probe that it carries and to nothing else.
//!
//! That probe runs from memory and so has no file of its own that `setcap` could mark; without this step the rights of
//! the tool would end at its start. A program from outside never gets them: anyone who names it could name any program.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use rustix::fs::{Access, access};
use rustix::thread::{CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities};
use std::os::unix::process::CommandExt;
use std::process::Command;

const HANDED_ON: [CapabilitySet; 2] = [CapabilitySet::SYS_NICE, CapabilitySet::IPC_LOCK];
/// While it is open and holds a number, the kernel keeps the processors out of slower idle states.
const IDLE_DEVICE: &str = "/dev/cpu_dma_latency";

/// Takes up the rights that the file of this program permits. A file that gave them by itself (`setcap …+ep`) could not be started
/// at all where they are not to be had, as in a container; one that permits them (`setcap …=p`) runs there without.
/// Called while the process has one thread.
pub fn take_up() {
    let Ok(mut sets) = capabilities(None) else { return };
    let permitted = HANDED_ON.into_iter().filter(|right| sets.permitted.contains(*right));
    sets.effective |= permitted.fold(CapabilitySet::empty(), std::ops::BitOr::bitor);
    let _ = set_capabilities(None, sets);
}

/// Lets this one command keep the rights that this process has; where the kernel refuses, the program says what it
/// lacks.
pub fn hand_on_to(command: &mut Command) {
    // SAFETY: between fork and exec only capget, capset and prctl are called, which are async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            HANDED_ON.into_iter().for_each(keep);
            Ok(())
        });
    }
}

/// Lets programs that this process becomes have `right`, where it has it itself.
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
