// SPDX-License-Identifier: MIT OR Apache-2.0
//! The seed of everything random.

/// One number that repeats every random choice of a command.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Seed {
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl Default for Seed {
    fn default() -> Self {
        Self { seed: 1 }
    }
}
