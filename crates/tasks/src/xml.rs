// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of XML that task files need: elements, attributes, text, the five predefined entities. A document type, which could
//! define more entities, is an error.
use super::fault::Fault;
use backwall_model::units::place::line_of;
use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape_with};
use quick_xml::events::{BytesRef, BytesStart, Event};

const DEEPEST: usize = 32;
const MOST: usize = 1_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// All text directly in the element, trimmed.
    pub text: String,
    pub children: Vec<Element>,
    pub line: usize,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child element; `None` if it is missing or empty.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }

    pub fn all<'a>(&'a self, name: &'a str) -> Vec<&'a Element> {
        let below = self.children.iter().flat_map(|child| child.all(name));
        self.children.iter().filter(|child| child.name == name).chain(below).collect()
    }

    pub fn fault(&self, text: impl Into<String>) -> Fault {
        Fault::at(self.line, format!("<{}>", self.name), text)
    }
}

pub fn parse(text: &str) -> Result<Element, Fault> {
    let mut reader = Reader::from_str(text);
    let mut document = Document { open: vec![Element::default()], elements: 0 };
    let (mut line, mut counted) = (1, 0);
    loop {
        let begins = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        line += line_of(&text[counted..begins], begins - counted) - 1;
        counted = begins;
        let fault = |what: String| Fault::at(line, "", what);
        match reader.read_event().map_err(|error| fault(error.to_string()))? {
            Event::Eof => return document.root(),
            event => document.takes(event, line).map_err(fault)?,
        }
    }
}

struct Document {
    /// The stack of open elements, from the document itself inwards.
    open: Vec<Element>,
    elements: usize,
}

impl Document {
    fn takes(&mut self, event: Event, line: usize) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.begins(&tag, line),
            Event::Empty(tag) => self.begins(&tag, line).map(|()| self.ends()),
            Event::End(_) => {
                self.ends();
                Ok(())
            }
            Event::Text(said) => self.says(&said),
            Event::CData(said) => self.says(&said),
            Event::GeneralRef(entity) => {
                self.says(resolved(&entity).ok_or("an unknown entity; expected lt, gt, amp, quot or apos")?.as_bytes())
            }
            Event::DocType(_) => Err("not supported: a document type; remove it".into()),
            _ => Ok(()),
        }
    }

    fn begins(&mut self, tag: &BytesStart, line: usize) -> Result<(), String> {
        self.elements += 1;
        if self.open.len() > DEEPEST || self.elements > MOST {
            return Err("too many or too deep elements".into());
        }
        let name = plain(tag.name().as_ref())?;
        if name.is_empty() || name.contains(['<', '=', '"', '\'']) {
            return Err("expected a name after <".into());
        }
        let attributes = attributes(tag).map_err(|what| format!("<{name}>: {what}"))?;
        self.open.push(Element { name, attributes, line, ..Element::default() });
        Ok(())
    }

    /// The XML parser has checked that the end tag matches the open element.
    fn ends(&mut self) {
        let mut ended = self.open.pop().expect("only an element that began ends");
        ended.text = ended.text.trim().to_string();
        self.open.last_mut().expect("the document itself stays open").children.push(ended);
    }

    fn says(&mut self, said: &[u8]) -> Result<(), String> {
        self.open.last_mut().expect("the document itself stays open").text += &plain(said)?;
        Ok(())
    }

    fn root(mut self) -> Result<Element, Fault> {
        match (self.open.len(), self.open.pop().map(|document| document.children)) {
            (1, Some(mut roots)) if roots.len() == 1 => Ok(roots.remove(0)),
            _ => Err(Fault::of("", "expected one root element with an end tag")),
        }
    }
}

fn plain(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())
}

fn attributes(tag: &BytesStart) -> Result<Vec<(String, String)>, String> {
    let one = |attribute: quick_xml::events::attributes::Attribute| {
        let value = plain(&attribute.value)?;
        Ok((
            plain(attribute.key.as_ref())?,
            unescape_with(&value, resolve_xml_entity).map_err(|error| error.to_string())?.into_owned(),
        ))
    };
    tag.attributes().map(|attribute| attribute.map_err(|error| error.to_string()).and_then(one)).collect()
}

/// Value of an entity: a predefined one, or a character number.
fn resolved(entity: &BytesRef) -> Option<String> {
    match entity.resolve_char_ref() {
        Ok(Some(letter)) => Some(letter.to_string()),
        Ok(None) => resolve_xml_entity(std::str::from_utf8(entity).ok()?).map(str::to_string),
        Err(_) => None,
    }
}

/// Whether a text is XML with this root element. What precedes the element is not checked strictly.
pub fn starts_with(text: &str, name: &str) -> bool {
    root_of(text).is_some_and(|root| root == name)
}

/// The name of the root element, if the text begins as XML.
pub fn root_of(text: &str) -> Option<String> {
    let mut reader = Reader::from_str(text.trim_start());
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                return plain(tag.name().as_ref()).ok().map(|name| name.chars().take(60).collect());
            }
            Ok(Event::Text(said)) if !said.trim_ascii().is_empty() => return None,
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => {}
        }
    }
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
    fn an_entity_of_html_is_none_of_xml() {
        for text in ["<a>&eacute;</a>", "<a b='&eacute;'/>"] {
            assert!(parse(text).unwrap_err().to_string().contains("entity"), "{text}");
        }
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for text in
            ["", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a b=c/>", "<!DOCTYPE x><a/>", "<a>&lol;</a>", "<", "< a/>"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"<a>".repeat(100)).unwrap_err().to_string().contains("too deep"));
    }
}
