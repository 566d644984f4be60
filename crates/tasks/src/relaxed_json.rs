// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON as in rt-app's files: with C comments, duplicate keys in their order, and commas before a closing bracket.
use super::fault::Fault;
use backwall_model::units::place::line_of;

const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub is: Is,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// `null`, `true`, `false` or a number, as written.
    Plain(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Keys and values of an object; empty for other values.
    pub fn entries(&self) -> &[(String, Value)] {
        if let Is::Object(entries) = &self.is { entries } else { &[] }
    }

    /// The value of a key. If the key occurs several times, the last one counts.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries().iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The value as a whole number of at least 0.
    pub fn number(&self) -> Option<u64> {
        if let Is::Plain(text) = &self.is { text.parse().ok() } else { None }
    }

    pub fn word(&self) -> &str {
        match &self.is {
            Is::Plain(text) | Is::Text(text) => text,
            Is::List(_) | Is::Object(_) => "",
        }
    }
}

pub fn parse(text: &str) -> Result<Value, Fault> {
    let mut reader = Reader { text, at: 0, line: 1, counted: 0 };
    let value = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() { Err(reader.fault("text after the end")) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    counted: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fault(&self, what: &str) -> Fault {
        Fault::at(line_of(self.text, self.at), "", what)
    }

    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let (end, length) = match self.rest() {
                rest if rest.starts_with("/*") => (rest.find("*/"), 2),
                rest if rest.starts_with("//") => (Some(rest.find('\n').unwrap_or(rest.len())), 0),
                _ => return Ok(()),
            };
            self.at += end.ok_or_else(|| self.fault("a comment without an end"))? + length;
        }
    }

    fn line(&mut self) -> usize {
        self.line += line_of(&self.text[self.counted..self.at], self.at) - 1;
        self.counted = self.at;
        self.line
    }

    fn takes(&mut self, letter: char) -> bool {
        let found = self.rest().starts_with(letter);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        if depth > DEEPEST {
            return Err(self.fault("nested too deep"));
        }
        self.skip()?;
        let line = self.line();
        let is = match self.rest().chars().next() {
            Some('{') => Is::Object(self.items('{', '}', |reader| reader.entry(depth))?),
            Some('[') => Is::List(self.items('[', ']', |reader| reader.value(depth + 1))?),
            Some('"') => Is::Text(self.string()?),
            _ => Is::Plain(self.plain()?),
        };
        Ok(Value { is, line })
    }

    fn items<T>(
        &mut self,
        open: char,
        close: char,
        mut one: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut items = Vec::new();
        self.takes(open);
        loop {
            self.skip()?;
            if self.takes(close) {
                return Ok(items);
            }
            items.push(one(self)?);
            self.skip()?;
            if !self.takes(',') && !self.rest().starts_with(close) {
                return Err(self.fault(&format!("expected , or {close}")));
            }
        }
    }

    fn entry(&mut self, depth: usize) -> Result<(String, Value), Fault> {
        if !self.rest().starts_with('"') {
            return Err(self.fault("expected a key in quotes"));
        }
        let key = self.string()?;
        self.skip()?;
        // rt-app's own examples contain events without a value.
        if self.rest().starts_with(',') {
            return Ok((key, Value { is: Is::Plain(String::new()), line: self.line() }));
        }
        if !self.takes(':') {
            return Err(self.fault("expected : after a key"));
        }
        Ok((key, self.value(depth + 1)?))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        let mut letters = self.rest()[1..].char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at += at + 2;
                    return Ok(text);
                }
                '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
                '\n' => break,
                letter => text.push(letter),
            }
        }
        Err(self.fault("missing closing quote"))
    }

    fn plain(&mut self) -> Result<String, Fault> {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let length = self.rest().find(|letter| !is_part(letter)).unwrap_or(self.rest().len());
        let word = self.rest()[..length].to_string();
        if word.is_empty() {
            return Err(self.fault("expected a value"));
        }
        self.at += length;
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_keys_that_come_twice_and_last_commas_are_read() {
        let value = parse("// x\n{\"run\": 5, /* two\n */ \"run\" : -1, \"a\": [\"b\\\"\", true,],}").unwrap();
        let keys: Vec<&str> = value.entries().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["run", "run", "a"]);
        assert_eq!((value.get("run").unwrap().word(), value.get("run").unwrap().line), ("-1", 3));
        assert_eq!(value.entries()[0].1.number(), Some(5));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        for text in ["", "{", "{\"a\"}", "{\"a\":}", "[1 2]", "{} {}", "\"a", "/* x", "{a: 1}"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("{\n\"a\": [\n1 2]}").unwrap_err().line, Some(3));
        assert!(parse(&"[".repeat(100)).unwrap_err().text.contains("nested too deep"));
    }
}
