// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads backwall's own task files: TOML with every field of [`Set`].
use super::fault::Fault;
use super::format::Format;
use super::set::Set;
use backwall_model::units::place::line_of;

pub const FORMAT: Format = Format { name: "TOML", begins: |_| true, read };

fn read(text: &str) -> Result<Set, Fault> {
    toml::from_str(text).map_err(|error| fault(&error, text))
}

/// The first line of the parser's message, with the line number and the key in that line.
fn fault(error: &toml::de::Error, text: &str) -> Fault {
    let message = error.message().lines().next().unwrap_or_default().to_string();
    let Some(span) = error.span() else { return Fault::of("", message) };
    let line = line_of(text, span.start);
    let key = text.lines().nth(line - 1).and_then(|row| row.split_once('=')).map_or("", |(key, _)| key.trim());
    let field = if key.len() <= 40 { key } else { "" };
    Fault::at(line, field, message)
}
