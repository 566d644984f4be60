// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Trace Stream Description Language, in which CTF 1.8 describes a trace.
//! Source: Common Trace Format v1.8.3, section 7 and appendix C.
use super::description::{
    ALIGN_MAX, CLASSES_MAX, Choice, Clock, DEPTH_MAX, Description, EventClass, Integer, Labels, Length, Order, Place,
    StreamClass, TYPES_MAX, Type,
};
use super::tokens::{Token, shortened, tokens};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) type Fault = (u64, String);

pub(super) fn parse(text: &str) -> Result<Description, Fault> {
    let tokens = tokens(text)?;
    let order = order_of(&tokens);
    let mut parser = Parser { tokens, at: 0, order, scopes: vec![BTreeMap::new()], types_left: TYPES_MAX, depth: 0 };
    parser.trace()
}

/// The order of bytes of the trace: types that are declared before it have it too.
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

enum Value {
    Number(i128),
    Text(String),
    Type(Type),
}

struct Parser {
    tokens: Vec<(Token, u64)>,
    at: usize,
    order: Option<Order>,
    /// Named types, the innermost block's last.
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

    /// `{ name = value; name := type; }`, with declarations of types among them.
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

    fn kind(&mut self) -> Result<Type, Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.bad(format!("types are nested more than {DEPTH_MAX} deep"));
        }
        self.counts(1)?;
        while self.takes_word("const") {}
        let kind = match self.word()?.as_str() {
            "integer" => self.integer(),
            "floating_point" => self.floating(),
            "string" => {
                if self.peek() == Some(&Token::Mark("{")) {
                    self.block()?;
                }
                Ok(Type::Text { unit: 1, slot: 0 })
            }
            "struct" => self.structure(),
            "variant" => self.variant(),
            "enum" => self.enumeration(),
            first => self.alias(first.to_string()),
        };
        self.depth -= 1;
        kind
    }

    /// A named type; of names with several words the longest known one.
    fn alias(&mut self, first: String) -> Result<Type, Fault> {
        let mut names = vec![first];
        let begin = self.at;
        while let Some(Token::Word(word)) = self.peek() {
            names.push(word.clone());
            self.at += 1;
        }
        while names.len() > 1 && !self.scopes.iter().any(|scope| scope.contains_key(&names.join(" "))) {
            names.pop();
        }
        self.at = begin + names.len() - 1;
        self.named(&names.join(" "))
    }

    fn integer(&mut self) -> Result<Type, Fault> {
        let line = self.line();
        let block = self.block()?;
        let fault = |what: String| (line, what);
        let bits = block.number("size").filter(|bits| (1..=64).contains(bits));
        let bits = bits.ok_or_else(|| fault("an integer must have a size from 1 to 64".to_string()))? as u32;
        let align = block.number("align").unwrap_or(if bits % 8 == 0 { 8 } else { 1 });
        let encoding = block.text("encoding").unwrap_or_default();
        Ok(Type::Integer(Integer {
            bits,
            align: aligned(align).map_err(fault)?,
            signed: block.is_true("signed"),
            order: self.order_in(&block).map_err(fault)?,
            clock: block.text("map").and_then(|map| clock_name(&map)),
            labels: None,
            variable: false,
            role: None,
            letters: bits == 8 && !["", "none", "NONE"].contains(&encoding.as_str()),
            slot: 0,
        }))
    }

    fn order_in(&self, block: &Block) -> Result<Order, String> {
        let stated = match block.text("byte_order").as_deref() {
            Some("le") => Some(Order::Little),
            Some("be" | "network") => Some(Order::Big),
            _ => None,
        };
        stated.or(self.order).ok_or_else(|| "the trace has no byte_order".to_string())
    }

    fn floating(&mut self) -> Result<Type, Fault> {
        let line = self.line();
        let block = self.block()?;
        let digits = |name: &str| block.number(name).filter(|digits| *digits <= 128).unwrap_or(0);
        let bits = digits("exp_dig") + digits("mant_dig");
        if bits == 0 {
            return Err((line, "a floating-point number has no exp_dig and mant_dig".to_string()));
        }
        let align = aligned(block.number("align").unwrap_or(1)).map_err(|what| (line, what))?;
        Ok(Type::Skipped { bits, align })
    }

    fn structure(&mut self) -> Result<Type, Fault> {
        let name = self.tag()?;
        if self.peek() != Some(&Token::Mark("{")) {
            return self.tagged("struct", name);
        }
        let members = self.members()?;
        let mut align = 1;
        if self.takes_word("align") {
            self.expect("(")?;
            let line = self.line();
            let Token::Number(number) = self.next()? else { return self.bad("an alignment must be a number") };
            align = aligned(u64::try_from(number).unwrap_or(0)).map_err(|what| (line, what))?;
            self.expect(")")?;
        }
        self.remember("struct", name, Type::Structure { align, members })
    }

    fn tag(&mut self) -> Result<Option<String>, Fault> {
        match self.peek() {
            Some(Token::Word(_)) => self.word().map(Some),
            _ => Ok(None),
        }
    }

    fn tagged(&mut self, what: &str, name: Option<String>) -> Result<Type, Fault> {
        match name {
            Some(name) => self.named(&format!("{what} {name}")),
            None => self.bad(format!("a {what} without a name and without members")),
        }
    }

    fn remember(&mut self, what: &str, name: Option<String>, kind: Type) -> Result<Type, Fault> {
        if let Some(name) = name {
            self.counts(kind.count())?;
            self.name(format!("{what} {name}"), kind.clone())?;
        }
        Ok(kind)
    }

    /// `{ type name; type name[length]; }`
    fn members(&mut self) -> Result<Vec<(String, Type)>, Fault> {
        self.expect("{")?;
        self.scopes.push(BTreeMap::new());
        let mut members: Vec<(String, Type)> = Vec::new();
        while !self.takes("}") {
            if matches!(self.peek(), Some(Token::Word(word)) if word == "typealias" || word == "typedef") {
                self.declaration()?;
                continue;
            }
            let kind = self.kind()?;
            if self.takes(";") {
                continue;
            }
            members.push(self.declarator(kind)?);
            self.expect(";")?;
        }
        self.scopes.pop();
        Ok(members)
    }

    /// `name`, `name[3]`, `name[length]`.
    fn declarator(&mut self, mut kind: Type) -> Result<(String, Type), Fault> {
        while self.takes("*") {}
        let name = self.word()?;
        let mut lengths = Vec::new();
        while self.takes("[") {
            lengths.push(match self.next()? {
                Token::Number(number) => match u64::try_from(number) {
                    Ok(number) => Length::Fixed(number),
                    Err(_) => return self.bad("an array with a negative length"),
                },
                Token::Word(word) => Length::At(Place::Named(self.reference(word)?)),
                other => return self.bad(format!("expected a length, found {}", shown(&other))),
            });
            self.expect("]")?;
            if self.depth + lengths.len() > DEPTH_MAX {
                return self.bad(format!("types are nested more than {DEPTH_MAX} deep"));
            }
        }
        self.counts(lengths.len())?;
        for length in lengths.into_iter().rev() {
            let text = matches!(&kind, Type::Integer(integer) if integer.letters);
            kind = Type::Array { align: 1, element: Box::new(kind), length, text, slot: 0 };
        }
        Ok((name, kind))
    }

    fn reference(&mut self, first: String) -> Result<Vec<String>, Fault> {
        let mut names = vec![first];
        while self.takes(".") || self.takes("->") {
            names.push(self.word()?);
        }
        Ok(names)
    }

    fn variant(&mut self) -> Result<Type, Fault> {
        let name = self.tag()?;
        let mut selector = None;
        if self.takes("<") {
            let first = self.word()?;
            selector = Some(Place::Named(self.reference(first)?));
            self.expect(">")?;
        }
        let kind = if self.peek() == Some(&Token::Mark("{")) {
            let choices = self.members()?.into_iter();
            let choices = choices.map(|(label, kind)| Choice { label, values: Vec::new(), kind }).collect();
            self.remember("variant", name, Type::Variant { selector: Place::Named(Vec::new()), choices })?
        } else {
            self.tagged("variant", name)?
        };
        Ok(match (kind, selector) {
            (Type::Variant { choices, .. }, Some(selector)) => Type::Variant { selector, choices },
            (kind, _) => kind,
        })
    }

    fn enumeration(&mut self) -> Result<Type, Fault> {
        let name = self.tag()?;
        let container = if self.takes(":") {
            Some(self.kind()?)
        } else if self.peek() == Some(&Token::Mark("{")) {
            Some(self.named("int")?)
        } else {
            None
        };
        let Some(container) = container else { return self.tagged("enum", name) };
        let Type::Integer(integer) = container else {
            return self.bad("an enumeration must be of integers");
        };
        let labels = self.labels()?;
        self.remember("enum", name, Type::Integer(Integer { labels: Some(labels), ..integer }))
    }

    /// `{ a, b = 3, c = 4 ... 7 }`
    fn labels(&mut self) -> Result<Labels, Fault> {
        self.expect("{")?;
        let (mut labels, mut next) = (BTreeMap::<String, Vec<(i128, i128)>>::new(), 0i128);
        while !self.takes("}") {
            let label = match self.next()? {
                Token::Word(word) | Token::Text(word) => word,
                other => return self.bad(format!("expected a label, found {}", shown(&other))),
            };
            let (mut first, mut last) = (next, next);
            if self.takes("=") {
                first = self.number()?;
                last = if self.takes("...") { self.number()? } else { first };
            }
            next = last.saturating_add(1);
            self.counts(1)?;
            labels.entry(label).or_default().push((first, last));
            self.takes(",");
        }
        Ok(Rc::new(labels))
    }

    fn number(&mut self) -> Result<i128, Fault> {
        match self.value()? {
            Value::Number(number) => Ok(number),
            _ => self.bad("expected a number"),
        }
    }
}

