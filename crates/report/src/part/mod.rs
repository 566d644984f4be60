// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of the page that are words and tables: one file each.
//!
//! - `conditions`: the plan and the device: everything needed to repeat the run
//! - `contents`: what the page holds, and the files beside it
//! - `environment`: what was read of the machine: one row a setting, with what it means and how to change it
//! - `figures`: the table of all figures: every series with its accounting and its quantiles
//! - `found`: what was found beside the series: one row a figure
//! - `head`: the top of the page: what was measured, and the one figure that a reader looks for first
//! - `reading`: how to read the page: the words it uses, each once
//! - `requirements`: the requirements and their outcomes
//! - `stretches`: when a run was measured that is not whole or was resumed: its stretches, and the gaps between them
//! - `values`: what the probe measured about itself: one row a name, one column a phase
pub(crate) mod conditions;
pub(crate) mod contents;
pub(crate) mod environment;
pub(crate) mod figures;
pub(crate) mod found;
pub(crate) mod head;
pub(crate) mod reading;
pub(crate) mod requirements;

pub(crate) mod stretches;
pub(crate) mod values;
