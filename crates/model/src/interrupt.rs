// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel names of interrupts that belong to a CPU rather than to a device.

/// Purpose of a CPU's own interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnInterrupt {
    /// The CPU's timer.
    Timer,
    /// An IPI from another CPU.
    Call,
    /// Performance counters, temperature, machine errors, and irq_work.
    Other,
}

use OwnInterrupt::{Call, Other, Timer};

/// All names. On PCs: the irq_vectors events of the kernel's trace. Otherwise: the names that drivers register.
pub const OWN_INTERRUPTS: [(&str, OwnInterrupt); 19] = [
    ("local_timer", Timer),
    ("arch_timer", Timer),
    ("riscv-timer", Timer),
    ("arch_sys_timer", Timer),
    ("twd", Timer),
    // From kernels with one /proc/interrupts line per IPI, and from recordings of older backwall versions.
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
    /// The purpose of a CPU's own interrupt; `None` for a device interrupt.
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
