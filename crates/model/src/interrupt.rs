// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names that kernels give to interrupts of a CPU rather than a device.

/// What an interrupt of a processor's own is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnInterrupt {
    /// Its timer.
    Timer,
    /// A call of another processor.
    Call,
    /// Its counters, its temperature, its errors, and work that it leaves for itself.
    Other,
}

use OwnInterrupt::{Call, Other, Timer};

/// All of them: for PCs the folders of irq_vectors in the kernel's trace, otherwise the names that drivers register.
pub const OWN_INTERRUPTS: [(&str, OwnInterrupt); 19] = [
    ("local_timer", Timer),
    ("arch_timer", Timer),
    ("riscv-timer", Timer),
    ("arch_sys_timer", Timer),
    ("twd", Timer),
    // Of kernels that have a line for each call, and of recordings by early versions.
    ("IPI", Call),
    ("ipi", Call),
    ("reschedule", Call),
    ("call_function", Call),
    ("call_function_single", Call),
    ("x86_platform_ipi", Call),
    ("irq_work", Other),
    ("thermal_apic", Other),
    ("threshold_apic", Other),
    ("deferred_error_apic", Other),
    ("error_apic", Other),
    ("spurious_apic", Other),
    ("arm-pmu", Other),
    ("riscv-pmu", Other),
];

impl OwnInterrupt {
    /// Purpose of an interrupt of that name; `None` for a device's.
    pub fn from_name(name: &str) -> Option<Self> {
        OWN_INTERRUPTS.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once_and_a_device_is_none() {
        for (at, (name, what)) in OWN_INTERRUPTS.iter().enumerate() {
            assert_eq!(OwnInterrupt::from_name(name), Some(*what));
            assert!(OWN_INTERRUPTS[..at].iter().all(|(other, _)| other != name), "{name}");
        }
        assert_eq!(["eth0", "", "timer", "IPI0"].map(OwnInterrupt::from_name), [None; 4]);
    }
}
