// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of a run that go to the probe as the user typed them. They say when wakeups come due and which responses count as
//! late.
use backwall_model::Overrun;
use backwall_model::units::{self, Nanoseconds};

/// Minimum and maximum number of releases in the warmup. Between these limits, the warmup fills a tenth of a second.
const WARMUP: (u64, u64) = (10, 1_000);
const TENTH_NS: u64 = 100_000_000;

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Schedule {
    /// Time between two wakeups; a bare number is microseconds
    #[arg(short = 'i', long, visible_alias = "interval", value_name = "TIME", default_value = "1ms", value_parser = units::period)]
    pub period: Nanoseconds,
    /// Count a response as late after this time [default: the period]
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub deadline: Option<Nanoseconds>,
    /// Skip or queue wakeups that come due during a late response
    #[arg(long, value_enum, default_value_t)]
    pub overrun: Overrun,
}

impl Schedule {
    pub(crate) fn every(period: Nanoseconds) -> Self {
        Self { period, deadline: None, overrun: Overrun::Skip }
    }

    /// The probe's arguments. A measure that is not periodic takes only the number of warmup releases.
    pub(crate) fn arguments(&self, periodic: bool) -> Vec<(&'static str, String)> {
        let warmup = (TENTH_NS / self.period.0.max(1)).clamp(WARMUP.0, WARMUP.1);
        let overrun = match self.overrun {
            Overrun::Skip => "skip",
            Overrun::Queue => "queue",
        };
        let timed = [("--period-ns", self.period.0.to_string()), ("--overrun", overrun.to_string())];
        let deadline = self.deadline.map(|deadline| ("--deadline-ns", deadline.0.to_string()));
        let timed = timed.into_iter().chain(deadline).filter(|_| periodic);
        [("--warmup", warmup.to_string())].into_iter().chain(timed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_periodic_measure_gets_period_overrun_and_deadline() {
        let schedule = Schedule { deadline: Some(Nanoseconds(7)), ..Schedule::every(Nanoseconds(1_000_000)) };
        let typed = |periodic| schedule.arguments(periodic).into_iter().map(|(name, value)| format!("{name} {value}"));
        assert_eq!(typed(false).collect::<Vec<_>>(), ["--warmup 100"]);
        let all = ["--warmup 100", "--period-ns 1000000", "--overrun skip", "--deadline-ns 7"];
        assert_eq!(typed(true).collect::<Vec<_>>(), all);
    }
}
