// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes one payload to one record and checks sizes, reserved fields and names. The reader checks rules between records. This
//! file has what both versions share; each version has its own file.
mod v1;
mod v2;

use super::{
    EndReason, Fault, Hello, LoadHead, LossReason, MissedStimuli, NamedValue, Progress, Schedule, SeriesHead, Severity,
    Totals,
};
use backwall_model::Overrun;
use std::num::NonZero;

pub(super) const ABSENT: u64 = u64::MAX;
const NONE: u32 = u32::MAX;
const MAGIC: &[u8; 8] = b"BACKWALL";

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn exactly(payload: &[u8], what: &'static str, needed: u64) -> Result<(), Fault> {
    let found = payload.len() as u64;
    if found == needed { Ok(()) } else { Err(Fault::Length { what, needed, found }) }
}

fn zero(value: u32, field: &'static str) -> Result<(), Fault> {
    if value == 0 { Ok(()) } else { Err(Fault::NotZero(field)) }
}

fn meaning<T: Copy>(value: u32, first: u32, field: &'static str, meanings: &[T]) -> Result<T, Fault> {
    let index = value.checked_sub(first).and_then(|index| meanings.get(index as usize));
    index.copied().ok_or(Fault::Value { field, value: value as u64 })
}

fn printable<'a>(bytes: &'a [u8], field: &'static str) -> Result<&'a str, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::Text(field))?;
    if text.chars().any(char::is_control) { Err(Fault::Text(field)) } else { Ok(text) }
}

type Read<T> = Result<T, Fault>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) text: for<'a> fn(&'a [u8]) -> Read<(&'a str, &'a str)>,
    pub(super) series: fn(&[u8]) -> Read<SeriesHead>,
    pub(super) load: fn(&[u8]) -> Read<LoadHead>,
    pub(super) value: fn(&[u8]) -> Read<NamedValue<'_>>,
    pub(super) note: for<'a> fn(&'a [u8]) -> Read<(Severity, &'a str)>,
}

pub(super) fn hello(payload: &[u8]) -> Result<(Hello, Layout), Fault> {
    if payload.get(..8) != Some(MAGIC) {
        return Err(Fault::NotAStream);
    }
    at_least(payload, "HELLO", 12)?;
    match u32_at(payload, 8) {
        1 => Ok((v1::hello(payload)?, v1::LAYOUT)),
        2 => Ok((v2::hello(payload)?, v2::LAYOUT)),
        version => Err(Fault::Version(version)),
    }
}

/// Whether bytes begin a probe's stream: the first record has the format's magic text after its 8-byte header.
pub fn is_stream(start: &[u8]) -> bool {
    start.get(8..16) == Some(MAGIC)
}

fn at_least(payload: &[u8], what: &'static str, needed: u64) -> Result<(), Fault> {
    let found = payload.len() as u64;
    if found >= needed { Ok(()) } else { Err(Fault::Length { what, needed, found }) }
}

fn points(number: u32) -> Result<usize, Fault> {
    let points = number as usize;
    if (2..=super::POINTS_MAX).contains(&points) {
        Ok(points)
    } else {
        Err(Fault::Value { field: "points", value: points as u64 })
    }
}

/// A series' schedule; `None` if it has no period.
fn schedule(period: u64, first_at: u64, overrun: u32) -> Result<Option<Schedule>, Fault> {
    let overrun = meaning(overrun, 0, "overrun", &[Overrun::Skip, Overrun::Queue])?;
    Ok(NonZero::new(period).map(|period| Schedule { period, first_at, overrun }))
}

fn severity(number: u32) -> Result<Severity, Fault> {
    meaning(number, 0, "severity", &[Severity::Info, Severity::Warning, Severity::Error])
}

pub(super) fn samples_head(payload: &[u8]) -> Result<(u32, u32, u64, bool), Fault> {
    at_least(payload, "SAMPLES", 24)?;
    zero(u32_at(payload, 20), "the reserved field of SAMPLES")?;
    let count = u32_at(payload, 4);
    if count == 0 {
        return Err(Fault::Value { field: "count", value: 0 });
    }
    let warmup = meaning(u32_at(payload, 16), 0, "flags", &[false, true])?;
    Ok((u32_at(payload, 0), count, u64_at(payload, 8), warmup))
}

/// The counts in SAMPLES, checked against the number of samples and the series' number of points.
pub(super) fn samples_counts(payload: &[u8], count: u32, points: usize) -> Result<&[u8], Fault> {
    exactly(payload, "SAMPLES", 24 + count as u64 * points as u64 * 8)?;
    Ok(&payload[24..])
}

pub(super) fn lost(payload: &[u8]) -> Result<MissedStimuli, Fault> {
    exactly(payload, "LOST", 24)?;
    let reasons =
        [LossReason::Overrun, LossReason::RingFull, LossReason::Stopped, LossReason::Void, LossReason::Aborted];
    let count = u64_at(payload, 16);
    if count == 0 {
        return Err(Fault::Value { field: "count", value: 0 });
    }
    let reason = meaning(u32_at(payload, 4), 1, "reason", &reasons)?;
    Ok(MissedStimuli { series: u32_at(payload, 0), reason, first_seq: u64_at(payload, 8), count })
}

pub(super) fn progress(payload: &[u8]) -> Result<Progress, Fault> {
    exactly(payload, "PROGRESS", 24)?;
    zero(u32_at(payload, 4), "the reserved field of PROGRESS")?;
    Ok(Progress { load: u32_at(payload, 0), at: u64_at(payload, 8), done: u64_at(payload, 16) })
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

/// The reason for the end, and the number of records before this one that the device counted.
pub(super) fn end(payload: &[u8]) -> Result<(EndReason, u64), Fault> {
    exactly(payload, "END", 16)?;
    zero(u32_at(payload, 4), "the reserved field of END")?;
    let reasons = [EndReason::Done, EndReason::Interrupted, EndReason::Failed];
    Ok((meaning(u32_at(payload, 0), 0, "reason", &reasons)?, u64_at(payload, 8)))
}
