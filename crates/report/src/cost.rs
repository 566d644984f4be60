// SPDX-License-Identifier: MIT OR Apache-2.0
//! What programs cost a guest for each wake-up, and what it costs to record a switch, as text.
use backwall_capture::trail::cost::{Cost, KernelCounts};
use backwall_model::units::grouped;

/// A row a way to record, with what it adds to a switch that is not recorded.
pub fn recorded(counted: &KernelCounts, added: &[f64], switches: u64) -> String {
    let head = format!(
        "{}, instructions for each of {} thread switches\n{:10}  {:>10}  {:>10}  {:>10}  {:>10}\n",
        counted.guest,
        grouped(switches),
        "recorded",
        "user",
        "kernel",
        "sum",
        "added"
    );
    let rows = counted.costs.iter().zip(added).map(|(cost, added)| {
        let Cost { program, user, kernel } = cost;
        format!("{program:10}  {user:>10.1}  {kernel:>10.1}  {:>10.1}  {added:>10.1}\n", cost.sum())
    });
    std::iter::once(head).chain(rows).chain(["\n".to_string()]).collect()
}

pub fn woken(counted: &KernelCounts, wake_ups: u64, period_us: u64) -> String {
    let width = counted.costs.iter().map(|cost| cost.program.len()).max().unwrap_or(0).max("program".len());
    let head = format!(
        "{}, instructions for each of {} wake-ups at {period_us} us\n{:width$}  {:>10}  {:>10}  {:>10}\n",
        counted.guest,
        grouped(wake_ups),
        "program",
        "user",
        "kernel",
        "sum"
    );
    let rows = counted.costs.iter().map(|cost| {
        format!("{:width$}  {:>10.1}  {:>10.1}  {:>10.1}\n", cost.program, cost.user, cost.kernel, cost.sum())
    });
    std::iter::once(head).chain(rows).chain(["\n".to_string()]).collect()
}
