// SPDX-License-Identifier: MIT OR Apache-2.0
//! One CPU's ring as it is read: its events, and the times from which and to which events are missing.
//!
//! If the kernel overwrote events before they were read, only the next sub-buffer shows this, and backwall reads that one much
//! later. The loss begins at the last event that was read, or at the instant when the ring was last read to its end, whichever
//! is later. Later events of other CPUs wait until the loss is known.
use super::reader::Item;
use crate::read_page::read_page;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::PageLayout;

#[derive(Clone, Copy, Debug)]
pub(super) struct Intake {
    cpu: u32,
    last_ns: u64,
    known_ns: u64,
    /// Events are missing from some instant on, and no event has come since.
    dark: bool,
}

/// Events with their time and CPU, to be put in order of time.
pub(super) type Waiting = Vec<(u64, u32, Item)>;

impl Intake {
    pub(super) fn of(cpu: u32) -> Self {
        Self { cpu, last_ns: 0, known_ns: 0, dark: false }
    }

    pub(super) fn cpu(&self) -> u32 {
        self.cpu
    }

    pub(super) fn page(&mut self, bytes: &[u8], layout: &PageLayout, decoder: &Decoder, waiting: &mut Waiting) {
        let (cpu, place) = (self.cpu, waiting.len());
        let missing = read_page(bytes, layout, decoder, |at_ns, stamped| {
            waiting.push((at_ns, cpu, Item::Event(stamped)));
        });
        let first_ns = waiting.get(place).map(|(at_ns, ..)| *at_ns);
        if let Some(first_ns) = missing.before.or(first_ns).filter(|_| self.dark || missing.before.is_some()) {
            let from_ns = self.last_ns.max(self.known_ns).min(first_ns);
            let begins = (!self.dark).then_some((from_ns, cpu, Item::LossBegins));
            let ends = (first_ns, cpu, Item::LossEnds);
            waiting.splice(place..place, begins.into_iter().chain([ends]));
            self.dark = false;
        }
        self.last_ns = waiting[place..].iter().map(|(at_ns, ..)| *at_ns).fold(self.last_ns, u64::max);
        if missing.behind.is_some() && !std::mem::replace(&mut self.dark, true) {
            waiting.push((self.last_ns.max(self.known_ns), cpu, Item::LossBegins));
        }
    }

    /// The ring was read to its end, so it has given all events before this instant.
    pub(super) fn is_read_until(&mut self, at_ns: u64) {
        self.known_ns = self.known_ns.max(at_ns);
    }

    pub(super) fn has_more(&mut self) {
        self.known_ns = self.known_ns.max(self.last_ns);
    }

    pub(super) fn known_ns(&self) -> u64 {
        self.known_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::event::{Event, sources};
    use backwall_trace::ring::format::EventFormat;

    const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:48;\tsigned:0;\n";
    const WAKING: &str = "name: sched_waking\nID: 9\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
        \tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n";
    const MISSED: u64 = 1 << 31;

    fn page(instants: &[u64], flags: u64) -> Vec<u8> {
        let mut before = instants[0];
        let mut bytes = [before.to_le_bytes(), ((instants.len() as u64 * 16) | flags).to_le_bytes()].concat();
        for at_ns in instants {
            bytes.extend((3 | ((at_ns - before) as u32) << 5).to_le_bytes());
            bytes.extend([9u32, 1, 7].map(u32::to_le_bytes).concat());
            before = *at_ns;
        }
        bytes.resize(64, 0);
        bytes
    }

    fn taken(pages: &[(u64, Vec<u8>)]) -> Vec<(u64, &'static str)> {
        let layout = PageLayout::parse(HEADER).unwrap();
        let source = sources([]).into_iter().find(|source| source.event() == "sched_waking").unwrap();
        let decoder = Decoder::new([(&source, EventFormat::parse(WAKING).unwrap())]).unwrap();
        let (mut intake, mut waiting) = (Intake::of(1), Waiting::new());
        for (until_ns, page) in pages {
            intake.is_read_until(*until_ns);
            intake.page(page, &layout, &decoder, &mut waiting);
        }
        waiting.sort_by_key(|(at_ns, ..)| *at_ns);
        let told = |(at_ns, _, item): &(u64, u32, Item)| match item {
            Item::Event(stamped) => {
                assert_eq!((stamped.event, stamped.at_ns), (Event::Waking { thread: 7 }, *at_ns));
                (*at_ns, "event")
            }
            Item::LossBegins => (*at_ns, "begins"),
            Item::LossEnds => (*at_ns, "ends"),
        };
        waiting.iter().map(told).collect()
    }

    #[test]
    fn a_loss_lasts_from_the_last_event_before_it_to_the_first_behind_it() {
        let whole = taken(&[(0, page(&[100, 200], 0)), (0, page(&[300], 0))]);
        assert_eq!(whole, [(100, "event"), (200, "event"), (300, "event")]);
        let lost = taken(&[(0, page(&[100, 200], 0)), (0, page(&[900, 950], MISSED))]);
        let expected = [(100, "event"), (200, "event"), (200, "begins"), (900, "ends"), (900, "event"), (950, "event")];
        assert_eq!(lost, expected);
    }

    #[test]
    fn a_ring_that_was_read_to_its_end_had_lost_nothing_by_then() {
        let lost = taken(&[(0, page(&[100], 0)), (700, page(&[900], MISSED))]);
        assert_eq!(lost, [(100, "event"), (700, "begins"), (900, "ends"), (900, "event")]);
        let from_the_first = taken(&[(0, page(&[900], MISSED))]);
        assert_eq!(from_the_first, [(0, "begins"), (900, "ends"), (900, "event")]);
    }

    #[test]
    fn what_cannot_be_read_is_lost_up_to_the_next_event() {
        let mut bad = page(&[300, 400], 0);
        // The second record states a length that exceeds the sub-buffer.
        bad[32] = 28 | bad[32] & 0xe0;
        let lost = taken(&[(0, page(&[100], 0)), (0, bad), (0, page(&[800], 0))]);
        assert_eq!(lost, [(100, "event"), (300, "event"), (300, "begins"), (800, "ends"), (800, "event")]);
    }
}
