// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of XML that files of tasks use: elements, attributes, text, the five named entities. A document type, which
//! could define more, is refused.
use super::fault::{Fault, line_of};

/// No file of tasks nests deeper.
const DEEPEST: usize = 32;
/// Nor has it more elements.
const MOST: usize = 1_000_000;

/// An element with all below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// In their order.
    pub attributes: Vec<(String, String)>,
    /// All text directly in it, without blanks at both ends.
    pub text: String,
    /// Elements directly in it.
    pub children: Vec<Element>,
    /// Where it begins.
    pub line: usize,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first child of a name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child that is there and not empty.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }

    /// Every element of a name below this one.
    pub fn all<'a>(&'a self, name: &'a str) -> Vec<&'a Element> {
        let below = self.children.iter().flat_map(|child| child.all(name));
        self.children.iter().filter(|child| child.name == name).chain(below).collect()
    }

    /// A fault of this element.
    pub fn fault(&self, text: impl Into<String>) -> Fault {
        Fault::at(self.line, format!("<{}>", self.name), text)
    }
}

/// The outermost element.
pub fn parse(text: &str) -> Result<Element, Fault> {
    let mut open: Vec<Element> = vec![Element::default()];
    let (mut at, mut count, mut line) = (0, 0, 1);
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        line += line_of(&text[at..start], start) - 1;
        let at_line = line;
        let fault = |what: &str| Fault::at(at_line, "", what.to_string());
        let depth = open.len();
        let inside = open.last_mut().expect("the document itself stays open");
        inside.text += &unescaped(&text[at..start]).ok_or_else(|| fault("an entity that is none of XML's own"))?;
        let rest = &text[start..];
        at = start + markup_bytes(rest).ok_or_else(|| fault("markup that does not end"))?;
        let markup = &text[start..at];
        line += line_of(markup, markup.len()) - 1;
        if markup.starts_with("<!DOCTYPE") {
            return Err(fault("a document type: take it out"));
        } else if let Some(plain) = markup.strip_prefix("<![CDATA[") {
            inside.text += plain.trim_end_matches("]]>");
        } else if let Some(name) = markup.strip_prefix("</") {
            let mut ended = open.pop().expect("the document itself stays open");
            let name = name.trim_end_matches('>').trim();
            let parent = open.last_mut().filter(|_| ended.name == name);
            let parent = parent.ok_or_else(|| fault(&format!("</{name}> ends no element that is open")))?;
            ended.text = ended.text.trim().to_string();
            parent.children.push(ended);
        } else if !markup.starts_with("<!") && !markup.starts_with("<?") {
            count += 1;
            if depth > DEEPEST || count > MOST {
                return Err(fault("more or deeper elements than a set of tasks has"));
            }
            let empty = markup.ends_with("/>");
            let body = markup[1..].trim_end_matches('>').trim_end_matches('/');
            let element = start_tag(body, at_line).map_err(|what| Fault::at(at_line, "", what))?;
            if empty { inside.children.push(element) } else { open.push(element) }
        }
    }
    match (open.len(), open.pop().map(|document| document.children)) {
        (1, Some(mut roots)) if roots.len() == 1 => Ok(roots.remove(0)),
        _ => Err(Fault::of("", "want one element around all, with an end")),
    }
}

/// Whether a text is XML whose outermost element has this name; what stands before it is not looked at closely.
pub fn starts_with(text: &str, name: &str) -> bool {
    let mut rest = text;
    while rest.starts_with("<?") || rest.starts_with("<!") {
        let Some(bytes) = markup_bytes(rest) else { return false };
        rest = rest[bytes..].trim_start();
    }
    let after = rest.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
    after
        .is_some_and(|after| after.starts_with(|letter: char| letter.is_whitespace() || letter == '>' || letter == '/'))
}

/// Length of the tag, comment or section at the start of a text; a `>` within quotes is part of a tag.
fn markup_bytes(text: &str) -> Option<usize> {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if let Some(inside) = text.strip_prefix(start) {
            return inside.find(end).map(|found| start.len() + found + end.len());
        }
    }
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn start_tag(body: &str, line: usize) -> Result<Element, String> {
    let end = body.find(char::is_whitespace).unwrap_or(body.len());
    let (name, mut rest) = body.split_at(end);
    if name.is_empty() || name.contains(['<', '=', '"', '\'']) {
        return Err("want a name behind <".into());
    }
    let mut attributes = Vec::new();
    while !rest.trim_start().is_empty() {
        let want = || format!("<{name}>: want attributes as name=\"value\"");
        let (key, after) = rest.trim_start().split_once('=').ok_or_else(want)?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| ['"', '\''].contains(quote)).ok_or_else(want)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(want)?;
        let value = unescaped(value).ok_or_else(|| format!("<{name}>: an entity that is none of XML's own"))?;
        attributes.push((key.trim().to_string(), value));
        rest = after;
    }
    Ok(Element { name: name.into(), attributes, line, ..Element::default() })
}

fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(';')?;
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => code_point(name)?,
        });
        plain += rest;
    }
    Some(plain)
}

fn code_point(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let code = match digits.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    };
    code.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_text_are_found_with_their_lines() {
        let text =
            "<?xml version='1.0'?>\n<!-- <a> -->\n<set a='1 > 0'>\n <b c=\"&lt;&#65;\"/>x &amp; <d>y</d>\n</set>\n";
        let root = parse(text).unwrap();
        assert_eq!((root.name.as_str(), root.attribute("a"), root.text.as_str()), ("set", Some("1 > 0"), "x &"));
        assert_eq!((root.children[0].attribute("c"), root.children[0].line), (Some("<A"), 4));
        assert_eq!(root.text_of("d"), Some("y"));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for text in
            ["", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a b=c/>", "<!DOCTYPE x><a/>", "<a>&lol;</a>", "<", "< a/>"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"<a>".repeat(100)).unwrap_err().to_string().contains("deeper"));
    }
}
