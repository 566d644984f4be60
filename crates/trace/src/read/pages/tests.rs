// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::event::{Event, sources};
use crate::ring::format::EventFormat;
use proptest::prelude::*;

// Sub-buffers of 64 bytes, of which 48 are for records.
const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
    \tfield: char data;\toffset:16;\tsize:48;\tsigned:0;\n";
const PAGE: usize = 64;
// A record has a head of 4 bytes and 12 bytes of data, so three records fit into a sub-buffer.
const RECORDS_MAX: usize = 3;
const WAKING: &str = "name: sched_waking\nID: 9\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
    \tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n";

// Wakeups of one CPU, in sub-buffers. An empty sub-buffer stands for an unreadable one.
fn stored(pages: &[&[u64]]) -> Vec<u8> {
    let mut all = Vec::new();
    for page in pages {
        let mut bytes = page.first().copied().unwrap_or(0).to_le_bytes().to_vec();
        let used = if page.is_empty() { 4_000 } else { page.len() as u64 * 16 };
        bytes.extend(used.to_le_bytes());
        let mut before = page.first().copied().unwrap_or(0);
        for at_ns in *page {
            bytes.extend((3 | ((at_ns - before) as u32) << 5).to_le_bytes());
            bytes.extend([9u32, 1, 7].map(u32::to_le_bytes).concat());
            before = *at_ns;
        }
        bytes.resize(PAGE, 0);
        all.extend(bytes);
    }
    all
}

struct Memory(Vec<u8>);

impl Chunks for Memory {
    fn next(&mut self, chunk: &mut Vec<u8>, _: usize) -> Result<Option<u64>, ReadError> {
        *chunk = std::mem::take(&mut self.0);
        Ok((!chunk.is_empty()).then_some(0))
    }
}

// `all`: items in order, with CPU, time, and whether the item is a gap. `begun`: starts of gaps, each with the number of
// earlier items.
#[derive(Default)]
struct Heard {
    all: Vec<(u32, u64, bool)>,
    begun: Vec<(usize, u32, u64)>,
    wanted: Option<usize>,
}

impl Receiver for Heard {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        assert_eq!(stamped.event, Event::Waking { thread: 7 });
        self.all.push((cpu, stamped.at_ns, false));
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.begun.push((self.all.len(), cpu, at_ns));
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.all.push((cpu, at_ns, true));
    }

    fn is_done(&self) -> bool {
        self.wanted.is_some_and(|wanted| self.all.len() >= wanted)
    }
}

fn played(processors: &[(u32, Vec<u8>)], wanted: Option<usize>) -> (Heard, Tally) {
    let layout = PageLayout::parse(HEADER).unwrap();
    let share = Share::among(processors.len(), layout.bytes()).unwrap();
    let cursors = processors.iter().map(|(cpu, bytes)| Cursor::new(*cpu, Memory(bytes.clone()), layout, share));
    let source = sources([]).into_iter().find(|source| source.event() == "sched_waking").unwrap();
    let decoder = Decoder::new([(&source, EventFormat::parse(WAKING).unwrap())]).unwrap();
    let mut heard = Heard { wanted, ..Heard::default() };
    let tally = play(cursors.collect(), &decoder, &mut heard).unwrap();
    (heard, tally)
}

#[test]
fn a_loss_is_told_before_behind_and_between_the_records_of_a_processor() {
    let before = stored(&[&[], &[20, 30]]);
    let behind = stored(&[&[10, 40], &[]]);
    let between = stored(&[&[15], &[], &[], &[50]]);
    let nothing_else = stored(&[&[]]);
    let (heard, tally) = played(&[(0, before), (1, behind), (2, between), (3, nothing_else)], None);
    let expected = [
        (1, 10, false),
        (2, 15, false),
        (0, 20, true),
        (0, 20, false),
        (0, 30, false),
        (1, 40, false),
        (2, 50, true),
        (2, 50, false),
        (1, 50, true),
        (3, 50, true),
    ];
    assert_eq!(heard.all, expected);
    // Each gap starts at the last record of its processor, and before anything that came later.
    assert_eq!(heard.begun, [(0, 0, 0), (0, 3, 0), (2, 2, 15), (6, 1, 40)]);
    assert_eq!((tally.gaps, tally.bad_pages), (4, 5));
}

// A ring that overwrote older events says so in its first sub-buffer.
#[test]
fn what_is_missing_before_a_processors_first_record_is_told_apart() {
    let lost_before = |mut bytes: Vec<u8>, page: usize| {
        bytes[page * PAGE + 8 + 3] |= 0x80;
        bytes
    };
    let tally = |bytes| played(&[(0, bytes), (1, stored(&[&[5]]))], None).1;
    let first = tally(lost_before(stored(&[&[10, 20], &[30]]), 0));
    assert_eq!((first.gaps, first.wrapped), (1, 1));
    let second = tally(lost_before(stored(&[&[10, 20], &[30]]), 1));
    assert_eq!((second.gaps, second.wrapped), (1, 0));
    let both = tally(lost_before(lost_before(stored(&[&[10, 20], &[30]]), 0), 1));
    assert_eq!((both.gaps, both.wrapped), (2, 1));
    let broken = tally(stored(&[&[], &[30]]));
    assert_eq!((broken.gaps, broken.wrapped), (1, 0), "it cannot be read, which is another thing");
}

#[test]
fn a_record_that_does_not_fit_is_a_loss_also_where_it_is_the_last() {
    let mut bytes = stored(&[&[10, 20]]);
    // The second record states a length that exceeds the sub-buffer.
    bytes[32] = 28 | bytes[32] & 0xe0;
    let (heard, tally) = played(&[(4, bytes)], None);
    assert_eq!(heard.all, [(4, 10, false), (4, 10, true)]);
    assert_eq!((tally.gaps, tally.bad_pages), (1, 1));
}

#[test]
fn nothing_more_is_read_for_who_wants_nothing_more() {
    let bytes = stored(&[&[1, 2], &[3, 4], &[5, 6]]);
    assert_eq!(played(&[(0, bytes)], Some(3)).0.all.len(), 4, "to the end of a sub-buffer");
}

proptest! {
    #[test]
    fn all_processors_are_played_in_order_of_time_and_then_of_number(
        steps in proptest::collection::vec(proptest::collection::vec(0u64..4, 0..20), 1..12),
    ) {
        let mut expected = Vec::new();
        let mut processors = Vec::new();
        for (cpu, steps) in steps.iter().enumerate() {
            let instants: Vec<u64> =
                steps.iter().scan(100, |at_ns, step| { *at_ns += step; Some(*at_ns) }).collect();
            expected.extend(instants.iter().map(|at_ns| (cpu as u32, *at_ns, false)));
            let pages: Vec<&[u64]> = instants.chunks(RECORDS_MAX).collect();
            processors.insert(0, (cpu as u32, stored(&pages)));
        }
        expected.sort_by_key(|(cpu, at_ns, _)| (*at_ns, *cpu));
        let (heard, tally) = played(&processors, None);
        prop_assert_eq!(heard.all, expected);
        prop_assert_eq!((tally.gaps, tally.bad_pages), (0, 0));
    }
}
