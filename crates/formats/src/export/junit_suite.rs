// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes JUnit XML for CI servers: one suite of test cases.
use super::xml::escaped;
use jiff::Timestamp;

pub(super) struct Suite {
    pub class: &'static str,
    pub seconds: f64,
    pub started: Option<Timestamp>,
    pub properties: Vec<(String, String)>,
    pub cases: Vec<Case>,
}

pub(super) struct Case {
    pub name: String,
    pub wrong: Option<Wrong>,
}

/// Why a test case did not pass. An undecided case becomes an error, so that it does not count as a success.
pub(super) enum Wrong {
    Failure(String),
    Error(String),
}

impl Suite {
    pub(super) fn text(&self) -> String {
        let failures = self.cases.iter().filter(|case| matches!(case.wrong, Some(Wrong::Failure(_)))).count();
        let errors = self.cases.iter().filter(|case| matches!(case.wrong, Some(Wrong::Error(_)))).count();
        let counts =
            format!("name=\"backwall\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", self.cases.len());
        let time = format!("time=\"{:.3}\"", self.seconds);
        let started = self.started.map(|at| at.strftime(" timestamp=\"%Y-%m-%dT%H:%M:%S\""));
        let started = started.map(|at| at.to_string());
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        text += &format!("<testsuites {counts} {time}>\n");
        text += &format!("  <testsuite {counts} skipped=\"0\" {time}{}>\n", started.unwrap_or_default());
        text += &format!(
            "    <properties>\n{}    </properties>\n",
            self.properties.iter().map(property).collect::<String>()
        );
        self.cases.iter().for_each(|case| text += &case.element(self.class));
        text + "  </testsuite>\n</testsuites>\n"
    }
}

impl Case {
    fn element(&self, class: &str) -> String {
        let open = format!("    <testcase classname=\"{class}\" name=\"{}\" time=\"0\"", escaped(&self.name));
        let (kind, why) = match &self.wrong {
            None => return format!("{open}/>\n"),
            Some(Wrong::Failure(why)) => ("failure", why),
            Some(Wrong::Error(why)) => ("error", why),
        };
        format!("{open}>\n      <{kind} type=\"{kind}\" message=\"{}\"/>\n    </testcase>\n", escaped(why))
    }
}

fn property((name, value): &(String, String)) -> String {
    format!("      <property name=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value))
}
