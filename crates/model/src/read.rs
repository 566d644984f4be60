// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the text of a `run.json` to a run, or to one line that says what is wrong with it.
use super::{Run, SCHEMA, audit, read_v1, read_v2, read_values};
use serde::Deserialize;
use serde_json::Value;

/// What stands before the number in the name of every schema of a run.
const FAMILY: &str = "backwall/run/";

/// The schema before this one.
const SECOND: &str = "backwall/run/2";

/// No text of a run is longer: one of a thousand series has a third of it.
pub const MOST_BYTES: u64 = 64 << 20;
/// Nor has it more values. Each takes some hundred bytes once it is read, of which a text may hold one in two bytes.
const MOST_VALUES: usize = 4 << 20;

/// Why a text is no run that this version reads.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// No JSON, or a member that is missing or of another type.
    #[error("no run: {0}")]
    Form(String),
    /// Larger than any run.
    #[error("no run: more than {0} values")]
    Large(usize),
    /// Of another family.
    #[error("no run: schema {0:?} is none of backwall's")]
    Foreign(String),
    /// Of a later schema.
    #[error("made by a newer version of backwall (schema {0}); this one reads 1 to 3")]
    Newer(u64),
    /// Its figures contradict each other.
    #[error("no run: {0}")]
    Contradiction(#[from] audit::Contradiction),
}

/// The message may quote the file: what would break the line or act on a terminal is written out.
impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        let shown =
            |letter: char| if letter.is_control() { letter.escape_default().collect() } else { String::from(letter) };
        Self::Form(error.to_string().chars().map(shown).collect())
    }
}

/// The one member that says how the others are to be read.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// Reads a run of this schema or of an earlier one. Members that it does not know are left out.
///
/// # Errors
/// When it is no run, of a newer schema, or contradicts itself.
pub fn read(text: &str) -> Result<Run, Unreadable> {
    if text.len() as u64 > MOST_BYTES || values(text.as_bytes()) > MOST_VALUES {
        return Err(Unreadable::Large(MOST_VALUES));
    }
    // Nearly every file is of this schema, and one pass over it is enough.
    let mut run = match serde_json::from_str::<Run>(text) {
        Ok(run) if run.schema == SCHEMA => run,
        _ => of_any_schema(text)?,
    };
    read_values::convert(&mut run);
    audit::audit(&run)?;
    Ok(run)
}

/// How many values a text of JSON holds at most: no two of them are without a comma or an opening bracket between them.
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

/// By the schema that it says it is of.
fn of_any_schema(text: &str) -> Result<Run, Unreadable> {
    let Head { schema } = serde_json::from_str(text)?;
    let older = || serde_json::from_str::<Value>(text);
    Ok(match schema.strip_prefix(FAMILY).and_then(|number| number.parse().ok()) {
        _ if schema == SCHEMA => serde_json::from_str(text)?,
        Some(1) => serde_json::from_value(read_v2::convert(read_v1::convert(older()?)))?,
        Some(2) if schema == SECOND => serde_json::from_value(read_v2::convert(older()?))?,
        Some(number) if number > 3 => return Err(Unreadable::Newer(number)),
        _ => return Err(Unreadable::Foreign(schema)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_more_values_than_any_run_has_is_refused_before_it_is_read() {
        let text = format!("{{\"schema\":\"{SCHEMA}\",\"command\":[{}\"\"]}}", "\"\",".repeat(MOST_VALUES));
        assert!(matches!(read(&text), Err(Unreadable::Large(_))));
        let one = format!("\"{}\"", ",[{\\\"".repeat(MOST_VALUES));
        assert!(matches!(read(&one), Err(Unreadable::Form(_))), "what a text holds is no value");
        assert_eq!(values(br#"{"a":[1,2,{"b":",\"["}],"c":{}}"#), 8);
    }
}
