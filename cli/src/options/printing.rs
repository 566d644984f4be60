// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of a result on standard output.
use backwall_os::console::{print, print_json};
use serde::Serialize;

#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Printing {
    /// Print the result as JSON on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Suppress progress and tables; still print failed requirements
    #[arg(short, long)]
    pub quiet: bool,
}

impl Printing {
    pub fn is_text(self) -> bool {
        !self.json && !self.quiet
    }

    /// Prints a result: as JSON, as text, or with `--quiet` not at all.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn show<J: Serialize>(self, json: impl FnOnce() -> J, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        match (self.json, self.quiet) {
            (true, _) => print_json(&json())?,
            (false, true) => {}
            (false, false) => print(&text())?,
        }
        Ok(())
    }
}
