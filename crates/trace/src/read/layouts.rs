// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of the recorded kernel: the layouts of the events to decode, and the names of all events for counting.
use super::error::ReadError;
use crate::event::symbols::Symbols;
use crate::event::{Source, read_besides, sources};
use crate::ring::decoder::Decoder;
use crate::ring::format::EventFormat;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Layouts {
    formats: BTreeMap<String, EventFormat>,
    symbols: Option<Arc<Symbols>>,
}

impl Layouts {
    /// Takes the text of an event's `format` file. Returns `false` if backwall cannot parse it; that matters only if the event
    /// must be decoded.
    pub(super) fn take(&mut self, system: &str, text: &str) -> bool {
        let Ok(format) = EventFormat::parse(text) else { return false };
        self.formats.insert(format!("{system}/{}", format.name), format);
        true
    }

    pub(super) fn take_functions(&mut self, text: &str) {
        self.symbols = Some(Arc::new(Symbols::parse(text)));
    }

    pub(super) fn decoder(&self) -> Result<Decoder, ReadError> {
        let known = self.known();
        let mut decoder = Decoder::new(known.iter().map(|(source, format)| (source, format.clone())))
            .map_err(|error| ReadError::NotRead(format!("its layouts: {error}")))?;
        self.symbols.iter().for_each(|symbols| decoder.name_functions_by(symbols.clone()));
        Ok(decoder)
    }

    /// Number of records by event name, from the counts by event number.
    pub(super) fn by_name(&self, counts: &[u64]) -> BTreeMap<String, u64> {
        let names: BTreeMap<u16, &str> =
            self.formats.values().map(|format| (format.id, format.name.as_str())).collect();
        let mut by_name = BTreeMap::new();
        for (id, count) in (0u16..=u16::MAX).zip(counts).filter(|(_, count)| **count > 0) {
            let name = names.get(&id).map_or_else(|| format!("event {id}"), |name| name.to_string());
            *by_name.entry(name).or_insert(0) += count;
        }
        by_name
    }

    fn known(&self) -> Vec<(Source, EventFormat)> {
        let vectors = self.formats.keys().filter_map(|path| path.strip_prefix("irq_vectors/")).map(String::from);
        let usual = sources(vectors);
        let all = read_besides().into_iter().chain(usual);
        let with_format = all.filter_map(|source| Some((source.clone(), self.formats.get(&source.path)?.clone())));
        // An old kernel's event may lack a field; backwall then counts it without decoding it.
        with_format.filter(|(source, format)| source.fields.iter().all(|field| format.place(field).is_ok())).collect()
    }
}
