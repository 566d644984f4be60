// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirements of a run as JUnit XML, which the common CI servers read: a test case a requirement, and two of the run.
//!
//! FAIL is a failure, UNDECIDED an error: neither may pass for a success. So is a run that is no evidence, or not whole.
use super::xml::escaped;
use crate::run::{Outcome, Requirement, Run};

/// The class of every test case.
const CLASS: &str = "backwall.run";

/// One test suite.
pub fn junit(run: &Run) -> String {
    let cases: Vec<Case> =
        [evidence(run), whole(run)].into_iter().chain(run.requirements.iter().map(required)).collect();
    let of =
        |kind: &str| cases.iter().filter(|case| case.wrong.as_ref().is_some_and(|(found, _)| *found == kind)).count();
    let attributes = format!(
        "name=\"backwall\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3}\"",
        cases.len(),
        of("failure"),
        of("error"),
        run.seconds
    );
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += &format!("<testsuites {}>\n", attributes.replace(" skipped=\"0\"", ""));
    text += &format!("  <testsuite {attributes} timestamp=\"{}\">\n", escaped(run.started.trim_end_matches('Z')));
    text += &properties(run);
    cases.iter().for_each(|case| text += &case.element());
    text + "  </testsuite>\n</testsuites>\n"
}

struct Case {
    name: String,
    /// `failure` or `error`, and why.
    wrong: Option<(&'static str, String)>,
}

impl Case {
    fn element(&self) -> String {
        let open = format!("    <testcase classname=\"{CLASS}\" name=\"{}\" time=\"0\"", escaped(&self.name));
        match &self.wrong {
            None => format!("{open}/>\n"),
            Some((kind, why)) => {
                format!("{open}>\n      <{kind} type=\"{kind}\" message=\"{}\"/>\n    </testcase>\n", escaped(why))
            }
        }
    }
}

fn required(requirement: &Requirement) -> Case {
    let wrong = match requirement.outcome {
        Outcome::Pass => None,
        Outcome::Fail => Some(("failure", requirement.because.clone())),
        Outcome::Undecided => Some(("error", format!("undecided: {}", requirement.because))),
    };
    Case { name: requirement.text.clone(), wrong }
}

fn evidence(run: &Run) -> Case {
    let why = run.warnings.iter().find(|warning| warning.starts_with("no evidence")).cloned();
    let why = (!run.evidence).then(|| why.unwrap_or_else(|| "the warnings of the run say why".to_string()));
    Case { name: "the run is evidence".to_string(), wrong: why.map(|why| ("error", why)) }
}

fn whole(run: &Run) -> Case {
    let why = match run.unfinished() {
        Some(stretch) => Some(format!("unfinished, until {}", stretch.until)),
        None => run.ended_early().map(String::from),
    };
    Case { name: "all that was planned was measured".to_string(), wrong: why.map(|why| ("error", why)) }
}

fn properties(run: &Run) -> String {
    let device = &run.device;
    let all =
        [("command", run.command.join(" ")), ("kernel", device.kernel.clone()), ("processor", device.cpu.clone())];
    let property =
        |(name, value): (&str, String)| format!("      <property name=\"{name}\" value=\"{}\"/>\n", escaped(&value));
    format!("    <properties>\n{}    </properties>\n", all.map(property).concat())
}
