// SPDX-License-Identifier: MIT OR Apache-2.0
//! One column of a row group, in batches of rows.
use super::Column;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{BoolType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

pub struct Numbers {
    column: ColumnReaderImpl<Int64Type>,
    raw: Vec<i64>,
    pub values: Vec<u64>,
    /// 1 for each row with a value; empty if every row must have one.
    pub defined: Vec<i16>,
}

impl Numbers {
    pub fn of(group: &dyn RowGroupReader, column: Column) -> Result<Self, ParquetError> {
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
    pub fn of(group: &dyn RowGroupReader, column: Column) -> Result<Self, ParquetError> {
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

fn typed<T: DataType>(group: &dyn RowGroupReader, column: Column) -> Result<ColumnReaderImpl<T>, ParquetError> {
    Ok(get_typed_column_reader(group.get_column_reader(column as usize)?))
}

fn complete(rows: usize, count: usize) -> Result<(), ParquetError> {
    if rows == count { Ok(()) } else { Err(ParquetError::EOF("the columns differ in length".into())) }
}
