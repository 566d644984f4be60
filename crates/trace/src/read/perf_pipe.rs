// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a perf.data that was written into a pipe (`perf record -o -`). perf cannot go back in a pipe to write where the
//! file's parts are, so the parts come before the samples as records of their own.
//! Source: perf.data-file-format.txt, "Pipe-mode data".
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::error::ReadError;
use super::input::Input;
use super::layouts::Layouts;
use super::perf_data::{ATTRIBUTES_MAX, LOST, NUMBERS_MAX, Records, SAMPLE, Samples, layouts_at, number, of_kinds};
use super::perf_sample::{SampleLayout, lacks_events};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom};

const HEAD_BYTES: u64 = 16;
const ATTRIBUTE: u32 = 64;
pub(super) const TRACING_DATA: u32 = 66;
pub(super) const AUXTRACE: u32 = 71;
const RECORD_HEAD_BYTES: u64 = 8;
const LENGTH_AT: usize = 4;
const KIND_AT: usize = 24;

#[derive(Debug)]
pub(super) struct Piped {
    pub(super) samples: Samples,
    pub(super) layouts: Layouts,
    pub(super) data: (u64, u64),
}

/// Whether the file was written into a pipe: then its head contains only the head's length.
pub(super) fn is_piped(input: &Input<'_>) -> Result<bool, ReadError> {
    Ok(input.at(8, "the head of perf.data")?.long("the length of the head")? == HEAD_BYTES)
}

pub(super) fn head(file: &File, input: &Input<'_>) -> Result<Piped, ReadError> {
    let mut start = file;
    start.seek(SeekFrom::Start(HEAD_BYTES))?;
    let data = (HEAD_BYTES, file.metadata()?.len().saturating_sub(HEAD_BYTES));
    let (mut records, mut head) = (Records::new(file, data, true), Head::default());
    while let Some((kind, at, body)) = records.next()? {
        match kind {
            ATTRIBUTE => head.attribute(at, body)?,
            TRACING_DATA => head.layouts_at = Some(at + RECORD_HEAD_BYTES + body.len() as u64),
            SAMPLE | LOST => break,
            _ => {}
        }
    }
    let Some(layouts_at_byte) = head.layouts_at else {
        return Err(ReadError::NotRead(
            "no kernel tracepoints; record with perf record -a -e sched:sched_switch -e sched:sched_waking -o -"
                .to_string(),
        ));
    };
    let layouts = layouts_at(input, layouts_at_byte)?;
    Ok(Piped { samples: of_kinds(head.kinds, head.by_number)?, layouts, data })
}

#[derive(Default)]
struct Head {
    kinds: Vec<u64>,
    by_number: BTreeMap<u64, SampleLayout>,
    layouts_at: Option<u64>,
}

impl Head {
    fn attribute(&mut self, at: u64, body: &[u8]) -> Result<(), ReadError> {
        let length = (number(body, LENGTH_AT) & u64::from(u32::MAX)) as usize;
        let numbers = body.get(length..).filter(|_| length >= KIND_AT + 8);
        let Some(numbers) = numbers.filter(|_| (self.kinds.len() as u64) < ATTRIBUTES_MAX) else {
            return Err(ReadError::Bad {
                at,
                what: format!("the file has an attribute of {length} bytes, a length that perf does not write"),
            });
        };
        let kind = number(body, KIND_AT);
        lacks_events(number(body, 0), number(body, 16), number(body, 40))
            .map_err(|what| ReadError::NotRead(what.to_string()))?;
        self.kinds.push(kind);
        if (self.by_number.len() + numbers.len() / 8) as u64 > NUMBERS_MAX {
            return Err(ReadError::Bad { at, what: "too many event numbers".to_string() });
        }
        if let Ok(layout) = SampleLayout::of(kind) {
            self.by_number.extend(numbers.chunks_exact(8).map(|chunk| (number(chunk, 0), layout)));
        }
        Ok(())
    }
}
