// SPDX-License-Identifier: MIT OR Apache-2.0
//! Histograms in cyclictest's form. They take `-h`, so help has only `--help`.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct CyclictestHistogram {
    /// Print histograms as cyclictest does, up to N us, instead of the table
    #[arg(short = 'h', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub histogram: Option<u32>,
    /// Print help; -h is the histogram, as in cyclictest
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
}
