// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirements of a run as JUnit XML, which the common CI servers read: a test case a requirement, and two of the run.
//!
//! FAIL is a failure, UNDECIDED an error: neither may pass for a success. So is a run that is no evidence, or not whole.
use super::junit_suite::{Case, Suite, Wrong};
use run::{Outcome, Requirement, Run};

/// One test suite.
pub fn junit(run: &Run) -> String {
    let cases = cases(run);
    let device = &run.device;
    let properties =
        [("command", run.command.join(" ")), ("kernel", device.kernel.clone()), ("processor", device.cpu.clone())];
    let properties = properties.map(|(name, value)| (name.to_string(), value)).to_vec();
    let started = Some(run.started.clone());
    Suite { class: "backwall.run", seconds: run.seconds, started, properties, cases }.text()
}

/// What a run is asked: whether it is evidence, whether it is whole, and its requirements.
pub(super) fn cases(run: &Run) -> Vec<Case> {
    [evidence(run), whole(run)].into_iter().chain(run.requirements.iter().map(required)).collect()
}

fn required(requirement: &Requirement) -> Case {
    let wrong = match requirement.outcome {
        Outcome::Pass => None,
        Outcome::Fail => Some(Wrong::Failure(requirement.because.clone())),
        Outcome::Undecided => Some(Wrong::Error(format!("undecided: {}", requirement.because))),
    };
    Case { name: requirement.text.clone(), wrong }
}

fn evidence(run: &Run) -> Case {
    let why = run.spoiled_line().map(|which| Wrong::Error(format!("no evidence {which}")));
    Case { name: "the run is evidence".to_string(), wrong: why }
}

fn whole(run: &Run) -> Case {
    let why = match run.unfinished() {
        Some(stretch) => Some(format!("unfinished, until {}", stretch.until)),
        None => run.ended_early().map(String::from),
    };
    Case { name: "all that was planned was measured".to_string(), wrong: why.map(Wrong::Error) }
}
