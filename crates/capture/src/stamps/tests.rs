// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulates the timestamper's program tick by tick: this defines which count belongs to which instant.
use super::*;
use proptest::prelude::*;

const HZ: u32 = 100_000_000;

// The nine instructions of the program in `pico/edges.c`: when it reads the line, and its count at that time. Pauses are skipped
// in one step.
struct Machine {
    now: u64,
    count: u32,
    high: bool,
}

impl Machine {
    fn new() -> Self {
        Self { now: 0, count: u32::MAX, high: false }
    }

    // The line changes at `at`; returns the instant of the read that sees the change, and the count at that time.
    fn see(&mut self, at: u64) -> (u64, u32) {
        while self.now < at {
            // Reads that see no change: until the line changes or the count passes 0.
            let looks = (at - self.now).div_ceil(2).min(u64::from(self.count) + 1);
            let past_zero = looks == u64::from(self.count) + 1;
            self.count = (u64::from(self.count) + (1 << 32) - looks) as u32;
            self.now += 2 * looks + u64::from(past_zero && !self.high); // for `jmp low`
        }
        let seen = (self.now, self.count);
        self.high = !self.high;
        if self.high {
            self.now += 4; // mov, push, jmp x--, and the next read of the line
            self.count = self.count.wrapping_sub(1);
        } else {
            self.now += 3; // mov, push, and the next read of the line
        }
        seen
    }
}

fn block(flags: u32, age_us: u64, lines: [(u32, &[u32]); 3]) -> Vec<u8> {
    let mut bytes = [flags, HZ, age_us as u32, (age_us >> 32) as u32].map(u32::to_le_bytes).concat();
    lines.iter().for_each(|(first, counts)| bytes.extend([*first, counts.len() as u32].map(u32::to_le_bytes).concat()));
    lines.iter().for_each(|(_, counts)| counts.iter().for_each(|count| bytes.extend(count.to_le_bytes())));
    bytes
}

fn edges(stamps: Stamps) -> Vec<Vec<(u64, bool)>> {
    let edges = stamps.finish().unwrap();
    edges.lines.iter().map(|line| line.edges.iter().map(|edge| (edge.at().0, edge.level())).collect()).collect()
}

#[test]
fn counts_are_the_instants_that_the_document_gives_them() {
    let mut stamps = Stamps::default();
    // The counts stand for 2 * 50, then 2 * 60 + 2, then 2 * 70 + 2 + 3 ticks.
    let counts = [50, 60, 70].map(|looks| u32::MAX - looks);
    assert_eq!(stamps.take(&block(1, 10, [(0, &counts), (0, &[]), (0, &counts[..1])])), Ok(4));
    assert!(stamps.running());
    assert_eq!(stamps.take(&block(0, 20, [(3, &[]), (0, &[]), (1, &[])])), Ok(0));
    assert!(!stamps.running());
    assert_eq!(stamps.end(), Tick(2_000));
    assert_eq!(edges(stamps), [vec![(100, true), (122, false), (145, true)], vec![], vec![(100, true)]]);
}

proptest! {
    // Holds for any edges of a line, also when the count passes 0 several times, and for any division into blocks.
    #[test]
    fn every_count_becomes_the_instant_of_its_look(
        distances in prop::collection::vec(prop_oneof![4u64..200, 1_000u64..100_000_000, 2_000_000_000..8_000_000_000u64], 1..60),
        together in 1usize..8,
    ) {
        let (mut machine, mut stamps, mut at) = (Machine::new(), Stamps::default(), 0);
        let mut wanted: Vec<(u64, bool)> = Vec::new();
        let mut waiting: Vec<(u64, u32)> = Vec::new();
        let mut first = 0;
        for (number, distance) in distances.iter().enumerate() {
            at += distance;
            let seen = machine.see(at);
            // No edge waits in the device for as long as its count takes to wrap.
            let full = waiting.first().is_some_and(|(oldest, _)| seen.0 - oldest > 4_000_000_000) || waiting.len() >= together;
            if full {
                deliver(&mut stamps, &mut waiting, &mut first);
            }
            wanted.push((seen.0, number % 2 == 0));
            waiting.push(seen);
        }
        deliver(&mut stamps, &mut waiting, &mut first);
        prop_assert_eq!(edges(stamps), [wanted, vec![], vec![]]);
    }

    // Random bytes, or a valid block with some bytes changed, are either refused or give edges in order of time with alternating
    // levels.
    #[test]
    fn no_bytes_make_edges_that_cannot_be(
        blocks in prop::collection::vec((prop::collection::vec(any::<u32>(), 0..8), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), 0u32..6), 1..6),
        noise in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        prop_assert!(Stamps::default().take(&noise).is_err());
        let mut stamps = Stamps::default();
        for (counts, changes, first) in blocks {
            let mut counts = counts;
            counts.sort_by(|a, b| b.cmp(a));
            let mut bytes = block(0, 90_000_000, [(first, &counts), (0, &[]), (first, &counts)]);
            changes.iter().for_each(|(index, value)| *index.get_mut(&mut bytes) = *value);
            if stamps.take(&bytes).is_err() {
                break;
            }
        }
        if let Some(edges) = stamps.finish() {
            for line in &edges.lines {
                let in_order = line.edges.windows(2).all(|pair| pair[0].at() < pair[1].at() && pair[0].level() != pair[1].level());
                prop_assert!(in_order, "{:?}", line.edges);
            }
            prop_assert!(edges.gaps.windows(2).all(|pair| pair[0].to < pair[1].from));
        }
    }
}

