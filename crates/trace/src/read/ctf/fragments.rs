// SPDX-License-Identifier: MIT OR Apache-2.0
//! The metadata of CTF 2: fragments of JSON, with a record separator before each.
//! Source: CTF2-SPEC-2.0, section 5.
use super::description::{
    CLASSES_MAX, Choice, Clock, DEPTH_MAX, Description, EventClass, Integer, Length, Order, Place, Role, StreamClass,
    TYPES_MAX, Type,
};
use super::tokens::shortened;
use super::tsdl::aligned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

const SEPARATOR: char = '\u{1e}';

pub(super) fn is_json(text: &str) -> bool {
    text.starts_with([SEPARATOR, '{'])
}

pub(super) fn parse(text: &str) -> Result<Description, String> {
    let mut found = Fragments { aliases: BTreeMap::new(), types_left: TYPES_MAX };
    let mut whole = Description { version: "2", ..Description::default() };
    for (number, fragment) in (1..).zip(text.split(SEPARATOR).filter(|fragment| !fragment.trim().is_empty())) {
        let value: Value =
            serde_json::from_str(fragment).map_err(|error| format!("metadata, fragment {number}: {error}"))?;
        found.take(&value, &mut whole).map_err(|what| format!("metadata, fragment {number}: {what}"))?;
        if number > CLASSES_MAX {
            return Err(format!("metadata: more than {CLASSES_MAX} fragments"));
        }
    }
    if whole.streams.is_empty() {
        return Err("metadata: no data-stream-class".to_string());
    }
    Ok(whole)
}

struct Fragments {
    aliases: BTreeMap<String, Type>,
    types_left: usize,
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

impl Fragments {
    fn take(&mut self, value: &Value, whole: &mut Description) -> Result<(), String> {
        let kind = |found: &mut Self, name: &str| value.get(name).map(|class| found.class(class, 0)).transpose();
        match text(value, "type") {
            Some("preamble") => match number(value, "version") {
                Some(2) => {}
                other => return Err(format!("version {other:?}; expected CTF 2")),
            },
            Some("field-class-alias") => {
                let name = text(value, "name").ok_or("an alias has no name")?.to_string();
                let class = self.class(value.get("field-class").ok_or("an alias has no field-class")?, 0)?;
                self.aliases.insert(name, class);
            }
            Some("trace-class") => {
                whole.packet_header = kind(self, "packet-header-field-class")?;
                for (name, value) in value.get("environment").and_then(Value::as_object).into_iter().flatten() {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                    whole.environment.insert(name.clone(), value);
                }
            }
            Some("clock-class") => whole.clocks.push(clock(value)?),
            Some("data-stream-class") => {
                let class = StreamClass {
                    packet_context: kind(self, "packet-context-field-class")?,
                    event_header: kind(self, "event-record-header-field-class")?,
                    event_context: kind(self, "event-record-common-context-field-class")?,
                    events: BTreeMap::new(),
                    clock: text(value, "default-clock-class-id")
                        .or(text(value, "default-clock-class-name"))
                        .map(str::to_string),
                };
                let id = number(value, "id").unwrap_or(0);
                if whole.streams.insert(id, class).is_some() {
                    return Err(format!("duplicate data stream class {id}"));
                }
            }
            Some("event-record-class") => {
                let class = EventClass {
                    name: text(value, "name").unwrap_or_default().to_string(),
                    context: kind(self, "specific-context-field-class")?,
                    payload: kind(self, "payload-field-class")?,
                };
                let (stream, id) =
                    (number(value, "data-stream-class-id").unwrap_or(0), number(value, "id").unwrap_or(0));
                let of = whole.streams.get_mut(&stream);
                let of = of.ok_or_else(|| format!("an event of the undescribed data stream class {stream}"))?;
                if of.events.insert(id, class).is_some() {
                    return Err(format!("duplicate event record class {id}"));
                }
            }
            // A tracer may add fragments of its own, which do not describe the format.
            Some(_) => {}
            None => return Err("a fragment without a type".to_string()),
        }
        Ok(())
    }

