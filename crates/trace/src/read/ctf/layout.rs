// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes a decoder from a description. Every number gets a slot; lengths and selectors refer to the slots that hold them.
use super::description::{Choice, Clock, Description, Labels, Length, Place, Role, StreamClass, Type};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) packet_header: Option<Type>,
    pub(super) packet_context: Option<Type>,
    pub(super) event_header: Option<Type>,
    pub(super) event_context: Option<Type>,
    pub(super) events: BTreeMap<u64, Event>,
    pub(super) clock: Clock,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) context: Option<Type>,
    pub(super) payload: Option<Type>,
    /// Slots of the event's fields by name, without LTTng's leading underscore.
    pub(super) slots: BTreeMap<String, usize>,
}

pub(super) fn layout(found: &Description) -> Result<(BTreeMap<u64, Stream>, usize), String> {
    let mut most = 0;
    let mut streams = BTreeMap::new();
    for (id, class) in &found.streams {
        streams.insert(*id, stream(found, class, &mut most)?);
    }
    Ok((streams, most))
}

fn stream(found: &Description, class: &StreamClass, most: &mut usize) -> Result<Stream, String> {
    let mut resolver = Resolver { slots: 0, known: Vec::new(), clock: None };
    let mut scope = |kind: &Option<Type>, root: &[&str]| resolver.scope(kind.as_ref(), root);
    let packet_header = scope(&found.packet_header, &["trace", "packet", "header"])?;
    let packet_context = scope(&class.packet_context, &["stream", "packet", "context"])?;
    let event_header = scope(&class.event_header, &["stream", "event", "header"])?;
    let event_context = scope(&class.event_context, &["stream", "event", "context"])?;
    let (slots, known) = (resolver.slots, resolver.known.len());
    let mut events = BTreeMap::new();
    for (id, event) in &class.events {
        let named = |what: String| format!("metadata, event {}: {what}", event.name);
        let context = resolver.scope(event.context.as_ref(), &["event", "context"]).map_err(named)?;
        let payload = resolver.scope(event.payload.as_ref(), &["event", "fields"]).map_err(named)?;
        let fields = resolver.known[known..].iter().filter(|known| known.path.len() == 3);
        let fields = fields.map(|known| (bare(&known.path[2]).to_string(), known.slot)).collect();
        events.insert(*id, Event { name: event.name.clone(), context, payload, slots: fields });
        *most = resolver.slots.max(*most);
        (resolver.slots, _) = (slots, resolver.known.truncate(known));
    }
    *most = slots.max(*most);
    let clock = clock_of(found, class.clock.as_deref().or(resolver.clock.as_deref()))?;
    Ok(Stream { packet_header, packet_context, event_header, event_context, events, clock })
}

fn clock_of(found: &Description, name: Option<&str>) -> Result<Clock, String> {
    match (name, found.clocks.as_slice()) {
        (Some(name), clocks) => {
            let clock = clocks.iter().find(|clock| clock.name == name).cloned();
            clock.ok_or_else(|| format!("metadata: the times use the undescribed clock {name}"))
        }
        (None, [clock, ..]) => Ok(clock.clone()),
        (None, []) => Ok(Clock::nanoseconds("")),
    }
}

/// A name without the underscore that LTTng puts before every name.
fn bare(name: &str) -> &str {
    name.strip_prefix('_').unwrap_or(name)
}

struct NamedField {
    path: Vec<String>,
    slot: usize,
    labels: Option<Labels>,
}

struct Resolver {
    slots: usize,
    known: Vec<NamedField>,
    clock: Option<String>,
}

impl Resolver {
    fn scope(&mut self, kind: Option<&Type>, root: &[&str]) -> Result<Option<Type>, String> {
        let Some(kind) = kind else { return Ok(None) };
        let mut kind = kind.clone();
        let mut path: Vec<String> = root.iter().map(|name| name.to_string()).collect();
        self.resolve(&mut kind, &mut path, root)?;
        Ok(Some(kind))
    }