fn deliver(stamps: &mut Stamps, waiting: &mut Vec<(u64, u32)>, first: &mut u32) {
    let Some((last, _)) = waiting.last() else { return };
    let counts: Vec<u32> = waiting.iter().map(|(_, count)| *count).collect();
    let lines = [(*first, &counts[..]), (0, &[]), (0, &[])];
    stamps.take(&block(1, last / 100 + 1, lines)).unwrap();
    *first += counts.len() as u32;
    waiting.clear();
}

#[test]
fn edges_that_were_lost_are_counted_and_leave_a_gap() {
    let mut stamps = Stamps::default();
    let count = |at: u32| u32::MAX - at / 2;
    stamps.take(&block(1, 10, [(0, &[count(100)]), (0, &[]), (0, &[])])).unwrap();
    // Edges 1 to 3 are lost: edge 4 is a rise again, at 500 + 2 * 2 + 3 * 2.
    stamps.take(&block(0, 20, [(4, &[count(500)]), (0, &[]), (0, &[])])).unwrap();
    assert_eq!(stamps.lost(), [3, 0, 0]);
    let found = stamps.finish().unwrap();
    assert_eq!(found.gaps, [Gap { from: Tick(101), to: Tick(509) }]);
    let line: Vec<(u64, bool)> = found.lines[0].edges.iter().map(|edge| (edge.at().0, edge.level())).collect();
    assert_eq!(line, [(100, true), (509, false), (510, true)]);
}

#[test]
fn a_block_that_cannot_be_is_refused_by_what_is_wrong() {
    let good = block(1, 10, [(0, &[u32::MAX - 5]), (0, &[]), (0, &[])]);
    let with = |at: usize, word: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        Stamps::default().take(&bytes).unwrap_err()
    };
    assert_eq!(Stamps::default().take(&good[..39]), Err(BadStamps::Length { found: 39, wanted: 40 }));
    assert_eq!(Stamps::default().take(&good[..40]), Err(BadStamps::Length { found: 40, wanted: 44 }));
    assert_eq!(with(20, u32::MAX), BadStamps::Length { found: 44, wanted: 40 + 4 * u64::from(u32::MAX) });
    assert_eq!(with(0, 2), BadStamps::Spoilt);
    assert_eq!(with(4, 0), BadStamps::Rate(0));
    let mut stamps = Stamps::default();
    stamps.take(&good).unwrap();
    assert_eq!(stamps.clone().take(&good), Err(BadStamps::Number { line: "GP2", found: 0, wanted: 1 }));
    let earlier = block(1, 20, [(1, &[u32::MAX]), (0, &[]), (0, &[])]);
    assert_eq!(stamps.clone().take(&earlier), Err(BadStamps::Order { line: "GP2", number: 1 }));
    let mut other = good.clone();
    other[4] ^= 1;
    assert_eq!(stamps.take(&other), Err(BadStamps::Rate(HZ ^ 1)));
}

// At 1 MHz: a full block proves nothing after its last edge, whatever age the device states.
#[test]
fn all_is_known_up_to_the_last_edge_of_a_full_block() {
    let mut stamps = Stamps::default();
    let counts: Vec<u32> = (0..2_048).map(|edge| u32::MAX - 50 * (edge + 1)).collect();
    stamps.take(&block(0, 10_000, [(0, &counts), (0, &counts[..1]), (0, &[])])).unwrap();
    let last = 2 * 50 * 2_048 + 2 * 1_024 + 3 * 1_023;
    assert_eq!((stamps.age(), stamps.end(), stamps.running()), (Tick(1_000_000), Tick(last), false));
    stamps.take(&block(0, 10_001, [(2_048, &[]), (1, &[]), (0, &[])])).unwrap();
    assert_eq!(stamps.end(), Tick(1_000_100));
}

// The device overwrote the edges during the copy: the edge number jumps and this block has no edges, but later edges follow.
#[test]
fn edges_that_were_written_over_during_the_copy_are_lost_and_those_behind_them_still_to_come() {
    let mut stamps = Stamps::default();
    let count = |at: u32| u32::MAX - at / 2;
    stamps.take(&block(1, 10, [(0, &[count(100)]), (0, &[]), (0, &[])])).unwrap();
    stamps.take(&block(0, 20, [(4, &[]), (0, &[]), (0, &[])])).unwrap();
    assert_eq!((stamps.age(), stamps.end(), stamps.lost()), (Tick(2_000), Tick(1_000), [3, 0, 0]));
    stamps.take(&block(0, 30, [(4, &[count(500)]), (0, &[]), (0, &[])])).unwrap();
    assert_eq!((stamps.end(), stamps.lost()), (Tick(3_000), [3, 0, 0]));
    assert_eq!(stamps.finish().unwrap().gaps, [Gap { from: Tick(101), to: Tick(509) }]);
}
