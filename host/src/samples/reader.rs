// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `samples.parquet` back into the statistics of its series.
//!
//! Row groups are shared among threads; every merge is exact, so the result does not depend on
//! who read what. A row group's own statistics say which columns hold nothing to read.
use super::{Column, LABELS, SCHEMA, SamplesError};
use crate::run::Series;
use crate::stats::{Block, Label, SeriesBuilder};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{BoolType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::num::NonZero;
use std::panic;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Rows decoded at once: all columns of them fit into a core's cache.
const ROWS: usize = 1 << 13;

/// The series of a file, in the order they were declared, read by `threads` threads.
///
/// # Errors
/// When the file is missing, is no Parquet, has other columns, or contradicts itself.
pub fn read(path: &Path, threads: NonZero<usize>) -> Result<Vec<Series>, SamplesError> {
    let failed = |what: String| SamplesError::Read { path: path.into(), what };
    let labels = guarded(1, || labels(open(path)?.metadata())).map_err(failed)?.remove(0);
    let next = AtomicUsize::new(0);
    let mut parts = guarded(threads.get(), || read_part(path, &labels, &next)).map_err(failed)?.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        all.iter_mut().zip(&part).for_each(|(builder, more)| builder.merge(more));
    }
    Ok(all.iter().map(SeriesBuilder::build).collect())
}

/// Name of the threads in which the library meets the file.
const GUARDED: &str = "samples reader";

/// Does the work in so many threads of its own. The library panics on some damaged files; there,
/// and only there, a panic is silent and becomes an error.
fn guarded<T: Send>(threads: usize, work: impl Fn() -> Result<T, String> + Sync) -> Result<Vec<T>, String> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(GUARDED) {
                report(info);
            }
        }));
    });
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().name(GUARDED.into()).spawn_scoped(scope, &work);
        let workers = (0..threads).map(start).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let damaged = |_| Err("it is damaged".to_string());
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(damaged)).collect()
    })
}

/// Every thread opens the file anew: a duplicated handle would share its position.
fn open(path: &Path) -> Result<SerializedFileReader<File>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    SerializedFileReader::new(file).map_err(|error| error.to_string())
}

/// Checks the columns and reads the labels.
fn labels(metadata: &ParquetMetaData) -> Result<Vec<Label>, String> {
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
    if !primitive || columns(file.schema()) != columns(&expected) {
        return Err("its columns are not those of a samples file".into());
    }
    let entry = file.key_value_metadata().into_iter().flatten().find(|entry| entry.key == LABELS);
    let json = entry.and_then(|entry| entry.value.as_deref()).ok_or(format!("its metadata lacks {LABELS}"))?;
    serde_json::from_str(json).map_err(|error| format!("{LABELS} in its metadata: {error}"))
}

/// Reads row groups until none is left; one builder for each label.
fn read_part(path: &Path, labels: &[Label], next: &AtomicUsize) -> Result<Vec<SeriesBuilder>, String> {
    let file = open(path)?;
    let mut builders: Vec<_> = labels.iter().cloned().map(SeriesBuilder::of).collect();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= file.num_row_groups() {
            return Ok(builders);
        }
        let located = |what: String| format!("row group {index}: {what}");
        let group = file.get_row_group(index).map_err(|error| located(error.to_string()))?;
        let series = series_of(group.metadata(), labels).map_err(located)?;
        read_group(group.as_ref(), &mut builders[series]).map_err(located)?;
    }
}

/// The label whose name, load and idle all rows of a group have.
fn series_of(group: &RowGroupMetaData, labels: &[Label]) -> Result<usize, String> {
    let constant = |column: Column| match group.column(column as usize).statistics() {
        Some(Statistics::ByteArray(texts)) if texts.min_opt() == texts.max_opt() => {
            texts.min_opt().and_then(|text| text.as_utf8().ok()).ok_or(format!("its {} is unknown", column.name()))
        }
        _ => Err(format!("its {} is unknown or not the same in all rows", column.name())),
    };
    let (name, load, idle) = (constant(Column::Series)?, constant(Column::Load)?, constant(Column::Idle)?);
    let same = |label: &Label| (label.name.as_str(), label.load.as_str(), label.idle.as_str()) == (name, load, idle);
    labels.iter().position(same).ok_or(format!("the metadata does not describe its series {name:?}"))
}

