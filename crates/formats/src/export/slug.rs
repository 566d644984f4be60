// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names for tools that allow only letters, digits, `-` and `_`.

/// Replaces each sequence of other characters by one `-`; `unnamed` if nothing is left.
pub(super) fn slug(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: Vec<&str> = name.split(|letter| !allowed(letter)).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "unnamed".to_string() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_allowed_is_one_dash() {
        assert_eq!(slug("wakeup[load=none,idle=as-is]"), "wakeup-load-none-idle-as-is");
        assert_eq!(
            (slug("p99.9 < 1 ms"), slug(" \u{1b}[2J"), slug("<>")),
            ("p99-9-1-ms".into(), "2J".into(), "unnamed".into())
        );
    }
}
