// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the requirements of a run as JUnit XML for CI servers: a test case per requirement, and two for the run itself.
//!
//! FAIL becomes a failure, UNDECIDED an error, because neither may count as a success. An invalid or incomplete run is also an
//! error.
use super::distinct::distinct;
use super::junit_suite::{Case, Suite, Wrong};
use super::said;
use backwall_model::{Outcome, Requirement, Run};

pub fn junit(run: &Run) -> String {
    let cases = cases(run);
    let device = &run.device;
    let properties = [
        ("command", run.command.join(" ")),
        ("figures", run.origin.name().to_string()),
        ("kernel", device.kernel.clone()),
        ("processor", device.cpu.clone()),
    ];
    let properties = properties.map(|(name, value)| (name.to_string(), value)).to_vec();
    let started = run.began();
    Suite { class: "backwall.run", seconds: run.seconds, started, properties, cases }.text()
}

/// The test cases of a run: is it valid, is it complete, and one per requirement.
pub(super) fn cases(run: &Run) -> Vec<Case> {
    let doubt = run.undecided();
    let asked = run.requirements.iter().map(|one| (one.text.clone(), required(one, doubt.as_deref())));
    let all = [evidence(run), whole(run)].into_iter().chain(asked);
    let (names, wrong): (Vec<String>, Vec<Option<Wrong>>) = all.unzip();
    let names = distinct(names, " (", ")");
    names.into_iter().zip(wrong).map(|(name, wrong)| Case { name, wrong }).collect()
}

fn sampled(run: &Run) -> bool {
    run.series.iter().any(|series| series.max.is_some())
}

fn required(requirement: &Requirement, doubt: Option<&str>) -> Option<Wrong> {
    match said::decided(requirement, doubt) {
        (Outcome::Pass, _) => None,
        (Outcome::Fail, why) => Some(Wrong::Failure(why.to_string())),
        (Outcome::Undecided, why) => Some(Wrong::Error(format!("undecided: {why}"))),
    }
}

fn evidence(run: &Run) -> (String, Option<Wrong>) {
    let nothing = (!sampled(run)).then(|| "(no sample)".to_string());
    let why = run.spoiled_line().or(nothing).map(|which| Wrong::Error(format!("no evidence {which}")));
    ("the run is evidence".to_string(), why)
}

fn whole(run: &Run) -> (String, Option<Wrong>) {
    let why = match run.unfinished() {
        Some(stretch) => Some(format!("unfinished, until {}", stretch.until)),
        None => run.ended_early().map(String::from),
    };
    ("all planned phases were measured".to_string(), why.map(Wrong::Error))
}
