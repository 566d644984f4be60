// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `samples.parquet` back into the statistics of its series.
//!
//! Threads share the row groups. Every merge is exact, so the result does not depend on which thread read what. The statistics of
//! a row group tell which columns contain nothing and need not be read.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::columns::{Flags, Group, Numbers};
use super::guard::guarded;
use super::{Column, DESCRIBED, Described, SCHEMA, SamplesError, variant_text};
use backwall_model::Series;
use backwall_os::regular_file;
use backwall_stats::{Block, SeriesBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of rows to decode at once; all their columns fit into a core's cache.
const ROWS: usize = 1 << 13;

/// Maximum number of series in a file. Each takes half a megabyte per thread.
const MOST_SERIES: usize = 1_000;

/// The series of a file in the order of their declaration, read by `threads` threads.
///
/// # Errors
/// If the file is missing, is not Parquet, has other columns, or contradicts itself.
pub fn read(path: &Path, threads: NonZero<usize>) -> Result<Vec<Series>, SamplesError> {
    let failed = |what: String| SamplesError::Read { path: path.into(), what };
    let described = guarded(1, || described(&open(path)?.1)).map_err(failed)?.remove(0);
    let next = AtomicUsize::new(0);
    let mut parts = guarded(threads.get(), || read_part(path, &described, &next)).map_err(failed)?.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        all.iter_mut().zip(&part).for_each(|(builder, more)| builder.merge(more));
    }
    Ok(all.iter().map(SeriesBuilder::build).collect())
}

/// Each thread opens the file itself, because duplicated handles share one file position.
fn open(path: &Path) -> Result<(Arc<File>, ParquetMetaData), String> {
    let file = regular_file::open(path).map_err(|error| error.to_string())?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|error| error.to_string())?;
    Ok((file.into(), metadata))
}

fn described(metadata: &ParquetMetaData) -> Result<Vec<Described>, String> {
    let file = metadata.file_metadata();
    let expected = parse_message_type(SCHEMA).map_err(|error| error.to_string())?;
    let columns = |schema: &parquet::schema::types::Type| {
        schema
            .get_fields()
            .iter()
            .map(|f| (f.name().to_string(), f.get_physical_type(), f.is_optional()))
            .collect::<Vec<_>>()
    };
    let primitive = file.schema().get_fields().iter().all(|field| field.is_primitive());
    let (found, expected) = (columns(file.schema()), columns(&expected));
    if !primitive || found != expected {
        return Err("unknown columns; expected those of a samples file".into());
    }
    let entry = file.key_value_metadata().into_iter().flatten().find(|entry| entry.key == DESCRIBED);
    let json = entry.and_then(|entry| entry.value.as_deref()).ok_or(format!("its metadata lacks {DESCRIBED}"))?;
    let described: Vec<Described> =
        serde_json::from_str(json).map_err(|error| format!("{DESCRIBED} in its metadata: {error}"))?;
    match described.len() {
        ..=MOST_SERIES => Ok(described),
        count => Err(format!("{DESCRIBED} in its metadata names {count} series; the limit is {MOST_SERIES}")),
    }
}

/// Reads row groups until none is left, with one builder per series.
fn read_part(path: &Path, described: &[Described], next: &AtomicUsize) -> Result<Vec<SeriesBuilder>, String> {
    let (file, metadata) = open(path)?;
    let mut builders: Vec<_> = described.iter().cloned().map(|one| SeriesBuilder::new(one.key, one.span)).collect();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(about) = metadata.row_groups().get(index) else { return Ok(builders) };
        let located = |what: String| format!("row group {index}: {what}");
        let series = series_of(about, described).map_err(located)?;
        read_group(&Group { file: Arc::clone(&file), about }, &mut builders[series]).map_err(located)?;
    }
}

fn series_of(group: &RowGroupMetaData, described: &[Described]) -> Result<usize, String> {
    let [name, load, idle] = [Column::Series, Column::Load, Column::Idle].map(|column| text_of(group, column));
    let (name, load, idle) = (name?, load?, idle?);
    let (cpu, variant) = (processor_of(group)?, text_of(group, Column::Variant)?);
    let same = |one: &Described| {
        let key = &one.key;
        (key.name.as_str(), key.load.as_str(), key.idle.as_str(), key.cpu) == (name, load, idle, cpu)
            && variant_text(key) == variant
    };
    described
        .iter()
        .position(same)
        .ok_or(format!("the metadata does not describe the series {name:?} of this row group"))
}

