// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of a run in OpenMetrics 1.0: those of [`super::prometheus`], with the names and the end that this form asks for.
use super::prometheus::{Form, metrics};
use backwall_model::Run;

pub fn openmetrics(run: &Run) -> String {
    metrics(run, Form::OpenMetrics)
}
