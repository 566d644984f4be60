// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of the Trace Stream Description Language.
//! Source: Common Trace Format v1.8.3, appendix C.
use std::iter::Peekable;
use std::str::CharIndices;

// A trace's metadata may have at most this many words; LTTng's has some 100,000.
const TOKENS_MAX: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Number(i128),
    Mark(&'static str),
}

const MARKS: [&str; 19] =
    ["...", ":=", "->", "+", "{", "}", "[", "]", "<", ">", "(", ")", ";", ":", ",", "=", ".", "*", "-"];

/// The words of a text, each with its line. The error is the line of a wrong word, and what is wrong with it.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u64)>, (u64, String)> {
    let mut words = Vec::new();
    let (mut letters, mut line) = (text.char_indices().peekable(), 1);
    while let Some((at, letter)) = letters.peek().copied() {
        if words.len() >= TOKENS_MAX {
            return Err((line, format!("more than {TOKENS_MAX} words")));
        }
        let rest = &text[at..];
        if letter.is_whitespace() || letter == '\0' {
            line += u64::from(letter == '\n');
            letters.next();
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or((line, "a comment without an end".to_string()))?;
            line += rest[..end].matches('\n').count() as u64;
            skip(&mut letters, at + end + 2);
        } else if rest.starts_with("//") {
            skip(&mut letters, at + rest.find('\n').unwrap_or(rest.len()));
        } else if letter == '"' || rest.starts_with("L\"") {
            let begin = at + if letter == 'L' { 2 } else { 1 };
            skip(&mut letters, begin);
            words.push((Token::Text(quoted(&mut letters).ok_or((line, "a text without an end".to_string()))?), line));
        } else if letter == '\'' {
            words.push((Token::Number(character(rest).ok_or((line, "a bad letter".to_string()))?), line));
            let length =
                if rest[1..].starts_with('\\') { 4 } else { 2 + rest[1..].chars().next().map_or(0, char::len_utf8) };
            skip(&mut letters, at + length);
        } else if letter.is_ascii_alphabetic() || letter == '_' || letter == '@' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '@').unwrap_or(rest.len());
            words.push((Token::Word(rest[..end].to_string()), line));
            skip(&mut letters, at + end);
        } else if letter.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let number =
                number(&rest[..end]).ok_or_else(|| (line, format!("no number: {}", shortened(&rest[..end]))))?;
            words.push((Token::Number(number), line));
            skip(&mut letters, at + end);
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            words.push((Token::Mark(mark), line));
            skip(&mut letters, at + mark.len());
        } else {
            return Err((line, format!("unexpected character {letter:?}")));
        }
    }
    Ok(words)
}

fn skip(letters: &mut Peekable<CharIndices<'_>>, to: usize) {
    while letters.peek().is_some_and(|(at, _)| *at < to) {
        letters.next();
    }
}

fn quoted(letters: &mut Peekable<CharIndices<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match letters.next()?.1 {
            '"' => return Some(text),
            '\\' => text.push(match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => text.push(other),
        }
    }
}

fn character(text: &str) -> Option<i128> {
    let mut letters = text.chars().skip(1);
    let letter = match letters.next()? {
        '\\' => letters.next()?,
        letter => letter,
    };
    (letters.next() == Some('\'')).then_some(letter as i128)
}

fn number(text: &str) -> Option<i128> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    i128::from_str_radix(digits, radix).ok()
}

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_passed_over_and_lines_are_counted() {
        let found = tokens("/* CTF 1.8\n */ event {\n name = \"a \\\"b\"; // x\n id = 0x1F; 'a' 017 };").unwrap();
        let word = |text: &str| Token::Word(text.to_string());
        assert_eq!(found[0], (word("event"), 2));
        assert_eq!(found[4], (Token::Text("a \"b".to_string()), 3));
        assert_eq!(found[8], (Token::Number(31), 4));
        assert_eq!(found[10..12], [(Token::Number(97), 4), (Token::Number(15), 4)]);
    }

    #[test]
    fn what_does_not_end_is_refused_with_its_line() {
        assert_eq!(tokens("\n/* x").unwrap_err(), (2, "a comment without an end".to_string()));
        assert_eq!(tokens("a \"x").unwrap_err(), (1, "a text without an end".to_string()));
        assert_eq!(tokens("12z").unwrap_err().0, 1);
    }
}
