// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much CPU time the tasks get: all of it, or the share of a reservation or virtual machine.
use super::utilization::Share;
use serde::Serialize;

/// How much service a window of a given length brings in the worst case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Supply {
    /// Every nanosecond.
    #[default]
    Dedicated,
    /// A budget anywhere in each period, so there can be gaps of up to `2 (period - budget)`: the periodic resource of Shin and
    /// Lee 2003.
    Periodic {
        /// Length of the period, above 0.
        period_ns: u64,
        /// Service in each period, from 1 to the period.
        budget_ns: u64,
    },
    /// A slot at a fixed place in each cycle, so gaps are at most `cycle - slot`: time division.
    Slot {
        /// Length of the cycle, above 0.
        cycle_ns: u64,
        /// Length of the slot, from 1 to the cycle.
        slot_ns: u64,
    },
}

impl Supply {
    /// The least service in any window of this length.
    pub fn provided_ns(&self, window_ns: u64) -> u64 {
        match *self {
            Self::Dedicated => window_ns,
            Self::Periodic { period_ns, budget_ns } => {
                in_cycles(window_ns.saturating_sub(period_ns - budget_ns), period_ns, budget_ns)
            }
            Self::Slot { cycle_ns, slot_ns } => in_cycles(window_ns, cycle_ns, slot_ns),
        }
    }

    /// The shortest window in which this much service is guaranteed.
    pub fn window_ns(&self, service_ns: u64) -> u64 {
        let (cycle, part, ahead) = match *self {
            Self::Dedicated => return service_ns,
            Self::Periodic { period_ns, budget_ns } => (period_ns, budget_ns, period_ns - budget_ns),
            Self::Slot { cycle_ns, slot_ns } => (cycle_ns, slot_ns, 0),
        };
        if service_ns == 0 {
            return 0;
        }
        let gaps = service_ns.div_ceil(part).saturating_mul(cycle - part);
        ahead.saturating_add(gaps).saturating_add(service_ns)
    }

    /// Share of the CPU's time in the long run.
    pub fn share(&self) -> Share {
        match *self {
            Self::Dedicated => Share::of(1, 1),
            Self::Periodic { period_ns, budget_ns } => Share::of(budget_ns, period_ns),
            Self::Slot { cycle_ns, slot_ns } => Share::of(slot_ns, cycle_ns),
        }
    }
}

/// Service after a gap. Each whole cycle brings one slot; in an incomplete cycle the slot comes at the end.
fn in_cycles(window_ns: u64, cycle_ns: u64, part_ns: u64) -> u64 {
    let (whole, rest) = (window_ns / cycle_ns, window_ns % cycle_ns);
    whole * part_ns + rest.saturating_sub(cycle_ns - part_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_shortest_that_provides() {
        for cycle in 1..12 {
            for part in 1..=cycle {
                let kinds = [
                    Supply::Periodic { period_ns: cycle, budget_ns: part },
                    Supply::Slot { cycle_ns: cycle, slot_ns: part },
                ];
                for supply in kinds {
                    for service in 1..50 {
                        let window = supply.window_ns(service);
                        assert!(supply.provided_ns(window) >= service, "{supply:?} {service}");
                        assert!(supply.provided_ns(window - 1) < service, "{supply:?} {service}");
                    }
                }
            }
        }
    }
}
