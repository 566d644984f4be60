// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain in a recipe: a table next to the recipe's own fields.
use backwall_model::units;
use backwall_trace::chain::{BadSpec, Spec};
use serde::{Deserialize, Deserializer, de::Error};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    pub name: String,
    pub start: String,
    pub hops: Vec<HopTable>,
    /// What ends the chain; default: the last thread's next sleep.
    #[serde(default)]
    pub end: Option<String>,
    #[serde(default)]
    pub takes: Takes,
    /// Time between two starts, in nanoseconds.
    #[serde(default, deserialize_with = "time", rename = "period")]
    pub period_ns: Option<u64>,
    /// An instance that takes longer than this, in nanoseconds, is late.
    #[serde(default, deserialize_with = "time", rename = "deadline")]
    pub deadline_ns: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum HopTable {
    Name(String),
    /// The next hop needs all of these threads.
    Join {
        join: Vec<String>,
        #[serde(default)]
        takes: Option<Takes>,
    },
    Table {
        thread: String,
        /// Which of several waiting instances the hop takes; default: the chain's own `takes`.
        #[serde(default)]
        takes: Option<Takes>,
        #[serde(default)]
        may_poll: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    #[default]
    Newest,
    Each,
}

impl Chain {
    pub fn line(&self) -> String {
        let hops = self.hops.iter().map(|hop| match hop {
            HopTable::Name(name) => word(name, self.takes, false),
            HopTable::Join { join, takes } => word(&join.join(" + "), takes.unwrap_or(self.takes), false),
            HopTable::Table { thread, takes, may_poll } => word(thread, takes.unwrap_or(self.takes), *may_poll),
        });
        let all: Vec<String> = [self.start.clone()].into_iter().chain(hops).chain(self.end.clone()).collect();
        all.join(" > ")
    }

    /// The chain to follow.
    ///
    /// # Errors
    /// Why the chain is invalid, by the column of its one-line form.
    pub fn spec(&self) -> Result<Spec, BadSpec> {
        let spec = Spec::parse(&self.line())?.named(&self.name);
        Ok(Spec { period_ns: self.period_ns, deadline_ns: self.deadline_ns, ..spec })
    }
}

fn word(name: &str, takes: Takes, polls: bool) -> String {
    let each = if takes == Takes::Each { "each " } else { "" };
    let polls = if polls { "polls " } else { "" };
    format!("{each}{polls}{name}")
}

fn time<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(value)?;
    units::duration(&text).map(|time| Some(time.0)).map_err(|error| D::Error::custom(error.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::recipe::Recipe;

    const WHOLE: &str = "name = \"x\"\nabout = \"a\"\ncalled = \"c\"\nlate = \"l\"\nprocess = [\"p\"]\n";

    #[test]
    fn a_table_is_the_chain_of_its_one_line_form() {
        let text = format!(
            "{WHOLE}[[chain]]\nname = \"loop\"\nstart = \"timer servo\"\n\
             hops = [\"servo\", {{ thread = \"worker\", takes = \"each\", may_poll = true }}, \"act\"]\n\
             end = \"call write\"\nperiod = \"5ms\"\ndeadline = \"1ms\"\n"
        );
        let spec = Recipe::parse(&text).unwrap().chains[0].spec().unwrap();
        assert_eq!(spec.to_string(), "timer servo > servo > each polls worker > act > call write");
        let joined = text.replace("\"act\"]", "{ join = [\"left\", \"right\"] }, \"act\"]");
        let spec_of = |text: &str| Recipe::parse(text).unwrap().chains[0].spec().unwrap();
        let line = "timer servo > servo > each polls worker > left + right > act > call write";
        assert_eq!(spec_of(&joined).to_string(), line);
        let marked = text.replace("timer servo", "mark frame*").replace("call write", "mark shown");
        assert_eq!(spec_of(&marked).to_string(), "mark frame* > servo > each polls worker > act > mark shown");
        assert_eq!((spec.name.as_str(), spec.period_ns, spec.deadline_ns), ("loop", Some(5_000_000), Some(1_000_000)));
    }

    #[test]
    fn a_wrong_chain_is_refused_with_its_name_and_column() {
        let chain = |start: &str, more: &str| {
            format!("{WHOLE}[[chain]]\nname = \"loop\"\nstart = \"{start}\"\nhops = [\"servo\"]\n{more}")
        };
        let said = |text: String| Recipe::parse(&text).unwrap_err().to_string();
        assert!(
            said(chain("timr servo", ""))
                .starts_with("chain loop: 'timr servo > servo': chain, column 1: unknown start")
        );
        assert_eq!(said(chain("timer servo", "deadline = \"soon\"\n")).lines().count(), 1);
        assert!(said(chain("timer servo", "ends = \"sleep\"\n")).contains("unknown field `ends`"));
    }
}