fn text_of(group: &RowGroupMetaData, column: Column) -> Result<&str, String> {
    match group.column(column as usize).statistics() {
        Some(Statistics::ByteArray(texts)) if texts.min_opt() == texts.max_opt() => {
            texts.min_opt().and_then(|text| text.as_utf8().ok()).ok_or(format!("its {} is unknown", column.name()))
        }
        _ => Err(format!("its {} must be known and the same in all rows", column.name())),
    }
}

/// The CPU of all rows; `None` if the rows have none.
fn processor_of(group: &RowGroupMetaData) -> Result<Option<u32>, String> {
    let rows = u64::try_from(group.num_rows()).ok();
    match group.column(Column::Cpu as usize).statistics() {
        Some(Statistics::Int64(numbers)) if numbers.null_count_opt() == rows => Ok(None),
        Some(Statistics::Int64(numbers))
            if numbers.min_opt() == numbers.max_opt() && numbers.null_count_opt() == Some(0) =>
        {
            let cpu = numbers.min_opt().and_then(|cpu| u32::try_from(*cpu).ok());
            cpu.map(Some).ok_or("its cpu must be a CPU number".into())
        }
        _ => Err("its cpu must be known and the same in all rows".into()),
    }
}

struct Rows {
    seq: Numbers,
    at: Numbers,
    value: Numbers,
    missed: Option<Numbers>,
    late: Option<Flags>,
    warmup: Option<Flags>,
}

fn read_group(group: &Group, builder: &mut SeriesBuilder) -> Result<(), String> {
    let error = |error: ParquetError| error.to_string();
    let mut rows = Rows::of(group).map_err(error)?;
    let mut left = usize::try_from(group.about.num_rows()).map_err(|_| "its number of rows is negative")?;
    while left > 0 {
        let count = left.min(ROWS);
        rows.next(count).map_err(error)?;
        rows.give_to(builder, count)?;
        left -= count;
    }
    Ok(())
}

impl Rows {
    /// Prepares to read a row group, skipping columns whose statistics show only 0 or false.
    fn of(group: &Group) -> Result<Self, ParquetError> {
        let wanted = |column: Column| match group.about.column(column as usize).statistics() {
            Some(Statistics::Boolean(flags)) => flags.max_opt() != Some(&false),
            Some(Statistics::Int64(numbers)) => (numbers.min_opt(), numbers.max_opt()) != (Some(&0), Some(&0)),
            _ => true,
        };
        let numbers = |column| Numbers::of(group, column);
        let flags = |column| wanted(column).then(|| Flags::of(group, column)).transpose();
        Ok(Self {
            seq: numbers(Column::Seq)?,
            at: numbers(Column::At)?,
            value: numbers(Column::Value)?,
            missed: wanted(Column::Missed).then(|| numbers(Column::Missed)).transpose()?,
            late: flags(Column::Late)?,
            warmup: flags(Column::Warmup)?,
        })
    }

    fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.seq.next(count)?;
        self.at.next(count)?;
        self.value.next(count)?;
        self.missed.as_mut().map_or(Ok(()), |missed| missed.next(count))?;
        self.late.as_mut().map_or(Ok(()), |late| late.next(count))?;
        self.warmup.as_mut().map_or(Ok(()), |warmup| warmup.next(count))
    }

    fn give_to(&self, builder: &mut SeriesBuilder, count: usize) -> Result<(), String> {
        let late = self.late.as_ref().map_or(0, Flags::count);
        let warmup = self.warmup.as_ref().map_or(0, Flags::count);
        let any_lost = self.missed.as_ref().is_some_and(|missed| missed.values.iter().any(|missed| *missed > 0));
        if warmup > 0 || any_lost || self.value.values.len() < count {
            return self.give_each_to(builder, count);
        }
        builder.samples(Block { seq: &self.seq.values, at: &self.at.values, value: &self.value.values, late });
        Ok(())
    }

    fn give_each_to(&self, builder: &mut SeriesBuilder, count: usize) -> Result<(), String> {
        let mut values = self.value.values.iter();
        for row in 0..count {
            let (seq, at) = (self.seq.values[row], self.at.values[row]);
            let missed = self.missed.as_ref().map_or(0, |missed| missed.values[row]);
            let value = if self.value.defined[row] == 1 { values.next() } else { None };
            match (value, missed) {
                (None, 1..) if is_set(&self.late, row) => builder.skipped(at, missed),
                (None, 1..) => builder.missed(at, missed),
                (Some(_), 0) if is_set(&self.warmup, row) => builder.warmup(1),
                (Some(value), 0) => builder.sample(seq, at, *value, is_set(&self.late, row)),
                _ => return Err(format!("stimulus {seq} must be either answered or missed")),
            }
        }
        Ok(())
    }
}

fn is_set(flags: &Option<Flags>, row: usize) -> bool {
    flags.as_ref().is_some_and(|flags| flags.values[row])
}
