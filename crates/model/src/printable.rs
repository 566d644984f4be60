// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes text from outside safe to print: removes characters that control a terminal or reorder text.

/// The text on one line, each control or reordering character replaced by `?`.
pub fn printable(text: &str) -> String {
    text.chars().map(|letter| if commands(letter) { '?' } else { letter }).collect()
}

/// Like [`printable`], but keeps line breaks.
pub fn printable_lines(text: &str) -> String {
    text.split_inclusive('\n').map(|line| printable(line.trim_end_matches('\n')) + "\n").collect()
}

/// Whether a character controls a terminal or reorders text: control characters, direction marks, and all line and paragraph ends
/// but `\n`.
pub fn commands(letter: char) -> bool {
    matches!(letter, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_terminals_nor_the_order_of_letters_can_be_commanded() {
        assert_eq!(printable("a\u{1b}[2J\u{9b}1m\u{202e}b\u{2066}\n\té→"), "a?[2J?1m?b???é→");
        let control = (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|letter| letter.is_control());
        assert!(control.into_iter().all(commands));
        assert_eq!(printable_lines("a\u{7}\nb\r\n"), "a?\nb?\n");
    }
}
