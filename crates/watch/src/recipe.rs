// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recipe: how to recognize the threads of an application, and the words that its users use.
use crate::chain::Chain;
use crate::own::OwnCount;
use backwall_model::units::place::mistake;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub name: String,
    pub about: String,
    /// Process names, one of which must match; a final `*` stands for any characters. Empty: any name.
    #[serde(default)]
    pub process: Vec<String>,
    /// One word of the command line must end with one of these. Empty: any command line.
    #[serde(default)]
    pub command: Vec<String>,
    /// Names of the threads that count, with patterns as in `process`. Empty: all real-time threads.
    #[serde(default)]
    pub thread: Vec<String>,
    pub called: String,
    pub late: String,
    /// The real-time priority that the threads should have, 1 to 99; absent if the users choose it.
    #[serde(default, deserialize_with = "priority")]
    pub priority: Option<u32>,
    #[serde(default)]
    pub advice: Vec<String>,
    #[serde(default)]
    pub own: OwnCount,
    #[serde(default, rename = "chain")]
    pub chains: Vec<Chain>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadRecipe {
    /// Not TOML, or a field is missing, unknown or of the wrong type.
    #[error("line {line}: {what}")]
    Form {
        /// Number of the line, counted from 1.
        line: usize,
        what: String,
    },
    #[error("{0}: must name a process, a command or a thread; otherwise it matches every program")]
    Everything(String),
    #[error("name: {0:?} must consist of letters, digits, - and _")]
    Name(String),
    #[error(
        "own: needs both counter and column; counter {0:?} must be a program, and column a column of the table that it prints"
    )]
    Counter(String),
    #[error("chain {name}: '{line}': {what}")]
    Chain { name: String, line: String, what: String },
    /// A star elsewhere would be an ordinary character, which no name contains.
    #[error("{field}: {pattern:?}: * is allowed only at the end, where it stands for any characters")]
    Star { field: &'static str, pattern: String },
}

impl Recipe {
    /// Parses the text of a recipe file.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str) -> Result<Self, BadRecipe> {
        let recipe: Self = toml::from_str(text).map_err(|error| bad(text, &error))?;
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if recipe.name.is_empty() || !recipe.name.chars().all(is_letter) {
            return Err(BadRecipe::Name(recipe.name));
        }
        if recipe.process.is_empty() && recipe.command.is_empty() && recipe.thread.is_empty() {
            return Err(BadRecipe::Everything(recipe.name));
        }
        if recipe.own.is_half_said() {
            return Err(BadRecipe::Counter(recipe.own.counter));
        }
        for chain in &recipe.chains {
            if let Err(error) = chain.spec() {
                let (name, line) = (chain.name.clone(), chain.line());
                return Err(BadRecipe::Chain { name, line, what: error.to_string() });
            }
        }
        recipe.star().map_or(Ok(recipe), Err)
    }

    fn star(&self) -> Option<BadRecipe> {
        let fields = [("process", &self.process), ("thread", &self.thread)];
        let mut all = fields.into_iter().flat_map(|(field, names)| names.iter().map(move |name| (field, name)));
        let (field, pattern) =
            all.find(|(_, name)| name.trim_end_matches('*').contains('*') || name.ends_with("**"))?;
        Some(BadRecipe::Star { field, pattern: pattern.clone() })
    }
}

fn priority<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u32>, D::Error> {
    let priority = u32::deserialize(value)?;
    if (1..=99).contains(&priority) {
        return Ok(Some(priority));
    }
    Err(D::Error::custom(format!("priority must be 1 to 99, got {priority}")))
}

fn bad(text: &str, error: &toml::de::Error) -> BadRecipe {
    let (line, what) = mistake(text, error.span(), error.message());
    // For an invalid value, the parser does not name the field.
    let row = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let field = row.split_once('=').map(|(field, _)| field.trim()).filter(|_| what.starts_with("invalid "));
    BadRecipe::Form { line, what: field.map_or(what.clone(), |field| format!("{field}: {what}")) }
}

const NAME_BYTES: usize = 15;

/// Whether a pattern matches a name; a final `*` stands for any characters. The kernel may have cut the name, so only its
/// beginning is compared.
pub(crate) fn fits(patterns: &[String], name: &str) -> bool {
    let cut = |text: &str| text.as_bytes()[..text.len().min(NAME_BYTES)].to_vec();
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.as_bytes().starts_with(&cut(start)),
        None => name.as_bytes() == cut(pattern),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &str = "name = \"x\"\nabout = \"a\"\ncalled = \"c\"\nlate = \"l\"\nprocess = [\"p\"]\n";

    #[test]
    fn each_mistake_has_its_line() {
        assert!(Recipe::parse(WHOLE).is_ok());
        for (text, says) in [
            (format!("{WHOLE}perod = 1\n"), "line 6: unknown field `perod`"),
            (WHOLE.replace("[\"p\"]", "7"), "line 5: process: invalid type: integer `7`"),
            (WHOLE.replace("late = \"l\"\n", ""), "line 1: missing field `late`"),
            (WHOLE.replace("\"x\"", "\"x"), "line 1: "),
            (WHOLE.replace("process = [\"p\"]\n", ""), "x: must name a process, a command or a thread"),
            (format!("{WHOLE}[own]\nline = []\n"), "line 7: unknown field `line`"),
            (format!("{WHOLE}[own]\ncounter = \"rigctl\"\n"), "own: needs both counter and column"),
            (format!("{WHOLE}[own]\ncolumn = \"LATE\"\n"), "own: needs both counter and column"),
            (format!("{WHOLE}priority = 0\n"), "line 6: priority must be 1 to 99, got 0"),
            (WHOLE.replace("\"x\"", "\"a b\""), "name: \"a b\" must consist of"),
            (WHOLE.replace("\"p\"", "\"p*q\""), "process: \"p*q\": * is allowed only at the end"),
        ] {
            let said = Recipe::parse(&text).unwrap_err().to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }

    #[test]
    fn a_star_at_the_end_stands_for_any_letters() {
        let patterns = ["rtapi_app:T#*".to_string(), "jackd".to_string()];
        let fit = ["rtapi_app:T#0", "rtapi_app:T#", "jackd"].map(|name| fits(&patterns, name));
        let misfit = ["rtapi_app:mesg", "jackdbus", ""].map(|name| fits(&patterns, name));
        assert_eq!((fit, misfit), ([true; 3], [false; 3]));
    }

    #[test]
    fn of_a_name_the_kernel_keeps_fifteen_letters() {
        let long = |pattern: &str| fits(&[pattern.to_string()], "controller_of_t");
        assert_eq!(["controller_of_the_rig", "controller_of_the_*", "controller_of_t"].map(long), [true; 3]);
        assert_eq!(["controller_of_", "controller_of_a_rig"].map(long), [false; 2]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_recipe_or_one_line(text in ".{0,200}") {
            if let Err(error) = Recipe::parse(&text) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
