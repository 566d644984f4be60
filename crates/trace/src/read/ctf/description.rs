// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of a CTF trace: field types, clocks, streams and events, from the metadata of either version.
//! Source: Common Trace Format v1.8.3, sections 4 to 7; CTF2-SPEC-2.0, section 5.
use std::collections::BTreeMap;

/// At most this many types in a trace. An alias counts each time that it is used.
pub(super) const TYPES_MAX: usize = 200_000;
pub(super) const DEPTH_MAX: usize = 32;
/// At most this many event classes, streams and clocks together; LTTng's kernel tracer has fewer than 2,000.
pub(super) const CLASSES_MAX: usize = 1 << 16;
pub(super) const ALIGN_MAX: u64 = 4_096 * 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Magic,
    StreamClass,
    /// Which stream of its class the packet belongs to.
    Stream,
    PacketBits,
    ContentBits,
    PacketEnd,
    Discarded,
    Sequence,
    EventClass,
    Cpu,
    Thread,
    Flags,
    /// A time on the stream's clock.
    Time,
}

#[derive(Clone, Debug)]
pub(super) struct Integer {
    pub(super) bits: u32,
    pub(super) align: u64,
    pub(super) signed: bool,
    pub(super) order: Order,
    pub(super) clock: Option<String>,
    pub(super) labels: Option<Labels>,
    /// The number consists of groups of seven bits, as many as the value needs (CTF 2).
    pub(super) variable: bool,
    pub(super) role: Option<Role>,
    pub(super) letters: bool,
    pub(super) slot: usize,
}

pub(super) type Labels = std::rc::Rc<BTreeMap<String, Vec<(i128, i128)>>>;

#[derive(Clone, Debug)]
pub(super) enum Place {
    Named(Vec<String>),
    Slot(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Length {
    Fixed(u64),
    At(Place),
}

#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) label: String,
    pub(super) values: Vec<(i128, i128)>,
    pub(super) kind: Type,
}

#[derive(Clone, Debug)]
pub(super) enum Type {
    Integer(Integer),
    Skipped {
        bits: u64,
        align: u64,
    },
    /// Text that a zero ends, in code units of this many bytes.
    Text {
        unit: usize,
        slot: usize,
    },
    Structure {
        align: u64,
        members: Vec<(String, Type)>,
    },
    Array {
        align: u64,
        element: Box<Type>,
        length: Length,
        text: bool,
        slot: usize,
    },
    Variant {
        selector: Place,
        choices: Vec<Choice>,
    },
}

impl Type {
    pub(super) fn nothing() -> Self {
        Self::Structure { align: 1, members: Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        1 + match self {
            Self::Structure { members, .. } => members.iter().map(|(_, kind)| kind.count()).sum(),
            Self::Array { element, .. } => element.count(),
            Self::Variant { choices, .. } => choices.iter().map(|choice| choice.kind.count()).sum(),
            _ => 0,
        }
    }

    pub(super) fn depth(&self) -> usize {
        1 + match self {
            Self::Structure { members, .. } => members.iter().map(|(_, kind)| kind.depth()).max().unwrap_or(0),
            Self::Array { element, .. } => element.depth(),
            Self::Variant { choices, .. } => choices.iter().map(|choice| choice.kind.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    pub(super) fn align(&self) -> u64 {
        match self {
            Self::Integer(integer) => integer.align,
            Self::Skipped { align, .. } => *align,
            Self::Text { .. } => 8,
            Self::Structure { align, members } => {
                members.iter().map(|(_, kind)| kind.align()).max().unwrap_or(1).max(*align)
            }
            Self::Array { align, element, .. } => element.align().max(*align),
            Self::Variant { .. } => 1,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub(super) name: String,
    pub(super) frequency_hz: u64,
    pub(super) offset_s: i64,
    pub(super) offset_cycles: u64,
}

impl Clock {
    /// The clock of a trace that names no clock.
    pub(super) fn nanoseconds(name: &str) -> Self {
        Self { name: name.to_string(), frequency_hz: 1_000_000_000, offset_s: 0, offset_cycles: 0 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct EventClass {
    pub(super) name: String,
    pub(super) context: Option<Type>,
    pub(super) payload: Option<Type>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StreamClass {
    pub(super) packet_context: Option<Type>,
    pub(super) event_header: Option<Type>,
    pub(super) event_context: Option<Type>,
    pub(super) events: BTreeMap<u64, EventClass>,
    /// The clock of the stream's times in CTF 2.
    pub(super) clock: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    pub(super) version: &'static str,
    pub(super) packet_header: Option<Type>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) clocks: Vec<Clock>,
    pub(super) streams: BTreeMap<u64, StreamClass>,
}

impl Description {
    pub(super) fn constant(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str)
    }
}
