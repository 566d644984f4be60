// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frequency governor of the measured processor.
use super::{Machine, Reading};

/// `scaling_governor`.
pub(super) fn governor(machine: &Machine) -> Reading {
    let folder = format!("/sys/devices/system/cpu/cpu{}/cpufreq", machine.cpu);
    if !machine.has(&folder) {
        return Reading::note(
            format!("{folder}: no such folder"),
            "this kernel does not set the frequency; firmware or a hypervisor may",
        );
    }
    let file = format!("{folder}/scaling_governor");
    match machine.read(&file) {
        Ok(name) if name == "performance" => {
            Reading::good(format!("{file}: {name}"), "the processor stays at its highest frequency")
        }
        Ok(name) => Reading::bad(
            format!("{file}: {name}"),
            "a processor that was idle answers at a low frequency until the governor raises it",
        )
        .fix(format!("echo performance > {file}")),
        Err(unread) => Reading::unknown(&unread, "a low frequency makes every response slower"),
    }
}
