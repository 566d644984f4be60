// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of `run.json`: one member per line. A list of numbers is on one line, and so is each item of a nested list, because
//! a run has thousands of them.
use serde_json::ser::{Formatter, Serializer};
use std::io::{Result, Write};

pub(super) fn written(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Layout::default()))?;
    Ok(String::from_utf8(text).expect("serde_json writes UTF-8"))
}

/// Writes each member on its own line, and each list item that is not a number.
#[derive(Default)]
struct Layout {
    depth: usize,
    /// For each open list: whether one of its items has a line of its own.
    broken: Vec<bool>,
    /// A list item begins, and its kind is not known yet.
    item: bool,
    empty: bool,
    compact: usize,
}

impl Layout {
    fn break_line<W: ?Sized + Write>(&self, writer: &mut W) -> Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }

    fn own_line<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if std::mem::take(&mut self.item) && self.compact == 0 {
            self.broken.iter_mut().last().into_iter().for_each(|broken| *broken = true);
            self.break_line(writer)?;
        }
        Ok(())
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.own_line(writer)?;
        self.depth += 1;
        self.broken.push(false);
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth -= 1;
        if self.broken.pop() == Some(true) {
            self.break_line(writer)?;
        }
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.item = true;
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> Result<()> {
        self.item = false;
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.own_line(writer)?;
        writer.write_all(b"\"")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.own_line(writer)?;
        if self.compact > 0 || self.broken.len() > 1 {
            self.compact += 1;
        }
        self.depth += 1;
        self.empty = true;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.empty = false;
        match (first, self.compact > 0) {
            (true, true) => return Ok(()),
            (false, true) => return writer.write_all(b", "),
            (false, false) => writer.write_all(b",")?,
            (true, false) => {}
        }
        self.break_line(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth -= 1;
        let on_one_line = self.compact > 0;
        self.compact = self.compact.saturating_sub(1);
        if !std::mem::take(&mut self.empty) && !on_one_line {
            self.break_line(writer)?;
        }
        writer.write_all(b"}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn numbers_stand_on_one_line_and_everything_else_on_its_own() {
        let value = json!({"a": [1, 2.5, -3], "b": [[1, 2], [3]], "c": ["x", "y"], "d": [], "g": {}, "e": [{"f": 1}, {"f": null}]});
        let text = "{\n  \"a\": [1,2.5,-3],\n  \"b\": [\n    [1,2],\n    [3]\n  ],\n  \"c\": [\n    \"x\",\n    \"y\"\n  ],\n  \
                    \"d\": [],\n  \"e\": [\n    {\n      \"f\": 1\n    },\n    {\n      \"f\": null\n    }\n  ],\n  \"g\": {}\n}";
        assert_eq!(written(&value).unwrap(), text);
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
    }

    #[test]
    fn an_item_of_a_list_within_a_list_is_one_line_whatever_it_holds() {
        let item = json!({"seq": 1, "inner": {"names": ["x", "y"], "none": {}}});
        let value = json!({"series": [{"worst": [item, item]}]});
        let line = r#"{"inner": {"names": ["x","y"], "none": {}}, "seq": 1}"#;
        let text = written(&value).unwrap();
        assert_eq!(text.lines().filter(|row| row.trim().trim_end_matches(',') == line).count(), 2, "{text}");
        assert_eq!(text.lines().count(), 10, "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