/// The columns of one row group, a batch of rows at a time.
struct Rows {
    seq: Numbers,
    at: Numbers,
    value: Numbers,
    lost: Option<Numbers>,
    late: Option<Flags>,
    warmup: Option<Flags>,
}

fn read_group(group: &dyn RowGroupReader, builder: &mut SeriesBuilder) -> Result<(), String> {
    let error = |error: ParquetError| error.to_string();
    let mut rows = Rows::of(group).map_err(error)?;
    let mut left = usize::try_from(group.metadata().num_rows()).map_err(|_| "its number of rows is negative")?;
    while left > 0 {
        let count = left.min(ROWS);
        rows.next(count).map_err(error)?;
        rows.give_to(builder, count)?;
        left -= count;
    }
    Ok(())
}

impl Rows {
    /// Leaves out the columns whose statistics say that they are 0 or false throughout.
    fn of(group: &dyn RowGroupReader) -> Result<Self, ParquetError> {
        let wanted = |column: Column| match group.metadata().column(column as usize).statistics() {
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
            lost: wanted(Column::Lost).then(|| numbers(Column::Lost)).transpose()?,
            late: flags(Column::Late)?,
            warmup: flags(Column::Warmup)?,
        })
    }

    fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.seq.next(count)?;
        self.at.next(count)?;
        self.value.next(count)?;
        self.lost.as_mut().map_or(Ok(()), |lost| lost.next(count))?;
        self.late.as_mut().map_or(Ok(()), |late| late.next(count))?;
        self.warmup.as_mut().map_or(Ok(()), |warmup| warmup.next(count))
    }

    fn give_to(&self, builder: &mut SeriesBuilder, count: usize) -> Result<(), String> {
        let late = self.late.as_ref().map_or(0, Flags::count);
        let warmup = self.warmup.as_ref().map_or(0, Flags::count);
        let any_lost = self.lost.as_ref().is_some_and(|lost| lost.values.iter().any(|lost| *lost > 0));
        if warmup > 0 || any_lost || self.value.values.len() < count {
            return self.give_each_to(builder, count);
        }
        builder.samples(Block { seq: &self.seq.values, at: &self.at.values, value: &self.value.values, late });
        Ok(())
    }

    /// Row by row, where not every row is a sample.
    fn give_each_to(&self, builder: &mut SeriesBuilder, count: usize) -> Result<(), String> {
        let mut values = self.value.values.iter();
        for row in 0..count {
            let (seq, at) = (self.seq.values[row], self.at.values[row]);
            let lost = self.lost.as_ref().map_or(0, |lost| lost.values[row]);
            let value = if self.value.defined[row] == 1 { values.next() } else { None };
            match (value, lost) {
                (None, 1..) => builder.lost(at, lost),
                (Some(_), 0) if is_set(&self.warmup, row) => builder.warmup(1),
                (Some(value), 0) => builder.sample(seq, at, *value, is_set(&self.late, row)),
                _ => return Err(format!("stimulus {seq} is neither answered nor lost, or both")),
            }
        }
        Ok(())
    }
}

/// A column of unsigned numbers.
struct Numbers {
    column: ColumnReaderImpl<Int64Type>,
    raw: Vec<i64>,
    values: Vec<u64>,
    /// 1 for every row with a value; left empty where all rows must have one.
    defined: Vec<i16>,
}

impl Numbers {
    fn of(group: &dyn RowGroupReader, column: Column) -> Result<Self, ParquetError> {
        let column = typed(group, column)?;
        Ok(Self { column, raw: Vec::new(), values: Vec::new(), defined: Vec::new() })
    }

    fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.raw.clear();
        self.defined.clear();
        let (rows, _, _) = self.column.read_records(count, Some(&mut self.defined), None, &mut self.raw)?;
        self.values.clear();
        self.values.extend(self.raw.iter().map(|value| *value as u64));
        complete(rows, count)
    }
}

