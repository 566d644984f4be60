// SPDX-License-Identifier: MIT OR Apache-2.0
//! One trial of a search for saturation, as a line.
use backwall_capture::saturation::{Goal, Holds, Trial};
use backwall_model::units::grouped;

pub fn text(trial: Trial, goals: &[Goal], figures: &[u64]) -> String {
    let shown: Vec<String> = goals.iter().zip(figures).map(|(goal, figure)| observed(goal, *figure)).collect();
    format!("period {}, {} pulses: {}", grouped(trial.period.0), grouped(trial.pulses), shown.join(", "))
}

/// Describes the observation for one goal, because a bare number would look like a frequency.
fn observed(goal: &Goal, figure: u64) -> String {
    let what = match (goal.holds, figure) {
        (Holds::NothingLost, 0) => "none missed".to_string(),
        (Holds::NothingLost, lost) => format!("{} missed", grouped(lost)),
        (Holds::Moves, 0) => "the load's line stood still".to_string(),
        (Holds::Moves, edges) => format!("the load's line moved {} times", grouped(edges)),
    };
    format!("{} {what}", goal.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_capture::tick::Tick;

    #[test]
    fn a_trial_says_what_was_missed_and_never_a_figure_that_reads_as_a_frequency() {
        let goal = |name: &str, holds| Goal { name: name.into(), holds };
        let goals = [goal("MF-ISR", Holds::NothingLost), goal("MF-APP", Holds::NothingLost), goal("SF", Holds::Moves)];
        let trial = Trial { period: Tick(9_025), pulses: 1_000 };
        assert_eq!(
            text(trial, &goals, &[0, 12, 0]),
            "period 9,025, 1,000 pulses: MF-ISR none missed, MF-APP 12 missed, SF the load's line stood still"
        );
    }
}
