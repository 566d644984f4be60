// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the instructions of a response were executed: in user mode, in kernel mode, or nowhere, while the processor waited.
use super::Run;
use serde::{Deserialize, Serialize};

/// A latency, divided; its parts add up to it exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Division {
    /// Instructions in user mode.
    pub user: u64,
    /// Instructions in kernel mode.
    pub kernel: u64,
    /// Instants at which the processor waited and executed nothing.
    pub waited: u64,
}

impl Division {
    /// The latency.
    pub fn whole(&self) -> u64 {
        self.user + self.kernel + self.waited
    }
}

/// The latencies of one line, divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divided {
    /// All measured ones together.
    pub all: Division,
    /// The largest.
    pub worst: Division,
}

/// Names among the values of a run, behind that of the line: of all, then of the largest.
const NAMES: [&str; 6] = [
    "user_instructions",
    "kernel_instructions",
    "waited_instructions",
    "worst_user_instructions",
    "worst_kernel_instructions",
    "worst_waited_instructions",
];

impl Divided {
    /// Its values of a run.
    pub fn values(&self, line: &str) -> Vec<(String, u64)> {
        let Self { all, worst } = self;
        let figures = [all.user, all.kernel, all.waited, worst.user, worst.kernel, worst.waited];
        NAMES.iter().zip(figures).map(|(name, figure)| (format!("{line}_{name}"), figure)).collect()
    }

    /// What a run says of a line.
    pub fn of(run: &Run, line: &str) -> Option<Self> {
        let value = |name: &str| run.values.get(&format!("{line}_{name}")).copied();
        let [user, kernel, waited, worst_user, worst_kernel, worst_waited] = NAMES.map(value);
        let all = Division { user: user?, kernel: kernel?, waited: waited? };
        let worst = Division { user: worst_user?, kernel: worst_kernel?, waited: worst_waited? };
        Some(Self { all, worst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Plan};

    #[test]
    fn what_is_written_is_read_and_lines_are_told_apart() {
        let all = Division { user: 4_000, kernel: 20, waited: 1 };
        let divided = Divided { all, worst: Division { user: 40, kernel: 20, waited: 0 } };
        let mut run = Run::begin(Origin::Emulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.values.extend(divided.values("b_app"));
        assert_eq!((Divided::of(&run, "b_app"), Divided::of(&run, "app")), (Some(divided), None));
        assert_eq!(all.whole(), 4_021);
    }
}
