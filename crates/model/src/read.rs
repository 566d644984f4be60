// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `run.json`: returns a run, or a one-line error.
use super::printable::printable;
use super::{Run, SCHEMA, audit};
use serde::Deserialize;

/// The name of every run schema begins with this; its number follows.
const FAMILY: &str = "backwall/run/";

/// The number of [`SCHEMA`], the first schema that later versions will read. Earlier ones were never used outside the project.
const NUMBER: u64 = 4;

/// Maximum size of a run file. A run of a thousand series has a third of this size.
pub const MOST_BYTES: u64 = 64 << 20;
/// Most values in a file. A value takes about a hundred bytes of memory, but may take only two bytes of text.
const MOST_VALUES: usize = 4 << 20;

const MOST_SHOWN: usize = 32;

/// Why backwall cannot read a text as a run.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// JSON with a missing member, or a member of another type.
    #[error("no run: {0}")]
    Form(String),
    /// Not JSON: perhaps another tool's result.
    #[error("not a run (expected JSON); backwall import FILE reads results of other tools")]
    Other,
    /// More values than any run has.
    #[error("not a run: more than {0} values")]
    Large(usize),
    /// A schema that is not backwall's.
    #[error("not a run: unknown schema {0:?}")]
    Foreign(String),
    /// The file has another schema number than this version reads.
    #[error("written by backwall {version} (schema {number}); this version reads schema {NUMBER}: {remedy}")]
    OtherSchema {
        /// The version of backwall that wrote the file.
        version: String,
        /// The number of the file's schema.
        number: u64,
        /// What to do.
        remedy: &'static str,
    },
    /// The run's figures contradict each other.
    #[error("no run: {0}")]
    Contradiction(#[from] audit::Contradiction),
}

/// The message may quote the file, so line breaks and terminal controls are escaped.
impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        let shown =
            |letter: char| if letter.is_control() { letter.escape_default().collect() } else { String::from(letter) };
        Self::Form(error.to_string().chars().map(shown).collect())
    }
}

#[derive(Deserialize)]
struct Head {
    schema: String,
    #[serde(default)]
    version: String,
}

impl Head {
    fn refusal(self) -> Unreadable {
        let digits = self.schema.strip_prefix(FAMILY).filter(|digits| !digits.starts_with(['0', '+']));
        let Some(number) = digits.and_then(|digits| digits.parse().ok()) else {
            return Unreadable::Foreign(self.schema);
        };
        let remedy = if number > NUMBER { "install a newer backwall" } else { "measure again" };
        Unreadable::OtherSchema {
            version: printable(&self.version.chars().take(MOST_SHOWN).collect::<String>()),
            number,
            remedy,
        }
    }
}

/// Reads a run of this schema. Unknown members are ignored.
///
/// # Errors
/// If the text is not a run, has another schema, or contradicts itself.
pub fn read(text: &str) -> Result<Run, Unreadable> {
    read_up_to(text, MOST_VALUES)
}

fn read_up_to(text: &str, most: usize) -> Result<Run, Unreadable> {
    if text.len() as u64 > MOST_BYTES || values(text.as_bytes()) > most {
        return Err(Unreadable::Large(most));
    }
    let run = match serde_json::from_str::<Run>(text) {
        Ok(run) if run.schema == SCHEMA => run,
        Ok(run) => return Err(Head { schema: run.schema, version: run.version }.refusal()),
        Err(error) => match serde_json::from_str::<Head>(text) {
            Ok(head) if head.schema != SCHEMA => return Err(head.refusal()),
            _ if !text.trim_start().starts_with(['{', '[', '"']) => return Err(Unreadable::Other),
            _ => return Err(error.into()),
        },
    };
    audit::audit(&run)?;
    Ok(run)
}

/// Upper bound of the number of values in a JSON text: a comma or an opening bracket precedes every value but the first.
fn values(text: &[u8]) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_sent_to_import() {
        assert!(read("T: 0 ( 4541) P:99 I:1000").unwrap_err().to_string().contains("backwall import FILE"));
        assert!(matches!(read("{\"schema\": 1}"), Err(Unreadable::Form(_))));
    }

    #[test]
    fn a_text_of_more_values_than_any_run_has_is_refused_before_it_is_read() {
        const MOST: usize = 1 << 10;
        let text = format!("{{\"schema\":\"{SCHEMA}\",\"command\":[{}\"\"]}}", "\"\",".repeat(MOST));
        assert!(matches!(read_up_to(&text, MOST), Err(Unreadable::Large(MOST))));
        let one = format!("\"{}\"", ",[{\\\"".repeat(MOST));
        assert!(matches!(read_up_to(&one, MOST), Err(Unreadable::Form(_))), "what a text holds is no value");
        assert_eq!(values(br#"{"a":[1,2,{"b":",\"["}],"c":{}}"#), 8);
    }
}
