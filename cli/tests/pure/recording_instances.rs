// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings with several trace instances, and heads that claim more than any recording has.
use crate::recordings::{head, pages, trace_dat};
use backwall_trace::read::error::ReadError;
use backwall_trace::read::played::Played;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::read::stored::OpenRecording;
use std::io::Write;

struct Nobody;

impl Receiver for Nobody {
    fn event(&mut self, _: u32, _: &backwall_trace::event::Stamped) {}
    fn gap(&mut self, _: u32, _: u64) {}
}

fn read(bytes: &[u8]) -> Result<(OpenRecording, Played), ReadError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut stored = OpenRecording::of(std::fs::File::open(file.path())?)?;
    let played = stored.play(&mut Nobody)?;
    Ok((stored, played))
}

fn sized(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn option(number: u16, bytes: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes()[..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

// Behind how version 7 begins: the first bytes, the version, the sizes, and how it is packed.
const PLACE_OF_OPTIONS: usize = 24;

struct Seven {
    file: Vec<u8>,
    options: Vec<u8>,
}

impl Seven {
    fn begin() -> Self {
        let file = b"\x17\x08\x44tracing7\0\x00\x08\x00\x10\x00\x00none\0\0\0\0\0\0\0\0\0\0".to_vec();
        let mut seven = Self { file, options: Vec::new() };
        let head = head();
        let info = [&b"header_page\0"[..], &sized(&head.header_page), b"header_event\0", &sized("")].concat();
        let at = seven.section(&info);
        seven.options.extend(option(16, &at.to_le_bytes()));
        let mut formats = (head.formats.len() as u32).to_le_bytes().to_vec();
        for (system, text) in &head.formats {
            formats.extend([system.as_bytes(), b"\0", &1u32.to_le_bytes()[..], &sized(text)].concat());
        }
        let at = seven.section(&formats);
        seven.options.extend(option(18, &at.to_le_bytes()));
        seven
    }

    fn section(&mut self, bytes: &[u8]) -> u64 {
        let at = self.file.len() as u64;
        self.file.extend([0; 2 + 2 + 4]);
        self.file.extend((bytes.len() as u64).to_le_bytes());
        self.file.extend(bytes);
        at
    }

    fn ring(&mut self, name: &str, clock: &str, cpus: &[(u32, &[u8])]) {
        let all: Vec<u8> = cpus.iter().flat_map(|(_, pages)| pages.iter().copied()).collect();
        let at = self.section(&all);
        let mut ring = [&at.to_le_bytes()[..], name.as_bytes(), b"\0", clock.as_bytes(), b"\0"].concat();
        ring.extend(4_096u32.to_le_bytes());
        ring.extend((cpus.len() as u32).to_le_bytes());
        let mut place = at + 16;
        for (cpu, pages) in cpus {
            ring.extend(cpu.to_le_bytes());
            ring.extend([place, pages.len() as u64].map(u64::to_le_bytes).concat());
            place += pages.len() as u64;
        }
        self.options.extend(option(3, &ring));
    }

    fn end(mut self) -> Vec<u8> {
        let options = [&self.options[..], &[0; 2 + 4 + 8]].concat();
        let at = self.section(&options);
        self.file[PLACE_OF_OPTIONS..PLACE_OF_OPTIONS + 8].copy_from_slice(&at.to_le_bytes());
        self.file
    }
}

#[test]
fn of_an_empty_top_instance_and_one_that_holds_records_the_records_are_read() {
    let pages = pages();
    let mut seven = Seven::begin();
    seven.ring("", "local", &[]);
    seven.options.extend(option(2, b"overrun: 5\n"));
    seven.ring("empty", "local", &[(0, &[])]);
    seven.ring("mine", "mono", &[(3, &pages)]);
    seven
        .options
        .extend([option(2, b"\nBuffer: mine\n\n"), option(2, b"overrun: 2\n"), option(2, b"overrun: 9\n")].concat());
    let (stored, played) = read(&seven.end()).unwrap();
    let about = stored.about();
    assert_eq!((played.events(), about.cpus, about.clock.as_deref()), (310, 4, Some("mono")));
    assert_eq!(
        (&about.notes[..], about.lost),
        (&["backwall reads the trace instance \"mine\"".to_string()][..], Some(11))
    );
}

#[test]
fn of_two_instances_that_hold_records_the_top_one_is_read_and_the_other_told() {
    let pages = pages();
    let mut seven = Seven::begin();
    seven.ring("other", "mono", &[(0, &pages[..4_096])]);
    seven.ring("", "mono", &[(0, &pages)]);
    let (stored, played) = read(&seven.end()).unwrap();
    assert_eq!(played.events(), 310);
    assert_eq!(stored.about().notes, ["ignored trace instances in the file: \"other\""]);
}

// Version 6 names the place of an instance in an option; there it begins as the top one does.
fn version_6(top_bytes: impl Fn(u64) -> u64) -> Vec<u8> {
    let mut file = trace_dat();
    let end = file.windows(12).position(|window| window == b"\0\0flyrecord\0").unwrap();
    let name = b"mine\0";
    let added = (2 + 4 + 8 + name.len()) as u64;
    let directory = end + 12;
    let number = |at: usize, file: &[u8]| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let (at, bytes) = (number(directory, &file) + added, number(directory + 8, &file));
    file[directory..directory + 8].copy_from_slice(&at.to_le_bytes());
    file[directory + 8..directory + 16].copy_from_slice(&top_bytes(bytes).to_le_bytes());
    let place = file.len() as u64 + added;
    file.splice(end..end, option(3, &[&place.to_le_bytes()[..], name].concat()));
    file.extend(b"flyrecord\0");
    file.extend([at, bytes, at, 0].map(u64::to_le_bytes).concat());
    file.extend(sized("[boot]"));
    file
}

fn of_instances(stored: &OpenRecording) -> Vec<&str> {
    stored.about().notes.iter().map(String::as_str).filter(|note| note.contains("instance")).collect()
}

#[test]
fn version_6_reads_the_instance_whose_place_an_option_names_where_the_top_one_is_empty() {
    let (stored, played) = read(&version_6(|_| 0)).unwrap();
    assert_eq!((played.events(), stored.about().clock.as_deref()), (310, Some("boot")));
    assert_eq!(of_instances(&stored), ["backwall reads the trace instance \"mine\""]);
    let (stored, played) = read(&version_6(|bytes| bytes)).unwrap();
    assert_eq!((played.events(), stored.about().clock.as_deref()), (310, Some("mono")));
    assert_eq!(of_instances(&stored), ["ignored trace instances in the file: \"mine\""]);
    let cut = version_6(|_| 0);
    let error = read(&cut[..cut.len() - 60]).unwrap_err().to_string();
    assert!(error.contains("truncated at byte "), "{error}");
}

#[test]
fn all_instances_together_have_no_more_processors_than_a_kernel() {
    let many: Vec<(u32, &[u8])> = (0..40_000).map(|cpu| (cpu, &[][..])).collect();
    let mut seven = Seven::begin();
    seven.ring("", "mono", &many);
    seven.ring("other", "mono", &many);
    let error = read(&seven.end()).unwrap_err().to_string();
    assert!(error.contains("80000 CPUs of all trace instances: too many"), "{error}");
}

#[test]
fn the_numbers_of_all_events_together_are_bounded() {
    const ATTRIBUTES: u64 = 40;
    const NUMBERS: u64 = 1 << 15;
    const TIME_CPU_RAW: u64 = 1 << 2 | 1 << 7 | 1 << 10 | 1 << 16;
    let (begin, each) = (104, 64);
    let numbers_at = begin + ATTRIBUTES * each;
    let mut file = b"PERFILE2".to_vec();
    for number in [begin, each, begin, ATTRIBUTES * each, numbers_at, 8, 0, 0, 0, 0, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    for _ in 0..ATTRIBUTES {
        file.extend([0, 0, 0, TIME_CPU_RAW, 0, 0, numbers_at, NUMBERS * 8].map(u64::to_le_bytes).concat());
    }
    file.resize((numbers_at + NUMBERS * 8) as usize, 0);
    let error = read(&file).unwrap_err().to_string();
    assert!(error.contains("more than 1048576 event numbers"), "{error}");
}
