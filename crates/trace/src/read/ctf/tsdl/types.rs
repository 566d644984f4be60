// SPDX-License-Identifier: MIT OR Apache-2.0
//! The types of a description: integers, structures, variants, enumerations and arrays.
use super::block::Block;
use super::{Fault, Parser, aligned, shown};
use crate::read::ctf::description::{Choice, DEPTH_MAX, Integer, Labels, Length, Order, Place, Type};
use crate::read::ctf::tokens::Token;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Parser {
    pub(super) fn kind(&mut self) -> Result<Type, Fault> {
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

    /// A named type. If the name can have several words, the longest known name counts.
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
    pub(super) fn declarator(&mut self, mut kind: Type) -> Result<(String, Type), Fault> {
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
}

/// `clock.NAME.value`.
fn clock_name(map: &str) -> Option<String> {
    let name = map.strip_prefix("clock.")?;
    Some(name.strip_suffix(".value").unwrap_or(name).to_string())
}
