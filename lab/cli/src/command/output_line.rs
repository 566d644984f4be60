// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output line whose answers count.

#[derive(clap::Args, Debug)]
pub(super) struct OutputLine {
    /// Output line [default: the one that answered last]
    #[arg(long, value_name = "LINE")]
    pub(super) line: Option<String>,
}
