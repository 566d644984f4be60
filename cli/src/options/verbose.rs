// SPDX-License-Identifier: MIT OR Apache-2.0
//! More than one screen of a result.

/// The whole table instead of the first screen.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Verbose {
    /// Print the whole result, not only the first screen
    #[arg(long, short, conflicts_with_all = ["json", "quiet"])]
    pub verbose: bool,
}
