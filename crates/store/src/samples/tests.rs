// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples that are written and read back, and damaged files that are refused.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "what was written is looked at on disk, and by another reader"
)]
use super::{Column, FILE_NAME, SeriesId, Writer, read, variant_text};
use backwall_model::units::Unit;
use backwall_model::{Key, Series, Span};
use backwall_os::folder::Folder;
use backwall_stats::SeriesBuilder;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use proptest::prelude::*;
use std::fs::File;
use std::num::NonZero;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug)]
enum Event {
    Sample { value: u64, late: bool },
    Warmup { value: u64 },
    Lost { count: u64 },
    Skipped { count: u64 },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        8 => (any::<u64>(), any::<bool>()).prop_map(|(v, late)| Event::Sample { value: v >> (v % 64), late }),
        1 => any::<u64>().prop_map(|value| Event::Warmup { value }),
        1 => (0u64..1_000).prop_map(|count| Event::Lost { count }),
        1 => (0u64..1_000).prop_map(|count| Event::Skipped { count }),
    ];
    prop::collection::vec(event, 0..300)
}

fn create(folder: &tempfile::TempDir) -> Writer {
    Writer::create(&Folder::open(folder.path()).unwrap()).unwrap()
}

fn key(load: &str) -> Key {
    Key::new("wakeup", load, "as-is")
}

fn span() -> Span {
    Span::new("expiry", "thread", Unit::Ns)
}

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
                builder.missed(at, count);
                writer.missed(id, seq, at, count).unwrap();
            }
            Event::Skipped { count } => {
                builder.skipped(at, count);
                writer.skipped(id, seq, at, count).unwrap();
            }
        }
    }
}

// Writes a file of some phases; also returns the series that must be read back from it.
fn file_of(folder: &tempfile::TempDir, phases: &[(&str, Vec<Event>)]) -> (PathBuf, Vec<Series>) {
    file_of_keys(folder, phases.iter().map(|(load, events)| (key(load), events.as_slice())))
}

fn file_of_keys<'a>(
    folder: &tempfile::TempDir,
    series: impl Iterator<Item = (Key, &'a [Event])>,
) -> (PathBuf, Vec<Series>) {
    let declared = series;
    let path = folder.path().join(FILE_NAME);
    let mut writer = create(folder);
    let mut series = Vec::new();
    for (key, events) in declared {
        let mut builder = SeriesBuilder::new(key.clone(), span());
        let id = writer.series(key, span());
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn series_that_differ_in_processor_or_variant_alone_are_kept_apart(all in prop::collection::vec(events(), 6)) {
        let folder = tempfile::tempdir().unwrap();
        let variant = |size: &str| [("size".to_string(), size.to_string())].into();
        let keys = [
            key("none"),
            Key { cpu: Some(0), ..key("none") },
            Key { cpu: Some(u32::MAX), ..key("none") },
            Key { variant: variant("64"), ..key("none") },
            Key { variant: variant("64\",\"x\":\"1"), ..key("none") },
            Key { cpu: Some(0), variant: variant("64"), ..key("none") },
        ];
        let (path, series) = file_of_keys(&folder, keys.into_iter().zip(all.iter().map(Vec::as_slice)));
        prop_assert_eq!(json(&read(&path, threads(2)).unwrap()), json(&series));
    }
}

#[test]
fn many_row_groups_are_shared_among_threads() {
    let folder = tempfile::tempdir().unwrap();
    let events: Vec<Event> =
        (0..600_000).map(|n| Event::Sample { value: n * 7_919 % 100_003, late: n == 500_000 }).collect();
    let (path, series) = file_of(&folder, &[("none", events)]);
    assert_eq!(SerializedFileReader::new(File::open(&path).unwrap()).unwrap().num_row_groups(), 3);
    for count in 1..4 {
        assert_eq!(json(&read(&path, threads(count)).unwrap()), json(&series));
    }
}

// The values of a column in one row group, read from its pages and not from its statistics; `None` for a row without a value.
fn values_of<T: DataType>(group: &dyn RowGroupReader, column: Column) -> Vec<Option<T::T>> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(column as usize).unwrap());
    let (mut values, mut defined) = (Vec::new(), Vec::new());
    let rows = group.metadata().num_rows() as usize;
    let (read, _, _) = reader.read_records(rows, Some(&mut defined), None, &mut values).unwrap();
    let (optional, mut values) = (!defined.is_empty(), values.into_iter());
    (0..read).map(|row| if optional && defined[row] == 0 { None } else { values.next() }).collect()
}

#[test]
fn every_row_of_every_group_holds_its_series_key() {
    let folder = tempfile::tempdir().unwrap();
    let variant = [("size".to_string(), "64".to_string())].into();
    let keys = [key("none"), Key { cpu: Some(3), variant, ..key("all") }];
    let events = vec![Event::Sample { value: 5, late: false }; 600_000];
    let (path, _) = file_of_keys(&folder, keys.iter().cloned().map(|key| (key, events.as_slice())));
    let file = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let mut rows = [0; 2];
    for index in 0..file.num_row_groups() {
        let group = file.get_row_group(index).unwrap();
        let texts = |column| values_of::<ByteArrayType>(group.as_ref(), column);
        let of = usize::from(texts(Column::Load)[0] == Some("all".into()));
        let Key { name, load, idle, cpu, .. } = &keys[of];
        let count = group.metadata().num_rows() as usize;
        for (column, text) in [
            (Column::Series, name.clone()),
            (Column::Load, load.clone()),
            (Column::Idle, idle.clone()),
            (Column::Variant, variant_text(&keys[of])),
        ] {
            assert!(texts(column) == vec![Some(text.as_str().into()); count], "{} of group {index}", column.name());
        }
        let processors = values_of::<Int64Type>(group.as_ref(), Column::Cpu);
        assert!(processors == vec![cpu.map(i64::from); count], "cpu of group {index}");
        rows[of] += count;
    }
    assert_eq!((file.num_row_groups(), rows), (6, [600_000; 2]));
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
    let mut writer = create(&folder);
    let id = writer.series(key("none"), span());
    writer.sample(id, 0, 0, 1, false).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_full_disk_and_a_missing_folder_are_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.parquet");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut writer = Writer::over(full, path.clone()).unwrap();
    let id = writer.series(key("none"), span());
    let written = (0..300_000).try_for_each(|seq| writer.sample(id, seq, seq, seq, false));
    let full = written.and_then(|()| writer.finish()).unwrap_err().to_string();
    let gone = Folder::open(folder.path()).unwrap();
    drop(folder);
    let missing = Writer::create(&gone).err().unwrap().to_string();
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
    let program = "import sys, json, pyarrow.parquet as p; print(json.dumps(p.read_table(sys.argv[1]).to_pydict()))";
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
        "missed": [0, 0, 3, 0],
        "late": [false, true, false, false],
        "warmup": [true, false, false, false],
        "cpu": [null, null, null, null],
        "variant": ["{}", "{}", "{}", "{}"],
    });
    assert_eq!(columns, expected);
}

#[test]
fn a_file_of_more_series_than_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let mut writer = create(&folder);
    for load in 0..1_001 {
        writer.series(key(&load.to_string()), span());
    }
    writer.finish().unwrap();
    let message = read(&path, threads(1)).unwrap_err().to_string();
    assert!(message.ends_with("names 1001 series; the limit is 1000"), "{message}");
}
