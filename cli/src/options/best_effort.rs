// SPDX-License-Identifier: MIT OR Apache-2.0
//! A measurement without all rights.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct BestEffort {
    /// Continue without missing rights; mark the run invalid
    #[arg(long)]
    pub best_effort: bool,
}
