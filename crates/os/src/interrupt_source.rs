// SPDX-License-Identifier: MIT OR Apache-2.0
//! The source of an interrupt, which decides whether it can move to another CPU.

use backwall_model::OwnInterrupt;

/// On a GIC, interrupts with smaller numbers belong to one CPU each (Arm IHI 0069, 2.2.1).
const FIRST_SHARED: u32 = 32;
/// Words that occur in the kernel's names of GPIO controllers.
const BANKS: [&str; 3] = ["gpio", "pinctrl", "pl061"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Device,
    /// A line of a GPIO controller. All lines of the controller share one interrupt.
    Bank,
    /// The CPU itself: its timer, its counters, IPIs from other CPUs. These interrupts cannot move.
    Processor,
}

impl Source {
    pub fn of(controller: &str, line: Option<u32>, asked_by: &str) -> Self {
        let own = controller.starts_with("GIC") && line.is_some_and(|line| line < FIRST_SHARED);
        if own || controller.starts_with("RISC-V INTC") || OwnInterrupt::from_name(asked_by).is_some() {
            return Self::Processor;
        }
        let name = controller.to_lowercase();
        if BANKS.iter().any(|word| name.contains(word)) { Self::Bank } else { Self::Device }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_processor_or_to_a_bank_of_lines_is_told_from_devices() {
        assert_eq!(Source::of("GICv3", Some(27), "arch_timer"), Source::Processor);
        assert_eq!(Source::of("GICv2", Some(23), "arm-pmu"), Source::Processor);
        assert_eq!(Source::of("GICv3", Some(65), "mailbox"), Source::Device);
        assert_eq!(Source::of("RISC-V INTC", Some(5), "timer"), Source::Processor);
        assert_eq!(Source::of("bcm2836-timer", Some(1), "arch_timer"), Source::Processor);
        assert_eq!(Source::of("pinctrl-bcm2835", Some(17), "button"), Source::Bank);
        assert_eq!(Source::of("IO-APIC", Some(2), "timer"), Source::Device);
    }
}
