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

/// The text, its end replaced by `…` where it is longer than `columns`. A figure is there as a whole or not at all.
pub fn cut(text: &str, columns: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= columns {
        return text.to_string();
    }
    let kept = columns.saturating_sub(1);
    let of_figure = |letter: &&char| letter.is_ascii_digit() || **letter == ',' || **letter == '.';
    let goes_on = letters[kept..].iter().take_while(of_figure).any(char::is_ascii_digit);
    let begun = letters[..kept].iter().rev().take_while(of_figure).count();
    let kept = if goes_on { kept - begun } else { kept };
    letters[..kept].iter().chain(&['…']).collect()
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

    #[test]
    fn a_figure_is_whole_or_not_there() {
        let said = "stood still for 1,234.5 s";
        assert_eq!(cut(said, 21), "stood still for …");
        assert_eq!(cut(said, 24), "stood still for 1,234.5…");
        assert_eq!(cut("12345", 3), "…");
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_asked(text in ".{0,200}", columns in 3usize..100) {
            prop_assert!(wrapped(&text, columns).lines().all(|line| line.chars().count() <= columns));
        }
    }
}
