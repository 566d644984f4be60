// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports a fleet's figures as one Parquet file: one row per series and run, ordered by device and time. Any program that reads
//! Parquet can select by device, kernel and day. The samples stay in each run's own file.
use crate::history::{Device, Entry};
use backwall_model::Series;
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

pub const FILE: &str = "figures.parquet";

struct Row<'a> {
    device: &'a str,
    entry: &'a Entry,
    series: &'a Series,
}

enum Values {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Flag(Vec<Option<bool>>),
    Day(Vec<Option<i32>>),
    Time(Vec<Option<i64>>),
}

/// The file's bytes.
///
/// # Errors
/// If the Parquet writer fails, which the caller cannot fix.
pub fn parquet(devices: &[Device]) -> Result<Vec<u8>, ParquetError> {
    let rows: Vec<Row> = devices.iter().flat_map(rows).collect();
    let columns = columns(&rows);
    let lines: String = columns.iter().map(|(name, values)| format!("optional {};\n", values.declared(name))).collect();
    let schema = Arc::new(parse_message_type(&format!("message figures {{ {lines} }}"))?);
    let properties =
        WriterProperties::builder().set_created_by(concat!("backwall ", env!("CARGO_PKG_VERSION")).to_string());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))?;
    let mut group = file.next_row_group()?;
    columns.into_iter().try_for_each(|(_, values)| values.write(&mut group))?;
    group.close()?;
    file.into_inner()
}

fn rows(device: &Device) -> impl Iterator<Item = Row<'_>> {
    let series = move |entry| move |series| Row { device: &device.name, entry, series };
    device.entries.iter().flat_map(move |entry| entry.run.series.iter().map(series(entry)))
}

/// The columns with their names. Figures have the unit of their row, nanoseconds or instructions: do not add up rows of different
/// units.
fn columns(rows: &[Row]) -> Vec<(&'static str, Values)> {
    let text = |of: &dyn Fn(&Row) -> Option<String>| Values::Text(rows.iter().map(of).collect());
    let whole = |of: &dyn Fn(&Row) -> Option<u64>| {
        Values::Whole(rows.iter().map(|row| of(row).and_then(|value| value.try_into().ok())).collect())
    };
    let quantile = |q: f64, high: bool| {
        whole(&|row: &Row| {
            let found = row.series.quantile(q)?;
            if high { found.value.and(found.high) } else { found.value }
        })
    };
    vec![
        ("device", text(&|row| Some(row.device.to_string()))),
        ("kernel", text(&|row| Some(row.entry.kernel.clone()))),
        ("day", Values::Day(rows.iter().map(|row| row.entry.began.map(day)).collect())),
        ("began", Values::Time(rows.iter().map(|row| row.entry.began.map(Timestamp::as_microsecond)).collect())),
        ("run", text(&|row| Some(row.entry.place.clone()))),
        ("series", text(&|row| Some(row.series.key.label()))),
        ("load", text(&|row| Some(row.series.key.load.clone()))),
        ("idle", text(&|row| Some(row.series.key.idle.clone()))),
        ("origin", text(&|row| Some(row.entry.run.origin.name().to_string()))),
        ("valid", Values::Flag(rows.iter().map(|row| Some(is_evidence(row))).collect())),
        ("unit", text(&|row| Some(row.series.unit.name().to_string()))),
        ("due", whole(&|row| row.series.due)),
        ("done", whole(&|row| Some(row.series.done))),
        ("missed", whole(&|row| row.series.missed)),
        ("late", whole(&|row| row.series.late)),
        ("min", whole(&|row| row.series.min)),
        ("mean", Values::Real(rows.iter().map(|row| row.series.mean).collect())),
        ("p50", quantile(0.5, false)),
        ("p99", quantile(0.99, false)),
        ("p99_9", quantile(0.999, false)),
        ("p99_9_at_most", quantile(0.999, true)),
        ("max", whole(&|row| row.series.max)),
    ]
}

fn is_evidence(row: &Row) -> bool {
    row.entry.run.no_evidence_of(&row.series.key).is_none()
}

/// Days since 1 January 1970 in UTC; the folder names use the same day.
fn day(began: Timestamp) -> i32 {
    let first = Date::constant(1970, 1, 1);
    (began.to_zoned(TimeZone::UTC).date() - first).get_days()
}

impl Values {
    fn declared(&self, name: &str) -> String {
        match self {
            Values::Text(_) => format!("binary {name} (STRING)"),
            Values::Whole(_) => format!("int64 {name}"),
            Values::Real(_) => format!("double {name}"),
            Values::Flag(_) => format!("boolean {name}"),
            Values::Day(_) => format!("int32 {name} (DATE)"),
            Values::Time(_) => format!("int64 {name} (TIMESTAMP(MICROS,true))"),
        }
    }

    fn write(self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), ParquetError> {
        match self {
            Values::Text(values) => {
                let bytes = |value: Option<String>| value.map(|text| ByteArray::from(text.into_bytes()));
                column::<ByteArrayType>(group, values.into_iter().map(bytes).collect())
            }
            Values::Whole(values) | Values::Time(values) => column::<Int64Type>(group, values),
            Values::Real(values) => column::<DoubleType>(group, values),
            Values::Flag(values) => column::<BoolType>(group, values),
            Values::Day(values) => column::<Int32Type>(group, values),
        }
    }
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let known: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let mut column = group.next_column()?.expect("as many columns as the schema has");
    column.typed::<T>().write_batch(&values, Some(&known), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{device, tests::entry};
    use backwall_judge::compare::Question;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};

    fn read(devices: &[Device]) -> Vec<Row> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(parquet(devices).unwrap())).unwrap();
        reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
    }

    fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
        row.get_column_iter().find(|(column, _)| *column == name).unwrap().1
    }

    #[test]
    fn each_series_of_each_run_is_a_row_and_what_is_not_known_is_empty() {
        let question = Question { effect: 0.05, seed: 1 };
        let mut second = entry(49, "6.12.1-rt", 70_000);
        second.run.spoil("a test");
        second.run.series[0].due = None;
        let one = device("press-3", vec![second, entry(1, "6.1", 90_000)], None, &question);
        let rows = read(&[one, device("empty", vec![], None, &question)]);
        assert_eq!(rows.len(), 2);
        let text = |row: &Row, name: &str| field(row, name).to_string();
        assert_eq!(text(&rows[0], "device"), "\"press-3\"");
        assert_eq!((text(&rows[0], "kernel"), text(&rows[1], "kernel")), ("\"6.1\"".into(), "\"6.12.1-rt\"".into()));
        assert_eq!((field(&rows[0], "day"), field(&rows[1], "day")), (&Field::Date(0), &Field::Date(2)));
        assert_eq!(field(&rows[1], "began"), &Field::TimestampMicros(49 * 3_600 * 1_000_000));
        assert_eq!((field(&rows[0], "max"), field(&rows[0], "done")), (&Field::Long(90_000), &Field::Long(2_001)));
        assert_eq!((field(&rows[0], "valid"), field(&rows[1], "valid")), (&Field::Bool(true), &Field::Bool(false)));
        assert_eq!((field(&rows[1], "due"), text(&rows[0], "unit").as_str()), (&Field::Null, "\"ns\""));
    }

    #[test]
    fn a_fleet_without_runs_is_a_file_without_rows() {
        assert_eq!(read(&[]).len(), 0);
    }
}