/// A column of flags.
struct Flags {
    column: ColumnReaderImpl<BoolType>,
    values: Vec<bool>,
}

impl Flags {
    fn of(group: &dyn RowGroupReader, column: Column) -> Result<Self, ParquetError> {
        Ok(Self { column: typed(group, column)?, values: Vec::new() })
    }

    fn next(&mut self, count: usize) -> Result<(), ParquetError> {
        self.values.clear();
        let (rows, _, _) = self.column.read_records(count, None, None, &mut self.values)?;
        complete(rows, count)
    }

    fn count(&self) -> u64 {
        self.values.iter().filter(|set| **set).count() as u64
    }
}

fn is_set(flags: &Option<Flags>, row: usize) -> bool {
    flags.as_ref().is_some_and(|flags| flags.values[row])
}

fn typed<T: DataType>(group: &dyn RowGroupReader, column: Column) -> Result<ColumnReaderImpl<T>, ParquetError> {
    Ok(get_typed_column_reader(group.get_column_reader(column as usize)?))
}

fn complete(rows: usize, count: usize) -> Result<(), ParquetError> {
    if rows == count { Ok(()) } else { Err(ParquetError::EOF("a column ends before the others".into())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SeriesId, Writer};
    use crate::units::Unit;
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// What can happen to a stimulus.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Sample { value: u64, late: bool },
        Warmup { value: u64 },
        Lost { count: u64 },
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            8 => (any::<u64>(), any::<bool>()).prop_map(|(v, late)| Event::Sample { value: v >> (v % 64), late }),
            1 => any::<u64>().prop_map(|value| Event::Warmup { value }),
            1 => (0u64..1_000).prop_map(|count| Event::Lost { count }),
        ];
        prop::collection::vec(event, 0..300)
    }

    fn label(load: &str) -> Label {
        let text = |text: &str| text.to_string();
        Label {
            name: text("wakeup"),
            from: text("expiry"),
            to: text("thread"),
            unit: Unit::Ns,
            load: text(load),
            idle: text("as-is"),
        }
    }

    /// Writes events to a file and to a builder.
    fn record(writer: &mut Writer, id: SeriesId, builder: &mut SeriesBuilder, events: &[Event]) {
        for (seq, event) in (0..).zip(events) {
            let at = seq * 200_000;
            match *event {
                Event::Sample { value, late } => {
                    builder.sample(seq, at, value, late);
                    writer.sample(id, seq, at, value, late).unwrap();
                }
                Event::Warmup { value } => {
                    builder.warmup(1);
                    writer.warmup(id, seq, at, value).unwrap();
                }
                Event::Lost { count } => {
                    builder.lost(at, count);
                    writer.lost(id, seq, at, count).unwrap();
                }
            }
        }
    }

    /// The file of two phases, and the series it must read back as.
    fn file_of(folder: &tempfile::TempDir, phases: &[(&str, Vec<Event>)]) -> (PathBuf, Vec<Series>) {
        let path = folder.path().join(crate::samples::FILE_NAME);
        let mut writer = Writer::create(&path).unwrap();
        let mut series = Vec::new();
        for (load, events) in phases {
            let mut builder = SeriesBuilder::of(label(load));
            let id = writer.series(label(load));
            record(&mut writer, id, &mut builder, events);
            series.push(builder.build());
        }
        assert!(!path.exists(), "the name is taken before the file is whole");
        writer.finish().unwrap();
        (path, series)
    }

    fn threads(count: usize) -> NonZero<usize> {
        NonZero::new(count).unwrap()
    }

    fn json(series: &[Series]) -> serde_json::Value {
        serde_json::to_value(series).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_file_reads_back_as_the_series_of_the_run(none in events(), all in events(), count in 1usize..4) {
            let folder = tempfile::tempdir().unwrap();
            let (path, series) = file_of(&folder, &[("none", none), ("all", all)]);
            prop_assert_eq!(json(&read(&path, threads(count)).unwrap()), json(&series));
        }

        #[test]
        fn a_damaged_file_is_refused_or_read_but_never_more(events in events(), place in any::<prop::sample::Index>(), bits in 1u8..) {
            let folder = tempfile::tempdir().unwrap();
            let (path, _) = file_of(&folder, &[("none", events)]);
            let mut bytes = std::fs::read(&path).unwrap();
            let place = place.index(bytes.len());
            bytes[place] ^= bits;
            std::fs::write(&path, &bytes).unwrap();
            if let Err(error) = read(&path, threads(1)) {
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
            }
            std::fs::write(&path, &bytes[..place]).unwrap();
            prop_assert!(read(&path, threads(1)).is_err());
        }
    }

    #[test]
    fn many_row_groups_are_shared_among_threads() {
        let folder = tempfile::tempdir().unwrap();
        let events: Vec<Event> =
            (0..600_000).map(|n| Event::Sample { value: n * 7_919 % 100_003, late: n == 500_000 }).collect();
        let (path, series) = file_of(&folder, &[("none", events)]);
        assert_eq!(open(&path).unwrap().num_row_groups(), 3);
        for count in 1..4 {
            assert_eq!(json(&read(&path, threads(count)).unwrap()), json(&series));
        }
    }

    #[test]
    fn what_is_no_samples_file_is_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let message = || read(&path, threads(2)).unwrap_err().to_string();
        assert!(message().contains("notes.txt: cannot read the samples: No such file"), "{}", message());
        std::fs::write(&path, "PAR1 is not enough, and neither is PAR1").unwrap();
        assert!(message().contains("cannot read the samples") && !message().contains('\n'), "{}", message());
        std::fs::write(&path, "").unwrap();
        assert!(message().contains("cannot read the samples"), "{}", message());
    }

    #[test]
    fn a_writer_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(&folder.path().join("samples.parquet")).unwrap();
        let id = writer.series(label("none"));
        writer.sample(id, 0, 0, 1, false).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_full_disk_and_a_missing_folder_are_said_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.parquet");
        std::os::unix::fs::symlink("/dev/full", path.with_extension("parquet.unfinished")).unwrap();
        let mut writer = Writer::create(&path).unwrap();
        let id = writer.series(label("none"));
        let written = (0..300_000).try_for_each(|seq| writer.sample(id, seq, seq, seq, false));
        let full = written.and_then(|()| writer.finish()).unwrap_err().to_string();
        let missing = Writer::create(&folder.path().join("gone/samples.parquet")).err().unwrap().to_string();
        assert!(full.contains("No space left on device") && full.contains("--keep-samples"), "{full}");
        assert!(missing.contains("cannot write the samples") && missing.contains("No such file"), "{missing}");
        assert!(!full.contains('\n') && !missing.contains('\n') && !path.exists());
    }

    #[test]
    #[ignore = "needs python3 with pyarrow, a reader that is not ours"]
    fn another_reader_sees_the_same_rows() {
        let events = [
            Event::Warmup { value: 9 },
            Event::Sample { value: u64::MAX, late: true },
            Event::Lost { count: 3 },
            Event::Sample { value: 5, late: false },
        ];
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = file_of(&folder, &[("none", events.to_vec())]);
        let program =
            "import sys, json, pyarrow.parquet as p; print(json.dumps(p.read_table(sys.argv[1]).to_pydict()))";
        let python = std::process::Command::new("python3").args(["-c", program]).arg(&path).output().unwrap();
        assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
        let columns: serde_json::Value = serde_json::from_slice(&python.stdout).unwrap();
        let expected = serde_json::json!({
            "series": ["wakeup", "wakeup", "wakeup", "wakeup"],
            "load": ["none", "none", "none", "none"],
            "idle": ["as-is", "as-is", "as-is", "as-is"],
            "seq": [0, 1, 2, 3],
            "at": [0, 200_000, 400_000, 600_000],
            "value": [9, u64::MAX, null, 5],
            "lost": [0, 0, 3, 0],
            "late": [false, true, false, false],
            "warmup": [true, false, false, false],
        });
        assert_eq!(columns, expected);
    }
}
