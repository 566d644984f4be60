// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a response is late.
use backwall_model::units::{self, Nanoseconds};

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Deadline {
    /// Count a response as late after this time
    ///
    /// In a chain, each instance is one response. tune try compares the share of late responses.
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub deadline: Option<Nanoseconds>,
}
