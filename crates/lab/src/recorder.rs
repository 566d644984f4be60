// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cost of tracing: programs for [`cost`](super::cost). Each makes the guest's kernel record thread switches in one way
//! (`lab/guests/linux/recorder/`).
use super::cost::{COUNT, Cost, Program};
use super::guest::programs::GuestFile;
use super::machine::Machine;

const PATH: &str = "/recorder";

/// The ways to record, beginning with no recording: ftrace's ring buffer, perf's and BPF's, each without and with kernel stacks.
pub const WAYS: [&str; 7] = ["off", "ring", "ring+stack", "perf", "perf+stack", "bpf", "bpf+stack"];

pub fn programs(machine: &Machine) -> Vec<Program> {
    let program = |way: &str| Program {
        name: way.to_string(),
        words: [PATH, way, COUNT].map(str::to_string).into(),
        files: vec![GuestFile { path: PATH.into(), bytes: machine.linux.recorder.clone() }],
    };
    WAYS.into_iter().map(program).collect()
}

pub fn added(costs: &[Cost]) -> Vec<f64> {
    let off = costs.first().map_or(0.0, Cost::sum);
    costs.iter().map(|cost| cost.sum() - off).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_told_how_often_and_the_first_adds_nothing() {
        assert_eq!(programs(Machine::usual())[2].words, ["/recorder", "ring+stack", "{}"]);
        let cost = |kernel| Cost { program: String::new(), user: 5.0, kernel, bent: None };
        assert_eq!(added(&[cost(100.0), cost(350.0)]), [0.0, 250.0]);
        assert_eq!(added(&[]), Vec::<f64>::new());
    }
}
