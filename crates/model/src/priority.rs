// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread's priority, on the scale of its scheduling policy.
use serde::{Deserialize, Serialize};

/// A priority as users write it. Priorities are ordered as the scheduler orders them: a thread with a smaller value runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// The thread runs under SCHED_DEADLINE.
    Deadline,
    /// Real-time: 1 to 99, highest 99.
    RealTime(u8),
    /// Detent: 0 to 255, highest 0.
    Detent(u8),
    /// SCHED_OTHER with this nice value other than 0: -20 to 19.
    Nice(i8),
    /// SCHED_OTHER without a nice value.
    Ordinary,
}

impl Priority {
    /// Converts the `prio` of kernel events: below 0 SCHED_DEADLINE, 0 to 98 real-time (0 is highest), 100 to 139 ordinary.
    /// Detent's 256 priorities are -1256 to -1001. `None` if the priority was not recorded.
    pub fn of_events(number: i32) -> Option<Self> {
        Some(match number {
            -1_256..=-1_001 => Self::Detent((number + 1_256) as u8),
            ..0 => Self::Deadline,
            0..=98 => Self::RealTime((99 - number) as u8),
            100..=139 if number != 120 => Self::Nice((number - 120) as i8),
            i32::MAX => return None,
            _ => Self::Ordinary,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_events_is_one_priority() {
        let told = [-1_256, -1_001, -1, 0, 98, 100, 120, 139, 140, i32::MAX].map(Priority::of_events);
        let known = [
            Priority::Detent(0),
            Priority::Detent(255),
            Priority::Deadline,
            Priority::RealTime(99),
            Priority::RealTime(1),
            Priority::Nice(-20),
            Priority::Ordinary,
            Priority::Nice(19),
            Priority::Ordinary,
        ];
        assert_eq!(told[..9], known.map(Some));
        assert_eq!(told[9], None);
    }
}
