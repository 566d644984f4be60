// SPDX-License-Identifier: MIT OR Apache-2.0
//! One column of a row group, in batches of rows.
#![expect(clippy::disallowed_types, reason = "reads a file")]
use super::Column;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{BoolType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::sync::Arc;

/// A row group of an open file.
pub struct Group<'a> {
    pub file: Arc<File>,
    pub about: &'a RowGroupMetaData,
}

pub struct Numbers {
    column: ColumnReaderImpl<Int64Type>,
    raw: Vec<i64>,
    pub values: Vec<u64>,
    /// 1 for each row with a value; empty if every row must have one.
    pub defined: Vec<i16>,
}

impl Numbers {
    pub fn of(group: &Group, column: Column) -> Result<Self, ParquetError> {
        let column = typed(group, column)?;
        Ok(Self { column, raw: Vec::new(), values: Vec::new(), defined: Vec::new() })
    }

    pub fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.raw.clear();
        self.defined.clear();
        let (rows, _, _) = self.column.read_records(count, Some(&mut self.defined), None, &mut self.raw)?;
        self.values.clear();
        self.values.extend(self.raw.iter().map(|value| *value as u64));
        complete(rows, count)
    }
}

pub struct Flags {
    column: ColumnReaderImpl<BoolType>,
    pub values: Vec<bool>,
}

impl Flags {
    pub fn of(group: &Group, column: Column) -> Result<Self, ParquetError> {
        Ok(Self { column: typed(group, column)?, values: Vec::new() })
    }

    pub fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.values.clear();
        let (rows, _, _) = self.column.read_records(count, None, None, &mut self.values)?;
        complete(rows, count)
    }

    pub fn count(&self) -> u64 {
        self.values.iter().filter(|set| **set).count() as u64
    }
}

// Only the readers of these types become part of the program; those of parquet's row groups are all types' and the rows'.
fn typed<T: DataType>(group: &Group, column: Column) -> Result<ColumnReaderImpl<T>, ParquetError> {
    let (about, place) = (group.about, column as usize);
    let rows = usize::try_from(about.num_rows())?;
    let pages = SerializedPageReader::new(Arc::clone(&group.file), about.column(place), rows, None)?;
    Ok(ColumnReaderImpl::new(about.schema_descr().column(place), Box::new(pages)))
}

fn complete(rows: usize, count: usize) -> Result<(), ParquetError> {
    if rows == count { Ok(()) } else { Err(ParquetError::EOF("the columns differ in length".into())) }
}
