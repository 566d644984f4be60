// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a circle the stimuli of a run met: their phases against something that repeats, such as a guest's tick.
use super::Run;

/// What was met of one circle; lengths in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// After what time it repeats.
    pub circle: u64,
    /// Equal parts that are told apart.
    pub parts: u64,
    /// Parts that a stimulus fell into.
    pub met: u64,
    /// The widest stretch of the circle without a stimulus.
    pub widest_gap: u64,
}

/// Names among the values of a run, in the order of the fields; what stands before them tells the generator.
const NAMES: [&str; 4] =
    ["phase_circle_instructions", "phase_parts", "phase_parts_met", "phase_widest_gap_instructions"];

impl Phase {
    /// Its values of a run; `prefix` is that of the generator's response lines.
    pub fn values(&self, prefix: &str) -> impl Iterator<Item = (String, u64)> {
        let figures = [self.circle, self.parts, self.met, self.widest_gap];
        let prefix = prefix.to_string();
        NAMES.into_iter().zip(figures).map(move |(name, figure)| (format!("{prefix}{name}"), figure))
    }

    /// What a run says of the generator whose response lines have this prefix.
    pub fn of(run: &Run, prefix: &str) -> Option<Self> {
        let value = |name: &str| run.values.get(&format!("{prefix}{name}")).copied();
        let [circle, parts, met, widest_gap] = NAMES.map(value);
        Some(Self { circle: circle?, parts: parts?, met: met?, widest_gap: widest_gap? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Plan};

    #[test]
    fn what_is_written_is_read_and_generators_are_told_apart() {
        let phase = Phase { circle: 4_000_000, parts: 1_000, met: 998, widest_gap: 4_100 };
        let mut run = Run::begin(Origin::Emulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.values.extend(phase.values("b_"));
        assert_eq!((Phase::of(&run, "b_"), Phase::of(&run, "")), (Some(phase), None));
    }
}
