// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formats advice as lines: a sentence, followed by commands that can be pasted into a shell.
use crate::wrap::wrapped_at;

/// Separates a command from its remark.
const REMARK: &str = "   # ";
/// Ends a line that the shell continues on the next one.
const GOES_ON: &str = " \\";

/// A sentence or a command, wrapped to the requested number of columns.
#[derive(Debug)]
pub struct Part {
    pub is_command: bool,
    pub lines: Vec<String>,
}

/// Splits an advice: the first line is a sentence, every other line a command.
pub fn parts(text: &str, columns: usize) -> Vec<Part> {
    let mut lines = text.lines();
    let sentence = wrapped_at(lines.next().unwrap_or_default(), columns, 0);
    let sentence = Part { is_command: false, lines: sentence.lines().map(String::from).collect() };
    let commands = lines.map(|line| Part { is_command: true, lines: command(line, columns) });
    std::iter::once(sentence).chain(commands).collect()
}

pub fn lines(text: &str, columns: usize) -> Vec<String> {
    parts(text, columns).into_iter().flat_map(|part| part.lines).collect()
}

/// Wraps a long command with backslashes and puts its remark on the lines below.
pub fn command(line: &str, columns: usize) -> Vec<String> {
    if line.chars().count() <= columns {
        return vec![line.to_string()];
    }
    let (command, remark) = line.split_once(REMARK).map_or((line, None), |(command, remark)| (command, Some(remark)));
    let mut lines = continued(command, columns);
    let wrapped = remark.map(|remark| wrapped_at(remark, columns - 2, 0)).unwrap_or_default();
    lines.extend(wrapped.lines().map(|line| format!("# {line}")));
    lines
}

/// Breaks a command at spaces outside quotes. A command without such a space stays whole.
fn continued(command: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut rest) = (Vec::new(), command);
    let indent = |lines: &Vec<String>| if lines.is_empty() { "" } else { "  " };
    while indent(&lines).len() + rest.chars().count() > columns {
        let room = columns - indent(&lines).len() - GOES_ON.len();
        let breaks = free_spaces(rest);
        let fits = |at: &&usize| rest[..**at].chars().count() <= room;
        let Some(&at) = breaks.iter().rev().find(fits).or(breaks.first()) else { break };
        lines.push(format!("{}{}{GOES_ON}", indent(&lines), &rest[..at]));
        rest = &rest[at + 1..];
    }
    lines.push(format!("{}{rest}", indent(&lines)));
    lines
}

/// The positions of the spaces outside quotes.
fn free_spaces(command: &str) -> Vec<usize> {
    let mut quote = None;
    let free = |(at, letter): (usize, char)| {
        match (quote, letter) {
            (None, ' ') => return Some(at),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
        None
    };
    command.char_indices().filter_map(free).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_command_has_a_line_of_its_own_and_a_long_one_goes_on_as_the_shell_reads_it() {
        let text =
            "move the interrupt off CPU 1\nN=$(grep -wm1 'a b' /proc/interrupts | tr -d ' ')   # the number\necho 0";
        assert_eq!(
            lines(text, 40),
            [
                "move the interrupt off CPU 1",
                "N=$(grep -wm1 'a b' /proc/interrupts | \\",
                "  tr -d ' ')",
                "# the number",
                "echo 0"
            ]
        );
        assert_eq!(
            lines("a sentence of words\ntrue   # undo: false", 24),
            ["a sentence of words", "true   # undo: false"]
        );
        assert_eq!(lines("s\n'one word, quoted, of 30 letters'", 10), ["s", "'one word, quoted, of 30 letters'"]);
    }

    proptest! {
        /// A shell that joins the lines again gets the same words.
        #[test]
        fn no_breaking_changes_a_command(command in "[a-z]{1,9}( ([a-z/=]{1,12}|'[a-z ]{0,9}')){0,12}", columns in 12..60_usize) {
            let pasted = lines(&format!("s\n{command}"), columns)[1..].join("\n").replace(" \\\n ", "");
            prop_assert_eq!(pasted, command);
        }
    }
}
