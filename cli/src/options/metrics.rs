// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures for Prometheus.
use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug)]
pub struct Metrics {
    /// Write the figures to a file for Prometheus, each time the run is saved
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}