    fn class(&mut self, value: &Value, depth: usize) -> Result<Type, String> {
        if depth > DEPTH_MAX {
            return Err(format!("field classes are nested more than {DEPTH_MAX} deep"));
        }
        if let Some(name) = value.as_str() {
            let class = self.aliases.get(name).cloned();
            let class = class.ok_or_else(|| format!("unknown field class {}", shortened(name)))?;
            if depth + class.depth() > DEPTH_MAX {
                return Err(format!("field classes are nested more than {DEPTH_MAX} deep"));
            }
            self.counts(class.count())?;
            return Ok(class);
        }
        self.counts(1)?;
        let kind = text(value, "type").ok_or("a field class without a type")?;
        match kind {
            "structure" => {
                let align = aligned(number(value, "minimum-alignment").unwrap_or(1))?;
                let members = value.get("member-classes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let members = members.iter().map(|member| {
                    let name = text(member, "name").ok_or("a member has no name")?.to_string();
                    let class = member.get("field-class").ok_or("a member has no field-class")?;
                    Ok((name, self.class(class, depth + 1)?))
                });
                Ok(Type::Structure { align, members: members.collect::<Result<_, String>>()? })
            }
            "static-length-array" | "dynamic-length-array" => {
                let element = value.get("element-field-class").ok_or("an array has no element-field-class")?;
                let element = Box::new(self.class(element, depth + 1)?);
                let align = aligned(number(value, "minimum-alignment").unwrap_or(1))?;
                Ok(Type::Array { align, element, length: length(value)?, text: false, slot: 0 })
            }
            "static-length-string" | "dynamic-length-string" | "static-length-blob" | "dynamic-length-blob" => {
                let element = Box::new(Type::Skipped { bits: 8, align: 8 });
                Ok(Type::Array { align: 8, element, length: length(value)?, text: true, slot: 0 })
            }
            "null-terminated-string" => {
                let unit = match text(value, "encoding") {
                    Some("utf-16le" | "utf-16be") => 2,
                    Some("utf-32le" | "utf-32be") => 4,
                    _ => 1,
                };
                Ok(Type::Text { unit, slot: 0 })
            }
            "optional" => {
                let class = value.get("field-class").ok_or("an optional has no field-class")?;
                let values = ranges(value)?;
                let values = if values.is_empty() { vec![(i128::MIN, -1), (1, i128::MAX)] } else { values };
                let kind = self.class(class, depth + 1)?;
                let choices = vec![
                    Choice { label: "is there".to_string(), values, kind },
                    Choice { label: "is not".to_string(), values: vec![(i128::MIN, i128::MAX)], kind: Type::nothing() },
                ];
                Ok(Type::Variant { selector: place(value, "selector-field-location")?, choices })
            }
            "variant" => {
                let options = value.get("options").and_then(Value::as_array).ok_or("a variant has no options")?;
                let choices = options.iter().map(|option| {
                    let class = option.get("field-class").ok_or("an option has no field-class")?;
                    let label = text(option, "name").unwrap_or_default().to_string();
                    Ok(Choice { label, values: ranges(option)?, kind: self.class(class, depth + 1)? })
                });
                let choices = choices.collect::<Result<_, String>>()?;
                Ok(Type::Variant { selector: place(value, "selector-field-location")?, choices })
            }
            _ => scalar(kind, value),
        }
    }

    fn counts(&mut self, types: usize) -> Result<(), String> {
        self.types_left = self.types_left.checked_sub(types).ok_or(format!("more than {TYPES_MAX} field classes"))?;
        Ok(())
    }
}

fn scalar(kind: &str, value: &Value) -> Result<Type, String> {
    let variable = kind.starts_with("variable-length-");
    let bits = if variable { 64 } else { number(value, "length").ok_or(format!("a {kind} has no length"))? };
    let align = aligned(number(value, "alignment").unwrap_or(if variable { 8 } else { 1 }))?;
    let order = match text(value, "byte-order") {
        Some("big-endian") => Order::Big,
        Some("little-endian") => Order::Little,
        None if variable => Order::Little,
        other => return Err(format!("a {kind} has the byte order {other:?}")),
    };
    let usual = if order == Order::Little { "first-to-last" } else { "last-to-first" };
    if text(value, "bit-order").is_some_and(|bits| bits != usual) {
        return Err("the bit-order contradicts the byte-order".to_string());
    }
    let signed = kind.ends_with("-signed-integer");
    match kind {
        "fixed-length-floating-point-number" => return Ok(Type::Skipped { bits, align }),
        _ if !(1..=64).contains(&bits) => return Ok(Type::Skipped { bits, align }),
        _ if kind.ends_with("-integer") || kind.starts_with("fixed-length-b") => {}
        _ => return Err(format!("unknown field class {}", shortened(kind))),
    }
    let roles = value.get("roles").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let role = roles.iter().filter_map(Value::as_str).find_map(role);
    let labels = value.get("mappings").and_then(Value::as_object).map(|mappings| {
        let labels = mappings.iter().map(|(label, values)| (label.clone(), pairs(values).unwrap_or_default()));
        Rc::new(labels.collect())
    });
    let bits = bits as u32;
    Ok(Type::Integer(Integer {
        bits,
        align,
        signed,
        order,
        clock: None,
        labels,
        variable,
        role,
        letters: false,
        slot: 0,
    }))
}

