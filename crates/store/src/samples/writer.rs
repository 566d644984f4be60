// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes `samples.parquet` during the run, in bounded memory.
//!
//! Numbers, times and values are stored as differences (DELTA_BINARY_PACKED) without compression. Of the encodings tried, this
//! one is the smallest, and the fastest to read for all three columns.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::constant::Constants;
use super::{Column, DESCRIBED, Described, FILE_NAME, SCHEMA, SamplesError};
use backwall_model::{Key, Span};
use backwall_os::folder::{Folder, Part};
use parquet::basic::Encoding;
use parquet::data_type::{BoolType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// Number of rows to collect per series before writing them: 9 MB.
const ROWS: usize = 1 << 18;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesId(usize);

/// Writes to a temporary file and renames it at the end, so that a file with the final name is complete.
pub struct Writer {
    file: Option<SerializedFileWriter<File>>,
    series: Vec<(Described, Rows)>,
    path: PathBuf,
    part: Option<Part>,
}

#[derive(Default)]
struct Rows {
    seq: Vec<i64>,
    at: Vec<i64>,
    value: Vec<i64>,
    /// 1 for each row with a value.
    answered: Vec<i16>,
    missed: Vec<i64>,
    late: Vec<bool>,
    warmup: Vec<bool>,
    /// The columns that are equal in all rows, encoded for the number of rows written last.
    constants: Option<Constants>,
}

impl Writer {
    /// Creates the file in a run's folder.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(folder: &Folder) -> Result<Self, SamplesError> {
        let path = folder.path().join(FILE_NAME);
        let failed = |error: std::io::Error| SamplesError::Write { path: path.clone(), cause: error.into() };
        let mut part = folder.begin(FILE_NAME).map_err(failed)?;
        let file = part.file().try_clone().map_err(failed)?;
        Ok(Self { part: Some(part), ..Self::over(file, path)? })
    }

    /// Writes to an open file, which keeps its name.
    pub(super) fn over(file: File, path: PathBuf) -> Result<Self, SamplesError> {
        let open = || -> Result<_, ParquetError> {
            let schema = Arc::new(parse_message_type(SCHEMA)?);
            SerializedFileWriter::new(file, schema, Arc::new(properties()))
        };
        match open() {
            Ok(file) => Ok(Self { file: Some(file), series: Vec::new(), path, part: None }),
            Err(cause) => Err(SamplesError::Write { path, cause }),
        }
    }

    pub fn series(&mut self, key: Key, span: Span) -> SeriesId {
        self.series.push((Described { key, span }, Rows::default()));
        SeriesId(self.series.len() - 1)
    }

    /// Writes an answered stimulus.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn sample(&mut self, id: SeriesId, seq: u64, at: u64, value: u64, late: bool) -> Result<(), SamplesError> {
        self.row(id, [seq, at, 0], Some(value), late, false)
    }

    /// Writes an answered stimulus of the warmup.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn warmup(&mut self, id: SeriesId, seq: u64, at: u64, value: u64) -> Result<(), SamplesError> {
        self.row(id, [seq, at, 0], Some(value), false, true)
    }

    /// Writes that `count` stimuli from number `seq` on, due at time `at`, were missed.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn missed(&mut self, id: SeriesId, seq: u64, at: u64, count: u64) -> Result<(), SamplesError> {
        if count == 0 { Ok(()) } else { self.row(id, [seq, at, count], None, false, false) }
    }

    /// Like [`Self::missed`], for stimuli that the overload rule skipped. Such a row is `late`.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn skipped(&mut self, id: SeriesId, seq: u64, at: u64, count: u64) -> Result<(), SamplesError> {
        if count == 0 { Ok(()) } else { self.row(id, [seq, at, count], None, true, false) }
    }

    /// Writes the rest and gives the file its name.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(mut self) -> Result<(), SamplesError> {
        (0..self.series.len()).try_for_each(|index| self.write_rows(index))?;
        let described: Vec<&Described> = self.series.iter().map(|(described, _)| described).collect();
        let described = serde_json::to_string(&described).expect("names are plain text");
        let mut file = self.file.take().expect("open until finished");
        file.append_key_value_metadata(KeyValue::new(DESCRIBED.to_string(), described));
        let closed = file.close().map_err(|cause| self.failed(cause))?;
        drop(closed);
        let named = self.part.take().map_or(Ok(()), Part::finish);
        named.map_err(|error| self.failed(error.into()))
    }

    fn row(
        &mut self,
        SeriesId(index): SeriesId,
        [seq, at, missed]: [u64; 3],
        value: Option<u64>,
        late: bool,
        warmup: bool,
    ) -> Result<(), SamplesError> {
        let rows = &mut self.series[index].1;
        // The conversion keeps all 64 bits; the schema declares them unsigned.
        rows.seq.push(seq as i64);
        rows.at.push(at as i64);
        rows.value.extend(value.map(|value| value as i64));
        rows.answered.push(value.is_some().into());
        rows.missed.push(missed as i64);
        rows.late.push(late);
        rows.warmup.push(warmup);
        if rows.seq.len() >= ROWS { self.write_rows(index) } else { Ok(()) }
    }

    fn write_rows(&mut self, index: usize) -> Result<(), SamplesError> {
        let (described, rows) = &mut self.series[index];
        if rows.seq.is_empty() {
            return Ok(());
        }
        let file = self.file.as_mut().expect("open until finished");
        let written = rows.write(&described.key, file);
        rows.clear();
        written.map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: ParquetError) -> SamplesError {
        SamplesError::Write { path: self.path.clone(), cause }
    }
}

impl Rows {
    fn write(&mut self, key: &Key, file: &mut SerializedFileWriter<File>) -> Result<(), ParquetError> {
        let rows = self.seq.len();
        let constants = match self.constants.take() {
            Some(constants) if constants.rows() == rows => constants,
            _ => Constants::of(key, rows, file)?,
        };
        let mut group = file.next_row_group()?;
        constants.write_before(&mut group)?;
        write_column::<Int64Type>(&mut group, &self.seq, None)?;
        write_column::<Int64Type>(&mut group, &self.at, None)?;
        write_column::<Int64Type>(&mut group, &self.value, Some(&self.answered))?;
        write_column::<Int64Type>(&mut group, &self.missed, None)?;
        write_column::<BoolType>(&mut group, &self.late, None)?;
        write_column::<BoolType>(&mut group, &self.warmup, None)?;
        constants.write_behind(&mut group)?;
        self.constants = Some(constants);
        group.close().map(drop)
    }

    fn clear(&mut self) {
        self.seq.clear();
        self.at.clear();
        self.value.clear();
        self.answered.clear();
        self.missed.clear();
        self.late.clear();
        self.warmup.clear();
    }
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    defined: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("as many columns as the schema has");
    column.typed::<T>().write_batch(values, defined, None)?;
    column.close()
}

fn properties() -> WriterProperties {
    let numbers =
        [Column::Seq, Column::At, Column::Value, Column::Missed].map(|column| ColumnPath::from(column.name()));
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_created_by(concat!("backwall ", env!("CARGO_PKG_VERSION")).to_string())
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_statistics_truncate_length(None);
    let encoded = |properties: parquet::file::properties::WriterPropertiesBuilder, column: ColumnPath| {
        properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED)
    };
    numbers.into_iter().fold(properties, encoded).build()
}
