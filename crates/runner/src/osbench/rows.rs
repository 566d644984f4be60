// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of `osbench`, one after the other, and the tools of other suites next to them.
use crate::device::probe::{ListedOperation, Probe};
use crate::osbench::operation::{self, OperationResult, Setup};
use crate::osbench::peers::{self, Suite, Tool};
use crate::session::assemble::Assembly;
use crate::session::part::Part;
use backwall_model::picture::{Operation, Operations, Peer};
use backwall_model::{Extension, IDLE_AS_IS, NO_LOAD, Osbench, Picture, Plan, Policy, Warning};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::{Refusal, unable};
use std::fmt::Write as _;

#[derive(Debug)]
pub struct Rows<'a> {
    pub probe: &'a Probe,
    pub stop: Stop,
    pub setup: Setup,
    pub other_cpu: Option<u32>,
    pub every: bool,
    pub suites: &'a [Suite],
}

impl Rows<'_> {
    /// Measures the rows into the assembly and also writes every sample as text if requested. Fails if no row could be measured.
    pub fn measure(
        &mut self,
        rows: &[ListedOperation],
        assembly: &mut Assembly,
    ) -> backwall_os::refusal::Result<String> {
        let _kept_off = affinity::KeptOff::all_threads(&[self.setup.cpu]);
        self.may(rows)?;
        let (mut found, mut samples, mut refused) = (Operations::default(), String::new(), Vec::new());
        for row in rows {
            if self.stop.asked() {
                assembly.interrupt();
                break;
            }
            match self.row(row) {
                Ok(measured) => {
                    found.rows.push(take(measured, assembly, &mut samples));
                }
                Err(error) if refused.is_empty() && rows.len() == 1 => return Err(error),
                Err(error) => refused.push(error),
            }
        }
        if found.rows.is_empty() {
            return refused.into_iter().next().map_or(Ok(samples), Err);
        }
        self.beside(rows, &mut found, assembly);
        refused
            .iter()
            .for_each(|error| assembly.warn(Warning::new("not-measured", format!("not measured: {error:#}"))));
        assembly.show(Picture::Operations(found));
        Ok(samples)
    }

    /// Runs the requested tools of other suites. A tool without a result becomes a warning.
    fn beside(&self, rows: &[ListedOperation], found: &mut Operations, assembly: &mut Assembly) {
        for tool in self.suites.iter().flat_map(|suite| peers::tools(*suite)) {
            if self.stop.asked() {
                return;
            }
            match self.peer(&tool, rows) {
                Ok(peer) => found.peers.push(peer),
                Err(error) => assembly.warn(Warning::new("no-peer", format!("{error:#}"))),
            }
        }
    }

    fn peer(&self, tool: &Tool, rows: &[ListedOperation]) -> backwall_os::refusal::Result<Peer> {
        let peer = tool.measure(&self.setup, &self.stop)?;
        let row = rows.iter().find(|row| row.test == tool.test);
        let equal = row.map(|row| peers::equal(tool, self.probe, &self.stop, &self.setup, row)).transpose()?.flatten();
        Ok(Peer { equal, ..peer })
    }

    fn may(&self, rows: &[ListedOperation]) -> backwall_os::refusal::Result<()> {
        let Some(row) = rows.iter().find(|row| row.real_time && !row.other_processor) else { return Ok(()) };
        let once = Setup { samples: 1, warmup: 0, ..self.setup };
        match operation::measure(self.probe, &self.stop, &once, row, false) {
            // A missing permission or mark port affects every row, so stop at the first row that fails for this reason.
            Err(error) if matches!(error, Refusal::NoRight { .. }) || self.setup.mark.is_some() => Err(error),
            _ => Ok(()),
        }
    }

    fn row(&self, row: &ListedOperation) -> backwall_os::refusal::Result<OperationResult> {
        if row.other_processor && self.other_cpu.is_none() {
            return Err(unable(format!("test {}: needs a second CPU, but this process may use only one", row.test)));
        }
        operation::measure(self.probe, &self.stop, &self.setup, row, self.every)
    }
}

fn take(measured: OperationResult, assembly: &mut Assembly, samples: &mut String) -> Operation {
    let OperationResult { heard, row, series, samples: every } = measured;
    assembly.take(Part::of_operation(&heard, series));
    if let Some(failure) = &row.failure {
        assembly.fail(format!("test {}: {failure}", row.test));
    }
    for (seq, value) in every {
        let _ = writeln!(samples, "{} {} sample {seq}: {:.1}", row.test, row.name, row.each(value as f64));
    }
    row
}

/// The rows with these names, each a test's id or a row number, in the order of the table.
///
/// # Errors
/// The first name without a row.
pub fn chosen(names: &[&str], known: &[ListedOperation]) -> Result<Vec<ListedOperation>, String> {
    let is_of = |row: &ListedOperation, name: &str| {
        row.test == name || row.test.split_once('.').is_some_and(|(id, _)| id == name)
    };
    if let Some(name) = names.iter().find(|name| !known.iter().any(|row| is_of(row, name))) {
        return Err(name.to_string());
    }
    Ok(known.iter().filter(|row| names.iter().any(|name| is_of(row, name))).cloned().collect())
}

pub fn plan(rows: &[ListedOperation], setup: &Setup, other_cpu: Option<u32>, seed: u64) -> Plan {
    let tests = rows.iter().map(|row| row.test.clone()).collect();
    Plan {
        measures: vec!["osbench".to_string()],
        loads: vec![NO_LOAD.to_string()],
        cpu: Some(setup.cpu),
        priority: Some(setup.priority),
        policy: (setup.priority == 0).then_some(Policy::Other),
        best_effort: setup.best_effort,
        idle: IDLE_AS_IS.to_string(),
        seed,
        extension: Extension::Osbench(Osbench { tests, samples: setup.samples, other_cpu }),
        ..Plan::default()
    }
}