fn role(name: &str) -> Option<Role> {
    Some(match name {
        "packet-magic-number" => Role::Magic,
        "data-stream-class-id" => Role::StreamClass,
        "data-stream-id" => Role::Stream,
        "packet-total-length" => Role::PacketBits,
        "packet-content-length" => Role::ContentBits,
        "packet-end-default-clock-timestamp" => Role::PacketEnd,
        "discarded-event-record-counter-snapshot" => Role::Discarded,
        "packet-sequence-number" => Role::Sequence,
        "event-record-class-id" => Role::EventClass,
        "default-clock-timestamp" => Role::Time,
        _ => return None,
    })
}

fn clock(value: &Value) -> Result<Clock, String> {
    let frequency_hz = number(value, "frequency").filter(|hz| *hz > 0).ok_or("a clock class has no frequency")?;
    let offset = value.get("offset-from-origin").or(value.get("offset"));
    Ok(Clock {
        name: text(value, "id").or(text(value, "name")).unwrap_or_default().to_string(),
        frequency_hz,
        offset_s: offset.and_then(|offset| offset.get("seconds")?.as_i64()).unwrap_or(0),
        offset_cycles: offset.and_then(|offset| number(offset, "cycles")).unwrap_or(0),
    })
}

fn length(value: &Value) -> Result<Length, String> {
    match number(value, "length") {
        Some(length) => Ok(Length::Fixed(length)),
        None => place(value, "length-field-location").map(Length::At),
    }
}

/// Where a field is: an origin and a path. An element without a name goes one level up.
fn place(value: &Value, name: &str) -> Result<Place, String> {
    let location = value.get(name).ok_or(format!("a field class has no {name}"))?;
    let origin: &[&str] = match text(location, "origin") {
        None => &[],
        Some("packet-header") => &["trace", "packet", "header"],
        Some("packet-context") => &["stream", "packet", "context"],
        Some("event-record-header") => &["stream", "event", "header"],
        Some("event-record-common-context") => &["stream", "event", "context"],
        Some("event-record-specific-context") => &["event", "context"],
        Some("event-record-payload") => &["event", "fields"],
        Some(other) => return Err(format!("a field location with the unknown origin {}", shortened(other))),
    };
    let path = location.get("path").and_then(Value::as_array).ok_or("a field location has no path")?;
    let path = path.iter().filter_map(Value::as_str);
    Ok(Place::Named(origin.iter().copied().chain(path).map(str::to_string).collect()))
}

fn ranges(value: &Value) -> Result<Vec<(i128, i128)>, String> {
    value.get("selector-field-ranges").map_or(Ok(Vec::new()), pairs)
}

/// `[[1, 3], [5, 5]]`.
fn pairs(value: &Value) -> Result<Vec<(i128, i128)>, String> {
    let wide = |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    let pairs = value.as_array().ok_or("ranges must be an array")?.iter().map(|pair| {
        let pair = pair.as_array().filter(|pair| pair.len() == 2).ok_or("a range must have two ends")?;
        Ok((
            wide(&pair[0]).ok_or("a range must have two numbers")?,
            wide(&pair[1]).ok_or("a range must have two numbers")?,
        ))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_fragment() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert_eq!(refused("\u{1e}{\"type\":\"preamble\",\"version\":2}"), "metadata: no data-stream-class");
        assert!(refused("{\"type\":\"preamble\",\"version\":3}").starts_with("metadata, fragment 1: version Some(3)"));
        let two = "{\"type\":\"preamble\",\"version\":2}\u{1e}{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":\"b\"}";
        assert_eq!(refused(two), "metadata, fragment 2: unknown field class b");
        let deep = format!("{{\"type\":\"x\",\"y\":{}", "[".repeat(1_000));
        assert!(refused(&deep).starts_with("metadata, fragment 1: recursion limit exceeded"));
    }
}