    fn slot(&mut self, path: &[String], labels: Option<Labels>) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.known.push(NamedField { path: path.to_vec(), slot, labels });
        slot
    }

    fn resolve(&mut self, kind: &mut Type, path: &mut Vec<String>, root: &[&str]) -> Result<(), String> {
        let widest = kind.align();
        match kind {
            Type::Integer(integer) => {
                integer.slot = self.slot(path, integer.labels.clone());
                integer.role = integer.role.or_else(|| role(root, &path[root.len()..], integer.clock.is_some()));
                if integer.role == Some(Role::Time) {
                    self.clock = self.clock.take().or_else(|| integer.clock.clone());
                }
            }
            Type::Skipped { .. } => {}
            Type::Text { slot, .. } => *slot = self.slot(path, None),
            // A member may need a wider alignment than the structure states.
            Type::Structure { align, members } => {
                *align = widest;
                for (name, member) in members {
                    path.push(name.clone());
                    self.resolve(member, path, root)?;
                    path.pop();
                }
            }
            Type::Array { align, element, length, slot, .. } => {
                *align = widest;
                if let Length::At(place) = length {
                    *place = Place::Slot(self.find(place, path, root.len())?.0);
                }
                self.resolve(element, path, root)?;
                *slot = self.slot(path, None);
            }
            Type::Variant { selector, choices } => {
                let (slot, labels) = self.find(selector, path, root.len())?;
                *selector = Place::Slot(slot);
                for Choice { label, values, kind } in choices {
                    if values.is_empty() {
                        let labels = labels.as_ref();
                        let found = labels.and_then(|labels| labels.get(label.as_str()).or(labels.get(bare(label))));
                        *values = found.cloned().unwrap_or_default();
                    }
                    path.push(label.clone());
                    self.resolve(kind, path, root)?;
                    path.pop();
                }
            }
        }
        Ok(())
    }

    /// The field that a place names, by its full path or by a search from the innermost structure outward.
    fn find(&self, place: &Place, path: &[String], root: usize) -> Result<(usize, Option<Labels>), String> {
        let Place::Named(names) = place else { return Err("a field is looked for twice".to_string()) };
        let same = |a: &[String], b: &[String]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bare(a) == bare(b));
        let search = |wanted: &[String]| self.known.iter().rev().find(|known| same(&known.path, wanted));
        let inner = (root..path.len().max(root + 1)).rev().find_map(|length| {
            let wanted: Vec<String> = path[..length.min(path.len())].iter().chain(names).cloned().collect();
            search(&wanted)
        });
        let found = inner.or_else(|| search(names));
        let known = found.ok_or_else(|| format!("no earlier field is called {}", names.join(".")))?;
        Ok((known.slot, known.labels.clone()))
    }
}

/// The role that a field's name gives it in CTF 1.8.
fn role(root: &[&str], path: &[String], is_time: bool) -> Option<Role> {
    let name = bare(path.last()?);
    let top = path.len() == 1;
    let role = match (root, name) {
        (["trace", ..], "magic") if top => Role::Magic,
        (["trace", ..], "stream_id") if top => Role::StreamClass,
        (["trace", ..], "stream_instance_id") if top => Role::Stream,
        ([_, "packet", "context"], "packet_size") if top => Role::PacketBits,
        ([_, "packet", "context"], "content_size") if top => Role::ContentBits,
        ([_, "packet", "context"], "timestamp_end") if top => Role::PacketEnd,
        ([_, "packet", "context"], "timestamp_begin") if top => Role::Time,
        ([_, "packet", "context"], "events_discarded") if top => Role::Discarded,
        ([_, "packet", "context"], "packet_seq_num") if top => Role::Sequence,
        ([_, "packet", "context"], "cpu_id") if top => Role::Cpu,
        ([_, "event", "header"], "id") => Role::EventClass,
        ([_, "event", "header"], "timestamp") => Role::Time,
        ([_, "event", "context"] | ["event", "context"], "tid") if top => Role::Thread,
        // `perf data convert --to-ctf` writes these fields into each event.
        (["event", "fields"], "perf_cpu") if top => Role::Cpu,
        (["event", "fields"], "common_pid") if top => Role::Thread,
        (["event", "fields"], "common_flags") if top => Role::Flags,
        ([_, "event", "context"], "cpu_id") if top => Role::Cpu,
        (["stream", ..], _) if is_time => Role::Time,
        _ => return None,
    };
    Some(role)
}
