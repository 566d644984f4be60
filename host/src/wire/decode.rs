// SPDX-License-Identifier: MIT OR Apache-2.0
//! One payload to one record: sizes, reserved fields, names. The rules between
//! records are the reader's.
use super::{
    DeviceKind, EndReason, Fault, Hello, LoadHead, LossReason, Lost, POINTS_MAX, Progress, SeriesHead, Severity, Totals,
};
use crate::run::Overrun;
use crate::units::{ClockRate, Unit};

/// A point that was not observed.
pub(super) const ABSENT: u64 = u64::MAX;
const MAGIC: &[u8; 8] = b"BACKWALL";
const VERSION: u32 = 1;
const NAME_BYTES: usize = 16;

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The payload must have exactly `needed` bytes.
fn exactly(payload: &[u8], what: &'static str, needed: u64) -> Result<(), Fault> {
    let found = payload.len() as u64;
    if found == needed { Ok(()) } else { Err(Fault::Length { what, needed, found }) }
}

fn zero(value: u32, field: &'static str) -> Result<(), Fault> {
    if value == 0 { Ok(()) } else { Err(Fault::NotZero(field)) }
}

/// The meaning of a field: `meanings` lists its values from `first` on.
fn meaning<T: Copy>(value: u32, first: u32, field: &'static str, meanings: &[T]) -> Result<T, Fault> {
    let index = value.checked_sub(first).and_then(|index| meanings.get(index as usize));
    index.copied().ok_or(Fault::Value { field, value: value as u64 })
}

fn printable<'a>(bytes: &'a [u8], field: &'static str) -> Result<&'a str, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::Text(field))?;
    if text.chars().any(char::is_control) { Err(Fault::Text(field)) } else { Ok(text) }
}

/// A name of fixed width, padded with NUL; empty only where that is allowed by the caller.
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

/// The tail of a record with texts: its parts, then less than 8 bytes of NUL.
fn padded<'a>(payload: &'a [u8], what: &'static str, parts: &[u32]) -> Result<&'a [u8], Fault> {
    let used: u64 = parts.iter().map(|bytes| *bytes as u64).sum();
    exactly(payload, what, 8 + used.next_multiple_of(8))?;
    let (texts, padding) = payload[8..].split_at(used as usize);
    if padding.iter().any(|byte| *byte != 0) { Err(Fault::NotZero("padding")) } else { Ok(texts) }
}

pub(super) fn hello(payload: &[u8]) -> Result<Hello, Fault> {
    if payload.get(..8) != Some(MAGIC) {
        return Err(Fault::NotAStream);
    }
    exactly(payload, "HELLO", 48)?;
    let version = u32_at(payload, 8);
    if version != VERSION {
        return Err(Fault::Version(version));
    }
    zero(u32_at(payload, 28), "the reserved field of HELLO")?;
    Ok(Hello {
        device: meaning(u32_at(payload, 12), 1, "device", &[DeviceKind::Linux, DeviceKind::Detent, DeviceKind::Fake])?,
        rate: ClockRate::new(u64_at(payload, 16)).ok_or(Fault::Value { field: "clock_hz", value: 0 })?,
        unit: meaning(u32_at(payload, 24), 1, "unit", &[Unit::Ns, Unit::Instructions])?,
        clock: some_name(&payload[32..48], "the name of the clock")?.to_string(),
    })
}

pub(super) fn text(payload: &[u8]) -> Result<(&str, &str), Fault> {
    if payload.len() < 8 {
        return Err(Fault::Length { what: "TEXT", needed: 8, found: payload.len() as u64 });
    }
    let (key_bytes, value_bytes) = (u32_at(payload, 0), u32_at(payload, 4));
    let texts = padded(payload, "TEXT", &[key_bytes, value_bytes])?;
    let (key, value) = texts.split_at(key_bytes as usize);
    Ok((printable(key, "the key of TEXT")?, printable(value, "the value of TEXT")?))
}

pub(super) fn series(payload: &[u8]) -> Result<SeriesHead, Fault> {
    exactly(payload, "SERIES", 184)?;
    zero(u32_at(payload, 36), "the reserved field of SERIES")?;
    let points = u32_at(payload, 4);
    if !(2..=POINTS_MAX as u32).contains(&points) {
        return Err(Fault::Value { field: "points", value: points as u64 });
    }
    let (used, unused) = payload[56..].split_at(NAME_BYTES * points as usize);
    if unused.iter().any(|byte| *byte != 0) {
        return Err(Fault::NotZero("the name of an unused point"));
    }
    let names = used.chunks_exact(NAME_BYTES).map(|bytes| some_name(bytes, "the name of a point").map(str::to_string));
    Ok(SeriesHead {
        series: u32_at(payload, 0),
        period: u64_at(payload, 8),
        deadline: u64_at(payload, 16),
        first_at: u64_at(payload, 24),
        overrun: meaning(u32_at(payload, 32), 0, "overrun", &[Overrun::Skip, Overrun::Queue])?,
        name: some_name(&payload[40..56], "the name of the series")?.to_string(),
        points: names.collect::<Result<_, _>>()?,
    })
}

