// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the value changes of a dump, word by word.
use super::BadDump;
use super::header::{Header, Scale};
use super::tokens::Token;
use crate::edges::{Edge, Edges, Gap, Line};
use crate::tick::Tick;
use std::collections::HashMap;

const SKIPPED: u32 = u32::MAX;
const UNDECLARED: u32 = u32::MAX - 1;

enum Expect {
    Change,
    /// The identifier of a value written as a vector. For a one-bit line its last digit counts.
    Identifier(u8),
    CommentEnd,
}

#[derive(Clone, Copy, PartialEq)]
enum LineLevel {
    Level(bool),
    Never,
    Until(Tick, bool),
}

// Number of decimal digits that always fit into 64 bits.
const SAFE_DIGITS: usize = 19;

/// A whole number; `None` if empty, not all digits, or beyond 64 bits.
#[inline]
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > SAFE_DIGITS {
        let only_digits =
            std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        return only_digits?.parse().ok();
    }
    let mut number = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number)
}

pub(super) struct Body {
    scale: Scale,
    short: Box<[u32; 256]>, // index: an identifier of one byte; value: its line
    long: HashMap<Vec<u8>, u32>,
    lines: Vec<Line>,
    known: Vec<LineLevel>,
    gaps: Vec<Gap>,
    now: u64,
    at: Tick,
    expect: Expect,
}

impl Body {
    pub(super) fn new(header: Header, scale: Scale) -> Body {
        let mut body = Body {
            scale,
            short: Box::new([UNDECLARED; 256]),
            long: HashMap::new(),
            known: vec![LineLevel::Never; header.lines.len()],
            lines: Vec::new(),
            gaps: Vec::new(),
            now: 0,
            at: Tick(0),
            expect: Expect::Change,
        };
        header.others.iter().for_each(|identifier| body.declare(identifier, SKIPPED));
        for (number, (identifier, name)) in header.lines.into_iter().enumerate() {
            body.declare(&identifier, number as u32);
            body.lines.push(Line::new(name));
        }
        body
    }

    fn declare(&mut self, identifier: &[u8], line: u32) {
        match identifier {
            [byte] => self.short[*byte as usize] = line,
            _ => drop(self.long.insert(identifier.to_vec(), line)),
        }
    }

    #[inline]
    fn line_of(&self, identifier: &[u8]) -> u32 {
        match identifier {
            [byte] => self.short[*byte as usize],
            _ => self.long.get(identifier).copied().unwrap_or(UNDECLARED),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, token: Token) -> Result<(), BadDump> {
        match self.expect {
            Expect::Change => self.change(token),
            Expect::Identifier(value) => {
                self.expect = Expect::Change;
                self.value(token, token.bytes, value)
            }
            Expect::CommentEnd => {
                if token.bytes == b"$end" {
                    self.expect = Expect::Change;
                }
                Ok(())
            }
        }
    }

    #[inline]
    fn change(&mut self, token: Token) -> Result<(), BadDump> {
        match token.bytes[0] {
            b'#' => return self.advance(token),
            value @ (b'0' | b'1' | b'x' | b'X' | b'z' | b'Z') => return self.value(token, &token.bytes[1..], value),
            b'b' | b'B' => self.expect = Expect::Identifier(token.bytes[token.bytes.len() - 1]),
            b'r' | b'R' | b's' | b'S' => self.expect = Expect::Identifier(b'x'),
            b'$' if token.bytes == b"$comment" => self.expect = Expect::CommentEnd,
            b'$' => {}
            _ => return Err(token.wrong("is not a value change")),
        }
        Ok(())
    }

    /// Whether the reader is outside a value change and a comment.
    #[inline]
    pub(super) fn is_between_changes(&self) -> bool {
        matches!(self.expect, Expect::Change)
    }

    /// Advances to this time. Returns `false` and does nothing if that is invalid.
    #[inline]
    pub(super) fn plain_instant(&mut self, instant: u64) -> bool {
        let at = if instant < self.now { None } else { self.scale.tick(instant) };
        at.inspect(|at| (self.now, self.at) = (instant, *at)).is_some()
    }

    /// Takes the level of a line with a one-byte identifier. Returns `false` and does nothing if there is no such line.
    #[inline]
    pub(super) fn plain_level(&mut self, identifier: u8, level: bool) -> bool {
        let line = self.short[usize::from(identifier)] as usize;
        let is_line = line < self.lines.len();
        if is_line {
            self.level(line, level);
        }
        is_line
    }

    #[inline]
    fn advance(&mut self, token: Token) -> Result<(), BadDump> {
        let instant = decimal(&token.bytes[1..]).ok_or_else(|| token.wrong("is not a time"))?;
        if instant < self.now {
            return Err(token.wrong("is earlier than the previous time"));
        }
        self.now = instant;
        self.at =
            self.scale.tick(instant).ok_or_else(|| token.wrong("is beyond the latest time a capture can hold"))?;
        Ok(())
    }

    #[inline]
    fn value(&mut self, token: Token, identifier: &[u8], value: u8) -> Result<(), BadDump> {
        let line = self.line_of(identifier);
        match (line, value) {
            (UNDECLARED, _) => return Err(token.wrong("is not a variable of the header")),
            (SKIPPED, _) => {}
            (line, b'0' | b'1') => self.level(line as usize, value == b'1'),
            (line, _) => self.unknown(line as usize),
        }
        Ok(())
    }

    #[inline]
    fn level(&mut self, line: usize, level: bool) {
        match self.known[line] {
            LineLevel::Level(now) if now == level => return,
            LineLevel::Level(_) => self.lines[line].edges.push(Edge::new(self.at, level)),
            LineLevel::Never => {}
            LineLevel::Until(from, before) => self.resume(line, from, before != level, level),
        }
        self.known[line] = LineLevel::Level(level);
    }

    /// The line's level is known again. It was not recorded since `from`, so the edge only shows the current level.
    fn resume(&mut self, line: usize, from: Tick, has_changed: bool, level: bool) {
        self.gaps.push(Gap { from, to: self.at });
        if has_changed {
            self.lines[line].edges.push(Edge::new(self.at, level));
        }
    }

    fn unknown(&mut self, line: usize) {
        if let LineLevel::Level(level) = self.known[line] {
            self.known[line] = LineLevel::Until(self.at, level);
        }
    }

    /// The capture. Gaps of all lines are merged; a line that stays unknown ends the capture.
    pub(super) fn finish(self) -> Edges {
        let mut gaps = self.gaps;
        let mut end_at = self.at;
        for known in &self.known {
            if let LineLevel::Until(from, _) = known {
                end_at = end_at.min(*from);
            }
        }
        gaps.retain(|gap| gap.from < end_at);
        Gap::join(&mut gaps);
        Edges { rate: self.scale.rate, lines: self.lines, end_at, gaps }
    }
}
