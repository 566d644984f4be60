// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text in lines no longer than a terminal is wide.

/// Line width of texts that ignore the terminal's width.
pub const COLUMNS: usize = 80;

/// Wraps text between words; a word longer than a line gets its own line and is cut. Further lines are indented.
pub fn wrapped(text: &str, columns: usize) -> String {
    wrapped_at(text, columns, 2)
}

pub fn wrapped_at(text: &str, columns: usize, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !line.trim().is_empty() && longer > columns {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| cut(line, columns) + "\n").collect()
}

/// Wraps lines longer than `columns` between words and cuts nothing. Further lines are indented below the first; columns keep
/// their distances.
pub fn narrow(text: &str, columns: usize) -> String {
    text.lines().map(|line| broken(line.trim_end(), columns)).collect()
}

fn broken(line: &str, columns: usize) -> String {
    let own = line.len() - line.trim_start_matches(' ').len();
    let (mut text, mut rest, mut indent) = (String::new(), line[own..].to_string(), own);
    while indent + rest.chars().count() > columns {
        let room = columns.saturating_sub(indent);
        let spaces = rest.char_indices().enumerate().filter(|(_, (_, letter))| *letter == ' ');
        // A word longer than the line gets its own line and is not cut.
        let (fitting, beyond): (Vec<_>, Vec<_>) =
            spaces.map(|(at, (byte, _))| (at, byte)).partition(|(at, _)| *at <= room);
        let Some(&(_, byte)) = fitting.last().or(beyond.first()) else { break };
        text += &format!("{:indent$}{}\n", "", rest[..byte].trim_end());
        rest = rest[byte..].trim_start().to_string();
        indent = own + 2;
    }
    text + &format!("{:indent$}{rest}\n", "")
}

/// The text, with `…` at its end if it exceeds `columns`. A figure is shown completely or not at all.
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
    fn a_long_line_is_broken_between_words_and_keeps_every_figure() {
        assert_eq!(narrow("1,234  100.0 %  the whole\n", 16), "1,234  100.0 %\n  the whole\n");
        assert_eq!(narrow("    change: a b\n\nshort\n", 12), "    change:\n      a b\n\nshort\n");
        assert_eq!(narrow("abcdefghij kl\n", 5), "abcdefghij\n  kl\n");
        assert_eq!(narrow("abcdefghij\n", 5), "abcdefghij\n");
        assert_eq!(narrow("äöü äöü\n", 7), "äöü äöü\n");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_by_breaking_and_no_line_is_long_that_could_be_shorter(text in "[a-z0-9.,ä ]{0,60}", columns in 1..40_usize) {
            let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
            let broken = narrow(&text, columns);
            prop_assert_eq!(words(&broken), words(&text));
            for line in broken.lines().filter(|line| line.chars().count() > columns) {
                prop_assert!(line.split_whitespace().count() <= 1, "{:?}", line);
            }
        }
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
