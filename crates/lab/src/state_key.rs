// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything in which two machines must be alike to have one saved state.
use std::hash::{DefaultHasher, Hasher};
use std::io::Result;
use std::path::Path;

/// What decides a state, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    text: String,
}

impl Key {
    /// Of what decides, a line each.
    pub fn of(decisive: &[String]) -> Key {
        Key { text: decisive.join("\n") + "\n" }
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A name for a file; whoever finds one compares the text as well.
    pub fn name(&self) -> String {
        digest(self.text.as_bytes())
    }
}

/// Length and digest of a file's contents.
pub fn file(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path)?;
    Ok(format!("{} bytes, {}", bytes.len(), digest(&bytes)))
}

/// Against mistakes, not against an enemy: who can write here can run programs anyway.
pub fn digest(bytes: &[u8]) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(bytes);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}
