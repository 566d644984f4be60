// SPDX-License-Identifier: MIT OR Apache-2.0
//! Version 1: fixed-width names, and texts of a stated length. Nothing writes it any more.
use super::{Layout, at_least, exactly, meaning, points, printable, schedule, severity, u32_at, u64_at, zero};
use crate::{Fault, Hello, LoadHead, NamedValue, SeriesHead, Severity};
use backwall_model::units::{ClockRate, Unit};
use std::collections::BTreeMap;
use std::num::NonZero;

const NAME_BYTES: usize = 16;

pub(super) const LAYOUT: Layout = Layout { text, series, load, value, note };

/// A fixed-width name, padded with NUL. The caller decides whether it may be empty.
fn name<'a>(bytes: &'a [u8], field: &'static str) -> Result<&'a str, Fault> {
    let used = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    if bytes[used..].iter().any(|byte| *byte != 0) {
        return Err(Fault::NotZero(field));
    }
    printable(&bytes[..used], field)
}

fn some_name<'a>(bytes: &'a [u8], field: &'static str) -> Result<&'a str, Fault> {
    name(bytes, field).and_then(|text| if text.is_empty() { Err(Fault::Text(field)) } else { Ok(text) })
}

/// The end of a record with texts: its parts, then fewer than 8 bytes of NUL.
fn padded<'a>(payload: &'a [u8], what: &'static str, parts: &[u32]) -> Result<&'a [u8], Fault> {
    let used: u64 = parts.iter().map(|bytes| *bytes as u64).sum();
    exactly(payload, what, 8 + used.next_multiple_of(8))?;
    let (texts, padding) = payload[8..].split_at(used as usize);
    if padding.iter().any(|byte| *byte != 0) { Err(Fault::NotZero("padding")) } else { Ok(texts) }
}

pub(super) fn hello(payload: &[u8]) -> Result<Hello, Fault> {
    exactly(payload, "HELLO", 48)?;
    zero(u32_at(payload, 28), "the reserved field of HELLO")?;
    Ok(Hello {
        version: 1,
        device: meaning(u32_at(payload, 12), 1, "device", &["linux", "detent", "fake"])?.to_string(),
        rate: ClockRate::new(u64_at(payload, 16)).ok_or(Fault::Value { field: "clock_hz", value: 0 })?,
        unit: meaning(u32_at(payload, 24), 1, "unit", &[Unit::Ns, Unit::Instructions])?,
        clock: some_name(&payload[32..48], "the name of the clock")?.to_string(),
    })
}

fn text(payload: &[u8]) -> Result<(&str, &str), Fault> {
    at_least(payload, "TEXT", 8)?;
    let (key_bytes, value_bytes) = (u32_at(payload, 0), u32_at(payload, 4));
    let texts = padded(payload, "TEXT", &[key_bytes, value_bytes])?;
    let (key, value) = texts.split_at(key_bytes as usize);
    Ok((printable(key, "the key of TEXT")?, printable(value, "the value of TEXT")?))
}

fn series(payload: &[u8]) -> Result<SeriesHead, Fault> {
    exactly(payload, "SERIES", 184)?;
    zero(u32_at(payload, 36), "the reserved field of SERIES")?;
    let (used, unused) = payload[56..].split_at(NAME_BYTES * points(u32_at(payload, 4))?);
    if unused.iter().any(|byte| *byte != 0) {
        return Err(Fault::NotZero("the name of an unused point"));
    }
    let names = used.chunks_exact(NAME_BYTES).map(|bytes| some_name(bytes, "the name of a point").map(str::to_string));
    Ok(SeriesHead {
        series: u32_at(payload, 0),
        schedule: schedule(u64_at(payload, 8), u64_at(payload, 24), u32_at(payload, 32))?,
        deadline: NonZero::new(u64_at(payload, 16)),
        cpu: None,
        fields: BTreeMap::new(),
        name: some_name(&payload[40..56], "the name of the series")?.to_string(),
        points: names.collect::<Result<_, _>>()?,
    })
}

fn load(payload: &[u8]) -> Result<LoadHead, Fault> {
    exactly(payload, "LOAD", 40)?;
    zero(u32_at(payload, 4), "the reserved field of LOAD")?;
    Ok(LoadHead {
        load: u32_at(payload, 0),
        name: some_name(&payload[8..24], "the name of the load")?.to_string(),
        unit: some_name(&payload[24..40], "the unit of the load")?.to_string(),
    })
}

fn value(payload: &[u8]) -> Result<NamedValue<'_>, Fault> {
    exactly(payload, "VALUE", 40)?;
    let name = some_name(&payload[..32], "the name of the value")?;
    Ok(NamedValue { series: None, name, value: u64_at(payload, 32) })
}

fn note(payload: &[u8]) -> Result<(Severity, &str), Fault> {
    at_least(payload, "NOTE", 8)?;
    let severity = severity(u32_at(payload, 0))?;
    let text = padded(payload, "NOTE", &[u32_at(payload, 4)])?;
    Ok((severity, printable(text, "the text of NOTE")?))
}
