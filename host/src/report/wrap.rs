// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text in lines no longer than a terminal is wide.

/// No line of a text is longer that does not look how wide its terminal is.
pub const COLUMNS: usize = 80;

/// The text broken between words; a word that is longer than a line stands alone and is cut. Further lines are indented.
pub fn wrapped(text: &str, columns: usize) -> String {
    const INDENT: &str = "  ";
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !line.trim().is_empty() && longer > columns {
            lines.push(std::mem::replace(&mut line, INDENT.to_string()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| cut(line, columns) + "\n").collect()
}

/// The text, its end replaced by `…` where it is longer than `columns`.
pub fn cut(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_string();
    }
    text.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_stay_whole_and_lines_short() {
        assert_eq!(wrapped("one two three", 9), "one two\n  three\n");
        assert_eq!(wrapped("", 9), "\n");
        assert_eq!(wrapped("abcdefghij kl", 5), "abcd…\n  kl\n");
        assert_eq!((cut("back wall", 9), cut("back walls", 9)), ("back wall".into(), "back wal…".into()));
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_asked(text in ".{0,200}", columns in 3usize..100) {
            prop_assert!(wrapped(&text, columns).lines().all(|line| line.chars().count() <= columns));
        }
    }
}
