// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the analysis of a task set assumes.
use backwall_tasks::assign::Assign;

#[derive(clap::Args, Debug)]
pub(super) struct Assumed {
    /// Assign series without a CPU so that every CPU passes the analysis
    #[arg(long, value_enum)]
    pub(super) assign: Option<Assign>,
    /// Costs of the system itself: NAME=TIME, RUN, here or detent (repeatable)
    ///
    /// The prediction needs these costs. RUN is a run that measured them; here measures them now.
    #[arg(long, value_name = "NAME=TIME|RUN|here|detent")]
    pub(super) constants: Vec<String>,
}
