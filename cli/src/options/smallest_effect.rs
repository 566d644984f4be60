// SPDX-License-Identifier: MIT OR Apache-2.0
//! The smallest change that a comparison reports.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct SmallestEffect {
    /// Smallest relative change that matters
    ///
    /// A change of a time below 1 us, or of a share below 25 %, never matters.
    #[arg(long = "min-effect", value_name = "PERCENT", default_value = "5", value_parser = percent)]
    pub effect: f64,
}

pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1_000.0);
    number.map(|number| number / 100.0).ok_or_else(|| "expected a percentage above 0, such as 5".to_string())
}
