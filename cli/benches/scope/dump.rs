// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of value change dumps, next to two crates that read the same text.
use super::processor_time::rate_of;
use super::{EDGES, EDGES_PER_PULSE, REPEATS, edge_file, print};
use backwall_capture::{recording, vcd_read, vcd_write};
use std::io::Cursor;
use wellen::viewers::{read_body, read_header};

const PULSES: u64 = 300_000;
const GOAL: f64 = 25.0;

pub fn reader() {
    let edges = recording::read(&edge_file(PULSES)[..]).expect("a good file").edges;
    let mut dump = Vec::new();
    vcd_write::write(&edges, &mut dump).expect("memory");
    let count = PULSES * EDGES_PER_PULSE;
    let rate = rate_of(count, || vcd_read::read(&dump[..]).expect("a good dump"));
    let conditions = format!(
        "value change dump of {PULSES} pulses on 3 lines, {} MB from memory, processor time, best of {REPEATS}",
        dump.len() / 1_000_000
    );
    let vcd = rate_of(count, || {
        let parser = vcd::Parser::new(&dump[..]);
        parser.filter(|command| matches!(command, Ok(vcd::Command::ChangeScalar(..)))).count()
    });
    let row = |peer, rate_of_peer, note| {
        let conditions = format!("{conditions}; {note}");
        print(("value change dump reader", EDGES), rate, GOAL, (peer, Some(rate_of_peer)), &conditions);
    };
    row("vcd crate", vcd, "vcd: parsing alone");
    let shared: &'static [u8] = dump.leak(); // wellen keeps its source
    row("wellen crate", rate_of(count, || changes_by_wellen(shared)), "wellen: one thread, all signals loaded");
}

fn changes_by_wellen(dump: &'static [u8]) -> usize {
    let options = wellen::LoadOptions { multi_thread: false, remove_scopes_with_empty_name: false };
    let header = read_header(Cursor::new(dump), &options).expect("a good dump");
    let mut body = read_body(header.body, &header.hierarchy, None).expect("a good dump");
    let signals: Vec<wellen::SignalRef> = header.hierarchy.iter_vars().map(|var| var.signal_ref()).collect();
    let loaded = body.source.load_signals(&signals, &header.hierarchy, false);
    loaded.iter().map(|(_, signal)| signal.time_indices().len()).sum()
}
