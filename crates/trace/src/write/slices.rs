// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named stretches on tracks, as a Perfetto trace: its viewer draws them as rows. Source of the numbers:
//! protos/perfetto/trace/{trace_packet,track_event/track_descriptor,track_event/track_event}.proto.
use super::protobuf::Message;

const PACKET: u64 = 1;
const TIMESTAMP: u64 = 8;
const SEQUENCE: u64 = 10;
const TRACK_EVENT: u64 = 11;
const TRACK_DESCRIPTOR: u64 = 60;
const TRACK_ID: u64 = 1;
const TRACK_NAME: u64 = 2;
const TYPE: u64 = 9;
const ON_TRACK: u64 = 11;
const NAME: u64 = 23;
const BEGINS: u64 = 1;
const ENDS: u64 = 2;
const WRITER: u64 = 1;

/// One stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice<'a> {
    /// What stands on it.
    pub name: &'a str,
    /// When it begins, in nanoseconds of the viewer.
    pub from: u64,
    /// When it ends.
    pub to: u64,
}

/// A trace of these tracks, each a name and its slices in order of time.
pub fn written(tracks: &[(&str, Vec<Slice>)]) -> Vec<u8> {
    let mut trace = Message::default();
    for (number, (name, slices)) in (1..).zip(tracks) {
        let mut track = Message::default();
        track.number(TRACK_ID, number).text(TRACK_NAME, name);
        let mut packet = Message::default();
        packet.number(SEQUENCE, WRITER).message(TRACK_DESCRIPTOR, &track);
        trace.message(PACKET, &packet);
        for slice in slices {
            trace.message(PACKET, &packet_at(slice.from, number, BEGINS, Some(slice.name)));
            trace.message(PACKET, &packet_at(slice.to, number, ENDS, None));
        }
    }
    trace.as_bytes().to_vec()
}

fn packet_at(at: u64, track: u64, kind: u64, name: Option<&str>) -> Message {
    let mut event = Message::default();
    event.number(TYPE, kind).number(ON_TRACK, track);
    if let Some(name) = name {
        event.text(NAME, name);
    }
    let mut packet = Message::default();
    packet.number(TIMESTAMP, at).number(SEQUENCE, WRITER).message(TRACK_EVENT, &event);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_its_name_and_a_pair_of_events_a_slice() {
        let bytes = written(&[("kernel", vec![Slice { name: "schedule", from: 3, to: 9 }])]);
        let track = [&[0x50, 1, 0xe2, 0x03, 10, 0x08, 1, 0x12, 6][..], b"kernel"].concat();
        let begins = [&[0x40, 3, 0x50, 1, 0x5a, 15, 0x48, 1, 0x58, 1, 0xba, 0x01, 8][..], b"schedule"].concat();
        let ends = vec![0x40, 9, 0x50, 1, 0x5a, 4, 0x48, 2, 0x58, 1];
        let framed: Vec<u8> = [track, begins, ends]
            .iter()
            .flat_map(|packet| [vec![0x0a, packet.len() as u8], packet.clone()].concat())
            .collect();
        assert_eq!(bytes, framed);
    }
}
