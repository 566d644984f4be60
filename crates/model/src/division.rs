// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modes in which a response's instructions ran: user, kernel, or none while the CPU waited.
use serde::{Deserialize, Serialize};

/// A latency divided by CPU mode. The parts sum to it exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Division {
    /// Instructions in user mode.
    pub user: u64,
    /// Instructions in kernel mode.
    pub kernel: u64,
    /// Time in which the CPU waited, as instructions.
    pub waited: u64,
}

impl Division {
    /// The whole latency: the sum of the parts.
    pub fn whole(&self) -> u64 {
        self.user + self.kernel + self.waited
    }
}

/// The latencies of one line, divided by CPU mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divided {
    /// All measured latencies together.
    pub all: Division,
    /// The largest latency.
    pub worst: Division,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_latency() {
        assert_eq!(Division { user: 4_000, kernel: 20, waited: 1 }.whole(), 4_021);
    }
}
