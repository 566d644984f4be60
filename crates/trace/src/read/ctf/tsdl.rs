// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Trace Stream Description Language, in which CTF 1.8 describes a trace.
//! Source: Common Trace Format v1.8.3, section 7 and appendix C.
mod block;
mod types;

use super::description::{
    ALIGN_MAX, CLASSES_MAX, DEPTH_MAX, Description, EventClass, Order, StreamClass, TYPES_MAX, Type,
};
use super::tokens::{Token, shortened, tokens};
use block::{Block, Value, clock};
use std::collections::BTreeMap;

pub(super) type Fault = (u64, String);

pub(super) fn parse(text: &str) -> Result<Description, Fault> {
    let tokens = tokens(text)?;
    let order = order_of(&tokens);
    let mut parser = Parser { tokens, at: 0, order, scopes: vec![BTreeMap::new()], types_left: TYPES_MAX, depth: 0 };
    parser.trace()
}

/// The byte order of the trace, which also applies to the types that are declared before it.
fn order_of(tokens: &[(Token, u64)]) -> Option<Order> {
    let begin = tokens.windows(2).position(|two| is_word(&two[0].0, "trace") && two[1].0 == Token::Mark("{"))?;
    let mut depth = 0;
    for (at, (token, _)) in tokens.iter().enumerate().skip(begin + 1) {
        match token {
            Token::Mark("{") => depth += 1,
            Token::Mark("}") => depth -= 1,
            token if depth == 1 && is_word(token, "byte_order") => {
                return tokens.get(at + 2).and_then(|(token, _)| order(token));
            }
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

fn order(token: &Token) -> Option<Order> {
    match token {
        Token::Word(word) if word == "le" => Some(Order::Little),
        Token::Word(word) if word == "be" || word == "network" => Some(Order::Big),
        _ => None,
    }
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found == word)
}

struct Parser {
    tokens: Vec<(Token, u64)>,
    at: usize,
    order: Option<Order>,
    /// Named types of the open blocks, the innermost block last.
    scopes: Vec<BTreeMap<String, Type>>,
    types_left: usize,
    depth: usize,
}

impl Parser {
    fn line(&self) -> u64 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line)
    }

    fn bad<T>(&self, what: impl Into<String>) -> Result<T, Fault> {
        Err((self.line(), what.into()))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Result<Token, Fault> {
        match self.tokens.get(self.at) {
            Some((token, _)) => {
                self.at += 1;
                Ok(token.clone())
            }
            None => self.bad("the metadata ends within a declaration"),
        }
    }

    fn takes(&mut self, mark: &'static str) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| is_word(token, word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), Fault> {
        if self.takes(mark) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_string(), shown);
        self.bad(format!("expected {mark}, found {found}"))
    }

    fn word(&mut self) -> Result<String, Fault> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => {
                self.at -= 1;
                self.bad(format!("expected a name, found {}", shown(&other)))
            }
        }
    }

    fn trace(&mut self) -> Result<Description, Fault> {
        let mut found = Description { version: "1.8", ..Description::default() };
        let mut events: Vec<(u64, Option<u64>, Option<u64>, EventClass)> = Vec::new();
        while let Some(token) = self.peek().cloned() {
            let Token::Word(word) = &token else {
                self.expect(";")?;
                continue;
            };
            let is_block = self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == Token::Mark("{"));
            match word.as_str() {
                "trace" | "env" | "clock" | "stream" | "event" | "callsite" if is_block => {
                    self.at += 1;
                    let line = self.line();
                    let block = self.block()?;
                    match word.as_str() {
                        "trace" => found.packet_header = block.into_type("packet.header"),
                        "env" => found.environment = block.into_texts(),
                        "clock" => found.clocks.push(clock(block).map_err(|what| (line, what))?),
                        "stream" => {
                            let id = block.number("id").unwrap_or(0);
                            let class = StreamClass {
                                packet_context: block.kind("packet.context"),
                                event_header: block.kind("event.header"),
                                event_context: block.kind("event.context"),
                                ..StreamClass::default()
                            };
                            if found.streams.insert(id, class).is_some() {
                                return Err((line, format!("duplicate stream {id}")));
                            }
                        }
                        "event" => {
                            let name = block.text("name").unwrap_or_default();
                            let class =
                                EventClass { name, context: block.kind("context"), payload: block.kind("fields") };
                            events.push((line, block.number("stream_id"), block.number("id"), class));
                        }
                        _ => {}
                    }
                    self.takes(";");
                    if found.clocks.len() + found.streams.len() + events.len() > CLASSES_MAX {
                        return self.bad(format!("more than {CLASSES_MAX} events, streams and clocks"));
                    }
                }
                _ => self.declaration()?,
            }
        }
        if found.streams.is_empty() {
            found.streams.insert(0, StreamClass::default());
        }
        for (line, stream, id, class) in events {
            let only = found.streams.keys().next().copied().unwrap_or(0);
            let stream = stream.unwrap_or(only);
            let Some(class_of) = found.streams.get_mut(&stream) else {
                return Err((line, format!("the event belongs to the undescribed stream {stream}")));
            };
            let id = id.unwrap_or(class_of.events.len() as u64);
            if class_of.events.insert(id, class).is_some() {
                return Err((line, format!("duplicate event {id} in stream {stream}")));
            }
        }
        Ok(found)
    }

    /// `{ name = value; name := type; }`, where types may also be declared.
    fn block(&mut self) -> Result<Block, Fault> {
        self.expect("{")?;
        self.scopes.push(BTreeMap::new());
        let mut block = Block::default();
        while !self.takes("}") {
            if self.takes(";") {
                continue;
            }
            if self.is_declaration() {
                self.declaration()?;
                continue;
            }
            let mut name = match self.next()? {
                Token::Word(word) | Token::Text(word) => word,
                other => {
                    self.at -= 1;
                    return self.bad(format!("expected a name, found {}", shown(&other)));
                }
            };
            while self.takes(".") {
                name = format!("{name}.{}", self.word()?);
            }
            let value = if self.takes(":=") {
                Value::Type(self.kind()?)
            } else {
                self.expect("=")?;
                self.value()?
            };
            self.expect(";")?;
            block.0.insert(name, value);
        }
        self.scopes.pop();
        Ok(block)
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let negative = self.takes("-");
        self.takes("+");
        Ok(match self.next()? {
            Token::Number(number) => Value::Number(if negative { -number } else { number }),
            Token::Text(text) => Value::Text(text),
            Token::Word(mut word) => {
                while self.takes(".") {
                    word = format!("{word}.{}", self.word()?);
                }
                Value::Text(word)
            }
            other => {
                self.at -= 1;
                return self.bad(format!("expected a value, found {}", shown(&other)));
            }
        })
    }

    fn is_declaration(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(word)) if ["typealias", "typedef", "struct", "enum", "variant"].contains(&word.as_str()))
    }

    fn declaration(&mut self) -> Result<(), Fault> {
        if self.takes_word("typealias") {
            let kind = self.kind()?;
            self.expect(":=")?;
            let mut names = Vec::new();
            while let Some(Token::Word(_)) = self.peek() {
                names.push(self.word()?);
            }
            while self.takes("*") {}
            self.name(names.join(" "), kind)?;
        } else if self.takes_word("typedef") {
            let kind = self.kind()?;
            let (name, kind) = self.declarator(kind)?;
            self.name(name, kind)?;
        } else {
            self.kind()?;
        }
        self.expect(";")
    }

    fn name(&mut self, name: String, kind: Type) -> Result<(), Fault> {
        if name.is_empty() {
            return self.bad("a type without a name");
        }
        self.scopes.last_mut().expect("one scope at least").insert(name, kind);
        Ok(())
    }

    fn named(&mut self, name: &str) -> Result<Type, Fault> {
        let Some(kind) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) else {
            return self.bad(format!("unknown type {}", shortened(name)));
        };
        let (count, deep) = (kind.count(), kind.depth());
        let kind = kind.clone();
        self.counts(count)?;
        if self.depth + deep > DEPTH_MAX {
            return self.bad(format!("types are nested more than {DEPTH_MAX} deep"));
        }
        Ok(kind)
    }

    fn counts(&mut self, types: usize) -> Result<(), Fault> {
        match self.types_left.checked_sub(types) {
            Some(left) => {
                self.types_left = left;
                Ok(())
            }
            None => self.bad(format!("more than {TYPES_MAX} types")),
        }
    }

    fn number(&mut self) -> Result<i128, Fault> {
        match self.value()? {
            Value::Number(number) => Ok(number),
            _ => self.bad("expected a number"),
        }
    }
}

