// SPDX-License-Identifier: MIT OR Apache-2.0
//! Version 2: texts at the end of a payload, each followed by a NUL.
use super::{Layout, NONE, at_least, meaning, points, printable, schedule, severity, u32_at, u64_at, zero};
use crate::{FIELDS_MAX, Fault, Hello, LoadHead, NAME_BYTES_MAX, NamedValue, SeriesHead, Severity};
use backwall_model::units::{ClockRate, Unit};
use std::collections::BTreeMap;
use std::num::NonZero;

pub(super) const LAYOUT: Layout = Layout { text, series, load, value, note };

/// The texts after the fixed part of a payload, read one by one.
struct Texts<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Texts<'a> {
    fn behind(payload: &'a [u8], what: &'static str, fixed: usize) -> Result<Self, Fault> {
        at_least(payload, what, fixed as u64)?;
        Ok(Self { what, rest: &payload[fixed..] })
    }

    fn text(&mut self, field: &'static str) -> Result<&'a str, Fault> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(Fault::NoEnd(field))?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        printable(text, field)
    }

    fn name(&mut self, field: &'static str) -> Result<&'a str, Fault> {
        let name = self.text(field)?;
        if (1..=NAME_BYTES_MAX).contains(&name.len()) { Ok(name) } else { Err(Fault::Name(field, name.len())) }
    }

    /// Checks that only padding follows: fewer than 8 bytes of NUL.
    fn end(self) -> Result<(), Fault> {
        if self.rest.len() >= 8 {
            return Err(Fault::TooLong(self.what));
        }
        if self.rest.iter().any(|byte| *byte != 0) { Err(Fault::NotZero("padding")) } else { Ok(()) }
    }
}

fn some(number: u32) -> Option<u32> {
    Some(number).filter(|number| *number != NONE)
}

pub(super) fn hello(payload: &[u8]) -> Result<Hello, Fault> {
    let mut texts = Texts::behind(payload, "HELLO", 24)?;
    let hello = Hello {
        version: 2,
        device: texts.name("the kind of device")?.to_string(),
        rate: ClockRate::new(u64_at(payload, 16)).ok_or(Fault::Value { field: "clock_hz", value: 0 })?,
        unit: meaning(u32_at(payload, 12), 1, "unit", &[Unit::Ns, Unit::Instructions])?,
        clock: texts.name("the name of the clock")?.to_string(),
    };
    texts.end()?;
    Ok(hello)
}

fn text(payload: &[u8]) -> Result<(&str, &str), Fault> {
    let mut texts = Texts::behind(payload, "TEXT", 0)?;
    let found = (texts.name("the key of TEXT")?, texts.text("the value of TEXT")?);
    texts.end()?;
    Ok(found)
}

fn series(payload: &[u8]) -> Result<SeriesHead, Fault> {
    let mut texts = Texts::behind(payload, "SERIES", 48)?;
    zero(u32_at(payload, 44), "the reserved field of SERIES")?;
    let schedule = schedule(u64_at(payload, 8), u64_at(payload, 24), u32_at(payload, 32))?;
    if schedule.is_none() && (u64_at(payload, 24), u32_at(payload, 32)) != (0, 0) {
        return Err(Fault::NotZero("first_at and overrun of a series without a period"));
    }
    let name = texts.name("the name of the series")?.to_string();
    let points = points(u32_at(payload, 4))?;
    let points: Result<_, _> = (0..points).map(|_| texts.name("the name of a point").map(str::to_string)).collect();
    let head = SeriesHead {
        series: u32_at(payload, 0),
        schedule,
        deadline: NonZero::new(u64_at(payload, 16)),
        cpu: some(u32_at(payload, 36)),
        name,
        points: points?,
        fields: fields(&mut texts, u32_at(payload, 40))?,
    };
    texts.end()?;
    Ok(head)
}

fn fields(texts: &mut Texts<'_>, count: u32) -> Result<BTreeMap<String, String>, Fault> {
    if count as usize > FIELDS_MAX {
        return Err(Fault::Value { field: "fields", value: count as u64 });
    }
    let mut fields = BTreeMap::new();
    for _ in 0..count {
        let text = texts.name("a field of the series")?;
        let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or(Fault::Field)?;
        if fields.insert(key.to_string(), value.to_string()).is_some() {
            return Err(Fault::Field);
        }
    }
    Ok(fields)
}

fn load(payload: &[u8]) -> Result<LoadHead, Fault> {
    let mut texts = Texts::behind(payload, "LOAD", 8)?;
    zero(u32_at(payload, 4), "the reserved field of LOAD")?;
    let name = texts.name("the name of the load")?.to_string();
    let unit = texts.name("the unit of the load")?.to_string();
    texts.end()?;
    Ok(LoadHead { load: u32_at(payload, 0), name, unit })
}

fn value(payload: &[u8]) -> Result<NamedValue<'_>, Fault> {
    let mut texts = Texts::behind(payload, "VALUE", 16)?;
    zero(u32_at(payload, 4), "the reserved field of VALUE")?;
    let name = texts.name("the name of the value")?;
    texts.end()?;
    Ok(NamedValue { series: some(u32_at(payload, 0)), name, value: u64_at(payload, 8) })
}

fn note(payload: &[u8]) -> Result<(Severity, &str), Fault> {
    let mut texts = Texts::behind(payload, "NOTE", 8)?;
    zero(u32_at(payload, 4), "the reserved field of NOTE")?;
    let severity = severity(u32_at(payload, 0))?;
    let text = texts.text("the text of NOTE")?;
    texts.end()?;
    Ok((severity, text))
}
