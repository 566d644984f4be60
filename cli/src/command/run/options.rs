// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of `backwall run`. If cyclictest has a short option with the same meaning, `backwall run` uses the same letter.
use crate::options::{CyclictestHistogram, Metrics, RunOutput, Seed, Verbose};
use backwall_ftrace::flight::{FlightPlan, Limit};
use backwall_model::Policy;
use backwall_model::units::{self, Nanoseconds};
use backwall_report::trace::accused;
use backwall_runner::request::{self, RunRequest};
use backwall_store::RunFolder;

#[derive(clap::Args, Clone, Debug)]
#[command(disable_help_flag = true)]
pub struct Args {
    #[command(flatten)]
    pub(super) request: RunRequest,
    /// Accepted as in cyclictest, because memory is always locked
    #[arg(short, long)]
    pub(super) mlockall: bool,
    #[command(flatten)]
    pub(super) cyclictest: CyclictestHistogram,
    /// Record no kernel events in the measured phases
    #[arg(long, conflicts_with_all = ["stop_above", "snapshot_above"])]
    pub(super) no_recorder: bool,
    /// Continue the unfinished run in --output, begun with the same options
    #[arg(long, requires = "out", conflicts_with = "keep_samples")]
    pub(super) resume: bool,
    #[command(flatten)]
    pub(super) metrics: Metrics,
    /// Time between two checkpoints of the run
    #[arg(long, value_name = "TIME", value_parser = units::seconds, default_value = "30s", hide = true)]
    pub(super) checkpoint_every: Nanoseconds,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

impl Args {
    /// Checks whether this machine can run this measurement, without measuring.
    ///
    /// # Errors
    /// The error that the run would give, except for missing rights.
    pub(in crate::command) fn check(&self) -> anyhow::Result<()> {
        Ok(request::job(&self.request).map(drop)?)
    }

    /// Plan of the flight recorder. With a limit, the recorder stores snapshots in the run's folder; without one, it names the
    /// cause of each phase's maximum. With a histogram the recorder is off, because the run is then compared with cyclictest,
    /// which records nothing.
    pub(super) fn flight(&self, folder: &RunFolder, stretch: usize) -> Option<FlightPlan> {
        let RunRequest { stop_above, snapshot_above, probe, policy, .. } = &self.request;
        let above = stop_above.or(*snapshot_above).map(|above| Limit::Above(above.0));
        let records = !self.no_recorder && self.cyclictest.histogram.is_none() && probe.is_none();
        let worst = (records && *policy != Some(Policy::Deadline)).then_some(Limit::Worst);
        let folder = folder.path().join("trace");
        let limit = above.or(worst)?;
        Some(FlightPlan { limit, ends: stop_above.is_some(), folder, stretch, words: accused::line })
    }
}
