// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quotes words for a shell.

/// The word in single quotes, safe with any contents.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words as one command line. Words that a shell would change are quoted.
pub fn line<W: AsRef<str>>(words: &[W]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,@%+^".contains(letter);
    let word = |word: &W| {
        let word = word.as_ref();
        if !word.is_empty() && word.chars().all(plain) { word.to_string() } else { quoted(word) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_a_shell_would_change_are_quoted() {
        assert_eq!(line(&["run", "-D", "6", "--output=a/b-1", "a@2"]), "run -D 6 --output=a/b-1 a@2");
        assert_eq!(line(&["p99<1ms", "", "it's", "$x"]), r"'p99<1ms' '' 'it'\''s' '$x'");
    }
}
