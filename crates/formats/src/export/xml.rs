// SPDX-License-Identifier: MIT OR Apache-2.0
//! Escapes text for XML 1.0: markup characters become references, forbidden characters become U+FFFD.

use backwall_model::printable::commands;

pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // In an attribute, a parser would turn these into blanks.
            '\n' | '\r' | '\t' => safe.push_str(&format!("&#{};", u32::from(letter))),
            other if allowed(other) => safe.push(other),
            _ => safe.push('\u{fffd}'),
        }
    }
    safe
}

/// XML 1.0, production 2 "Char", without control characters.
fn allowed(letter: char) -> bool {
    !commands(letter) && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}