pub(super) fn aligned(align: u64) -> Result<u64, String> {
    match align.is_power_of_two() && align <= ALIGN_MAX {
        true => Ok(align),
        false => Err(format!("an alignment of {align} bits; expected a power of 2 up to {ALIGN_MAX}")),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => shortened(word),
        Token::Text(text) => format!("\"{}\"", shortened(text)),
        Token::Number(number) => number.to_string(),
        Token::Mark(mark) => mark.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_contains_itself_twice_again_and_again_is_refused() {
        let mut text = "trace { byte_order = le; };\ntypealias integer { size = 8; } := t0;\n".to_string();
        for level in 0..40 {
            text += &format!("typealias struct {{ t{level} a; t{level} b; }} := t{};\n", level + 1);
        }
        let (line, what) = parse(&text).unwrap_err();
        assert!(line > 10 && what.starts_with("more than 200000 types"), "{line} {what}");
    }

    #[test]
    fn deep_nesting_is_refused_with_its_line() {
        let text = format!("trace {{ byte_order = le; }};\n{}", "struct {".repeat(100_000));
        assert_eq!(parse(&text).unwrap_err(), (2, "types are nested more than 32 deep".to_string()));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(parse("event { id = 1; fields := nothing; };").unwrap_err().1, "unknown type nothing");
        assert_eq!(parse("typealias integer { size = 8; } := a;").unwrap_err().1, "the trace has no byte_order");
        assert_eq!(parse("event { stream_id = 7; };").unwrap_err().1, "the event belongs to the undescribed stream 7");
        assert!(parse("clock { freq = 0; };").unwrap_err().1.contains("0 Hz"));
    }
}
