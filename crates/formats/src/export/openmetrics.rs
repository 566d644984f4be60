// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a run in OpenMetrics 1.0: the metrics of [`super::prometheus`], with the names and the end marker of that format.
use super::prometheus::{Form, metrics};
use backwall_model::Run;

pub fn openmetrics(run: &Run) -> String {
    metrics(run, Form::OpenMetrics)
}
