// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block of a description: values by name.
use crate::read::ctf::description::{Clock, Type};
use std::collections::BTreeMap;

pub(super) enum Value {
    Number(i128),
    Text(String),
    Type(Type),
}

#[derive(Default)]
pub(super) struct Block(pub(super) BTreeMap<String, Value>);

impl Block {
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Value::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn signed(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::Number(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Type(_) => None,
        }
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        matches!(self.text(name).as_deref(), Some("true" | "TRUE" | "1"))
    }

    pub(super) fn kind(&self, name: &str) -> Option<Type> {
        match self.0.get(name)? {
            Value::Type(kind) => Some(kind.clone()),
            _ => None,
        }
    }

    pub(super) fn into_type(mut self, name: &str) -> Option<Type> {
        match self.0.remove(name)? {
            Value::Type(kind) => Some(kind),
            _ => None,
        }
    }

    pub(super) fn into_texts(self) -> BTreeMap<String, String> {
        let texts = self.0.into_iter().filter_map(|(name, value)| match value {
            Value::Text(text) => Some((name, text)),
            Value::Number(number) => Some((name, number.to_string())),
            Value::Type(_) => None,
        });
        texts.collect()
    }
}

pub(super) fn clock(block: Block) -> Result<Clock, String> {
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