/// The fixed part of SAMPLES: series, count, first_seq, warm-up.
pub(super) fn samples_head(payload: &[u8]) -> Result<(u32, u32, u64, bool), Fault> {
    if payload.len() < 24 {
        return Err(Fault::Length { what: "SAMPLES", needed: 24, found: payload.len() as u64 });
    }
    zero(u32_at(payload, 20), "the reserved field of SAMPLES")?;
    let count = u32_at(payload, 4);
    if count == 0 {
        return Err(Fault::Value { field: "count", value: 0 });
    }
    let warmup = meaning(u32_at(payload, 16), 0, "flags", &[false, true])?;
    Ok((u32_at(payload, 0), count, u64_at(payload, 8), warmup))
}

/// The counts of SAMPLES, now that its series tells how many points a sample has.
pub(super) fn samples_counts(payload: &[u8], count: u32, points: usize) -> Result<&[u8], Fault> {
    exactly(payload, "SAMPLES", 24 + count as u64 * points as u64 * 8)?;
    Ok(&payload[24..])
}

pub(super) fn lost(payload: &[u8]) -> Result<Lost, Fault> {
    exactly(payload, "LOST", 24)?;
    let reasons = [LossReason::Overrun, LossReason::RingFull, LossReason::Stopped];
    let count = u64_at(payload, 16);
    if count == 0 {
        return Err(Fault::Value { field: "count", value: 0 });
    }
    let reason = meaning(u32_at(payload, 4), 1, "reason", &reasons)?;
    Ok(Lost { series: u32_at(payload, 0), reason, first_seq: u64_at(payload, 8), count })
}

pub(super) fn load(payload: &[u8]) -> Result<LoadHead, Fault> {
    exactly(payload, "LOAD", 40)?;
    zero(u32_at(payload, 4), "the reserved field of LOAD")?;
    Ok(LoadHead {
        load: u32_at(payload, 0),
        name: some_name(&payload[8..24], "the name of the load")?.to_string(),
        unit: some_name(&payload[24..40], "the unit of the load")?.to_string(),
    })
}

pub(super) fn progress(payload: &[u8]) -> Result<Progress, Fault> {
    exactly(payload, "PROGRESS", 24)?;
    zero(u32_at(payload, 4), "the reserved field of PROGRESS")?;
    Ok(Progress { load: u32_at(payload, 0), at: u64_at(payload, 8), done: u64_at(payload, 16) })
}

pub(super) fn value(payload: &[u8]) -> Result<(&str, u64), Fault> {
    exactly(payload, "VALUE", 40)?;
    Ok((some_name(&payload[..32], "the name of the value")?, u64_at(payload, 32)))
}

pub(super) fn note(payload: &[u8]) -> Result<(Severity, &str), Fault> {
    if payload.len() < 8 {
        return Err(Fault::Length { what: "NOTE", needed: 8, found: payload.len() as u64 });
    }
    let severities = [Severity::Info, Severity::Warning, Severity::Error];
    let severity = meaning(u32_at(payload, 0), 0, "severity", &severities)?;
    let text = padded(payload, "NOTE", &[u32_at(payload, 4)])?;
    Ok((severity, printable(text, "the text of NOTE")?))
}

pub(super) fn totals(payload: &[u8]) -> Result<Totals, Fault> {
    exactly(payload, "TOTALS", 32)?;
    zero(u32_at(payload, 4), "the reserved field of TOTALS")?;
    Ok(Totals {
        series: u32_at(payload, 0),
        due: u64_at(payload, 8),
        done: u64_at(payload, 16),
        lost: u64_at(payload, 24),
    })
}

/// The reason, and the records before this one as the device counts them.
pub(super) fn end(payload: &[u8]) -> Result<(EndReason, u64), Fault> {
    exactly(payload, "END", 16)?;
    zero(u32_at(payload, 4), "the reserved field of END")?;
    let reasons = [EndReason::Done, EndReason::Interrupted, EndReason::Failed];
    Ok((meaning(u32_at(payload, 0), 0, "reason", &reasons)?, u64_at(payload, 8)))
}
