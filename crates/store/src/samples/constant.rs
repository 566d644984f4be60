// SPDX-License-Identifier: MIT OR Apache-2.0
//! Columns with the same value in every row: encoded once, then written any number of times.
//!
//! Otherwise most of the time would go into hashing and comparing the same five texts in each of some hundred million rows.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::{Column, variant_text};
use backwall_model::Key;
use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use std::fs::File;

const BATCH: usize = 1 << 10;

pub struct Constants {
    rows: usize,
    before: Vec<Encoded>,
    behind: Vec<Encoded>,
}

struct Encoded {
    bytes: Bytes,
    closed: ColumnCloseResult,
}

impl Constants {
    pub fn of(key: &Key, rows: usize, file: &SerializedFileWriter<File>) -> Result<Self, ParquetError> {
        let text = |column, text: &str| Encoded::of::<ByteArrayType>(file, column, Some(text.into()), rows);
        let processor = Encoded::of::<Int64Type>(file, Column::Cpu, key.cpu.map(i64::from), rows);
        Ok(Self {
            rows,
            before: vec![
                text(Column::Series, &key.name)?,
                text(Column::Load, &key.load)?,
                text(Column::Idle, &key.idle)?,
            ],
            behind: vec![processor?, text(Column::Variant, &variant_text(key))?],
        })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn write_before(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        self.before.iter().try_for_each(|column| column.write(group))
    }

    pub fn write_behind(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        self.behind.iter().try_for_each(|column| column.write(group))
    }
}

impl Encoded {
    fn of<T: DataType>(
        file: &SerializedFileWriter<File>,
        column: Column,
        value: Option<T::T>,
        rows: usize,
    ) -> Result<Self, ParquetError> {
        let described = file.schema_descr().column(column as usize);
        let defined = vec![i16::from(value.is_some()); BATCH];
        let optional = described.max_def_level() > 0;
        let values: Vec<T::T> = value.into_iter().flat_map(|value| std::iter::repeat_n(value, BATCH)).collect();
        let mut sink = TrackedWrite::new(Vec::new());
        let page = Box::new(SerializedPageWriter::new(&mut sink));
        let mut writer = get_typed_column_writer::<T>(get_column_writer(described, file.properties().clone(), page));
        for first in (0..rows).step_by(BATCH) {
            let count = BATCH.min(rows - first);
            writer.write_batch(&values[..count.min(values.len())], optional.then_some(&defined[..count]), None)?;
        }
        let closed = writer.close()?;
        Ok(Self { bytes: sink.into_inner()?.into(), closed })
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        group.append_column(&self.bytes, self.closed.clone())
    }
}
