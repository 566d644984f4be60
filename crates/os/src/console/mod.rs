// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints to standard output and standard error, and keeps names from captures, guests and other people's runs from controlling
//! the terminal.
//!
//! A name may contain an escape sequence that repaints the screen, or a character that reverses the direction of the text. Each
//! such character is printed as `\u001b`, its JSON escape, so the value of a JSON result does not change.
//!
//! Nothing else in backwall prints. [`progress`] shows how far a command is; the two streams are below.
#![expect(clippy::disallowed_methods, reason = "reads the environment, prints")]
pub mod progress;

use crate::readable::readable;
use crate::refusal::{Result, bad_input, unable};
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Prints a value as JSON and nothing else.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(bad_input)?;
    print(&(text + "\n"))
}

/// Prints a result on standard output. A full disk is an error, not a panic. Once the reader has closed the pipe, as `head` does,
/// this prints nothing and returns no error; a caller that prints repeatedly checks [`is_closed`].
pub fn print(text: &str) -> Result<()> {
    print_raw(&visible(text, &['\n', '\t']))
}

/// Like [`print`], but with a style per line. Styles appear if standard output is a terminal that supports them and `NO_COLOR` is
/// not set.
pub fn print_styled<'a>(lines: impl Iterator<Item = (Style, &'a str)>) -> Result<()> {
    let coloured = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    let line = |(style, text): (Style, &str)| match coloured {
        true => format!("{style}{}{style:#}\n", visible(text, &['\t'])),
        false => visible(text, &['\t']) + "\n",
    };
    print_raw(&lines.map(line).collect::<String>())
}

/// Prints data for another program unchanged; to a terminal it prints as [`print`] does.
pub fn print_data(text: &str) -> Result<()> {
    if std::io::stdout().is_terminal() { print(text) } else { print_raw(text) }
}

fn print_raw(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        written => written.map_err(|error| unable(format!("standard output: {error}")))?,
    }
    Ok(())
}

static CLOSED: AtomicBool = AtomicBool::new(false);

pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Number of columns of the terminal on standard output, or 80.
pub fn columns() -> usize {
    columns_of(std::io::stdout())
}

/// Number of columns of the terminal on standard error, or 80.
pub fn columns_of_errors() -> usize {
    columns_of(std::io::stderr())
}

/// Number of rows of the terminal on standard error, or 24.
pub fn rows_of_errors() -> usize {
    let rows = tcgetwinsize(std::io::stderr()).ok().map(|size| usize::from(size.ws_row));
    rows.filter(|rows| *rows > 0).unwrap_or(24)
}

fn columns_of(stream: impl AsFd) -> usize {
    tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Draws lines over the last `drawn` lines on the terminal of standard error. Each line must be shorter than a row of the
/// terminal. The cursor stays after the last line.
pub fn redraw(lines: &[String], drawn: usize) {
    let up = match drawn {
        0 | 1 => String::new(),
        more => format!("\u{1b}[{}A", more - 1),
    };
    let lines: Vec<String> = lines.iter().map(|line| format!("{}\u{1b}[K", visible(line, &[]))).collect();
    let text = format!("\r{up}{}\u{1b}[J", lines.join("\r\n"));
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The line that the user has typed on the terminal, if there is one. While another program has the terminal, this does not read,
/// because the kernel would stop this process.
pub fn typed() -> Option<String> {
    let input = std::io::stdin();
    let is_ours = tcgetpgrp(&input).is_ok_and(|group| group == getpgrp());
    let waits = is_ours && readable(&input, Duration::ZERO).unwrap_or(false);
    let mut line = String::new();
    (waits && input.read_line(&mut line).is_ok()).then(|| line.trim().to_string())
}

/// Prints one line on standard error. If that is closed, only the exit code reports the error.
pub fn complain(line: &str) {
    explain(&visible(&in_words(line), &['\t']));
}

/// Removes the number of a system error, because its text already says it: `No such file or directory (os error 2)`.
fn in_words(line: &str) -> String {
    let mut pieces = line.split(" (os error ");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| match piece.split_once(')') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => text + rest,
        _ => format!("{text} (os error {piece}"),
    })
}

pub fn explain(lines: &str) {
    let text = visible(lines.trim_end_matches('\n'), &['\n', '\t']) + "\n";
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Standard error, as the output of another program whose text must not mix with backwall's result.
pub fn beside_result() -> Result<Stdio> {
    Ok(std::io::stderr().as_fd().try_clone_to_owned()?.into())
}

/// Whether standard error is a terminal that can redraw a line.
pub fn watched() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// `text` with every control character escaped, except for those in `kept`.
fn visible(text: &str, kept: &[char]) -> String {
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        if acts(letter) && !kept.contains(&letter) {
            write!(clean, "\\u{:04x}", u32::from(letter)).expect("writing to a string");
        } else {
            clean.push(letter);
        }
    }
    clean
}

/// Whether a character is a control character, or a Unicode character that ends a line or changes the direction of the text
/// around it (Unicode Standard Annex 9, table "Bidirectional Character Types", explicit formatting and implicit marks).
fn acts(letter: char) -> bool {
    let direction =
        matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || direction || matches!(letter, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_on_a_terminal_is_written_out() {
        let hostile = "a\u{1b}[2Jb\u{9b}3mc\u{202e}d\u{2066}e\u{7f}f\rg";
        assert_eq!(visible(hostile, &[]), "a\\u001b[2Jb\\u009b3mc\\u202ed\\u2066e\\u007ff\\u000dg");
    }

    #[test]
    fn letters_of_every_language_and_lines_of_a_table_stay() {
        let table = "µs\tπ ≤ 3\nשלום 你好 ▁▂▃█ é\n";
        assert_eq!(visible(table, &['\n', '\t']), table);
    }

    #[test]
    fn an_error_stays_on_one_line() {
        assert_eq!(visible("key \"a\nb\"", &['\t']), "key \"a\\u000ab\"");
    }

    #[test]
    fn an_error_of_the_system_is_told_in_words() {
        let told = "x: No such file or directory (os error 2); name another (os error 13) (os error x) (os error";
        assert_eq!(in_words(told), "x: No such file or directory; name another (os error x) (os error");
        assert_eq!(in_words("plain"), "plain");
    }

    #[test]
    fn a_json_value_stays_the_same_value() {
        let name = "x\u{9b}y\u{202e}z\u{1b}";
        let printed = visible(&serde_json::to_string(name).unwrap(), &['\n', '\t']);
        assert!(!printed.contains(acts), "{printed}");
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), name);
    }
}