#[derive(Default)]
struct Block(BTreeMap<String, Value>);

impl Block {
    fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Value::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    fn signed(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::Number(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Type(_) => None,
        }
    }

    fn is_true(&self, name: &str) -> bool {
        matches!(self.text(name).as_deref(), Some("true" | "TRUE" | "1"))
    }

    fn kind(&self, name: &str) -> Option<Type> {
        match self.0.get(name)? {
            Value::Type(kind) => Some(kind.clone()),
            _ => None,
        }
    }

    fn into_type(mut self, name: &str) -> Option<Type> {
        match self.0.remove(name)? {
            Value::Type(kind) => Some(kind),
            _ => None,
        }
    }

    fn into_texts(self) -> BTreeMap<String, String> {
        let texts = self.0.into_iter().filter_map(|(name, value)| match value {
            Value::Text(text) => Some((name, text)),
            Value::Number(number) => Some((name, number.to_string())),
            Value::Type(_) => None,
        });
        texts.collect()
    }
}

fn clock(block: Block) -> Result<Clock, String> {
    let frequency_hz = block.number("freq").unwrap_or(1_000_000_000);
    if frequency_hz == 0 {
        return Err("a clock of 0 Hz".to_string());
    }
    Ok(Clock {
        name: block.text("name").unwrap_or_default(),
        frequency_hz,
        offset_s: block.signed("offset_s").unwrap_or(0),
        offset_cycles: block.number("offset").unwrap_or(0),
    })
}

/// `clock.NAME.value`.
fn clock_name(map: &str) -> Option<String> {
    let name = map.strip_prefix("clock.")?;
    Some(name.strip_suffix(".value").unwrap_or(name).to_string())
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
