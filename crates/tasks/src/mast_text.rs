// SPDX-License-Identifier: MIT OR Apache-2.0
//! The syntax of MAST's files: `Kind ( Key => value, Key => ( ... ) );`. Case does not matter; `--` begins a comment.
use super::fault::Fault;

const DEEPEST: usize = 16;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub kind: String,
    pub fields: Vec<(String, Value)>,
    pub line: usize,
}

/// A value: a word, or a group in parentheses. The entries of a list have no keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Word(String),
    Group(Vec<(String, Value)>, Vec<Value>),
}

impl Value {
    /// The word; empty for a group.
    pub fn word(&self) -> &str {
        if let Value::Word(word) = self { word } else { "" }
    }

    /// A field of a group. If the value is a list with one group, the field of that group.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Word(_) => None,
            Value::Group(fields, list) => match fields.iter().find(|(known, _)| known == key) {
                Some((_, value)) => Some(value),
                None => list.first().filter(|_| list.len() == 1).and_then(|only| only.get(key)),
            },
        }
    }
}

impl Part {
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The word of a field; empty if there is none.
    pub fn word(&self, key: &str) -> &str {
        self.get(key).map_or("", Value::word)
    }

    pub fn list(&self, key: &str) -> Items<'_> {
        match self.get(key) {
            Some(Value::Group(_, list)) => list,
            _ => &[],
        }
    }

    pub fn fault(&self, field: &str, text: impl Into<String>) -> Fault {
        Fault::at(self.line, format!("{} {}: {field}", self.kind, self.word("name")), text)
    }
}

pub type Items<'a> = &'a [Value];

pub fn parse(text: &str) -> Result<Vec<Part>, Fault> {
    let words = words(text)?;
    let mut reader = Reader { words: &words, at: 0 };
    let mut parts = Vec::new();
    while reader.at < words.len() {
        let line = reader.line();
        let kind = reader.word()?;
        let Value::Group(fields, list) = reader.value(0)? else {
            return Err(Fault::at(line, kind, "expected ( after it"));
        };
        if !list.is_empty() {
            return Err(Fault::at(line, kind, "expected Key => value"));
        }
        reader.takes(";");
        parts.push(Part { kind, fields, line });
    }
    Ok(parts)
}

fn words(text: &str) -> Result<Vec<(String, usize)>, Fault> {
    let mut words = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let mut rest = row.split("--").next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '(' | ')' | ',' | ';' => 1,
                '=' if rest.starts_with("=>") => 2,
                '"' => 2 + rest[1..].find('"').ok_or_else(|| Fault::at(line, "", "a text without an end"))?,
                _ => rest.find(|c: char| c.is_whitespace() || "(),;=".contains(c)).unwrap_or(rest.len()),
            };
            if length == 0 {
                return Err(Fault::at(line, "", format!("{first:?}: expected a word")));
            }
            words.push((rest[..length].trim_matches('"').to_lowercase(), line));
            rest = rest[length..].trim_start();
        }
    }
    Ok(words)
}

struct Reader<'a> {
    words: &'a [(String, usize)],
    at: usize,
}

impl Reader<'_> {
    fn line(&self) -> usize {
        self.words.get(self.at).or(self.words.last()).map_or(1, |(_, line)| *line)
    }

    fn next_is(&self, sign: &str) -> bool {
        self.words.get(self.at).is_some_and(|(word, _)| word == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.next_is(sign);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> Result<String, Fault> {
        let found = self.words.get(self.at).filter(|(word, _)| !["(", ")", ",", ";", "=>"].contains(&word.as_str()));
        let (word, _) = found.ok_or_else(|| Fault::at(self.line(), "", "expected a word"))?;
        self.at += 1;
        Ok(word.clone())
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        if !self.takes("(") {
            return self.word().map(Value::Word);
        }
        if depth > DEEPEST {
            return Err(Fault::at(self.line(), "", "nested too deep"));
        }
        let (mut fields, mut list) = (Vec::new(), Vec::new());
        while !self.takes(")") {
            let value = self.value(depth + 1)?;
            match value {
                Value::Word(key) if self.takes("=>") => fields.push((key, self.value(depth + 1)?)),
                value => list.push(value),
            }
            if !self.takes(",") && !self.next_is(")") {
                return Err(Fault::at(self.line(), "", "expected , or )"));
            }
        }
        Ok(Value::Group(fields, list))
    }
}
