// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named slices on tracks, as a Perfetto trace whose viewer draws tracks as rows.
//! Source of the numbers: protos/perfetto/trace/{trace_packet,track_event/track_descriptor,track_event/track_event}.proto.
use super::protobuf::Message;

const PACKET: u64 = 1;
const TIMESTAMP: u64 = 8;
const SEQUENCE: u64 = 10;
const TRACK_EVENT: u64 = 11;
const TRACK_DESCRIPTOR: u64 = 60;
const TRACK_ID: u64 = 1;
const TRACK_NAME: u64 = 2;
const TRACK_PARENT: u64 = 5;
const TRACK_ORDER: u64 = 11;
const TRACK_RANK: u64 = 12;
const ORDER_BY_RANK: u64 = 3;
const TYPE: u64 = 9;
const ON_TRACK: u64 = 11;
const NAME: u64 = 23;
const FLOW: u64 = 47;
const FLOW_ENDS: u64 = 48;
const BEGINS: u64 = 1;
const ENDS: u64 = 2;
const WRITER: u64 = 1;

/// One slice of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice<'a> {
    /// The text on the slice.
    pub name: &'a str,
    /// Start of the slice, in the viewer's nanoseconds.
    pub from: u64,
    /// End of the slice.
    pub to: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Track<'a> {
    pub(super) id: u64,
    pub(super) name: &'a str,
    pub(super) place: Place,
}

/// Where a viewer shows a track.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Alone,
    /// A parent of other tracks, which come in order of rank.
    Above,
    Below {
        parent: u64,
        rank: u64,
    },
}

/// An arrow that leads to the next slice with the same number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    None,
    Leads(u64),
    Ends(u64),
}

/// A trace of these tracks, each with a name and its slices in order of time.
pub fn written(tracks: &[(&str, Vec<Slice>)]) -> Vec<u8> {
    let mut trace = Message::default();
    for (number, (name, slices)) in (1..).zip(tracks) {
        add_track(&mut trace, Track { id: number, name, place: Place::Alone });
        for slice in slices {
            add_begin(&mut trace, slice.from, number, slice.name, Flow::None);
            add_end(&mut trace, slice.to, number);
        }
    }
    trace.as_bytes().to_vec()
}

pub(super) fn add_track(trace: &mut Message, track: Track<'_>) {
    let mut descriptor = Message::default();
    descriptor.number(TRACK_ID, track.id).text(TRACK_NAME, track.name);
    match track.place {
        Place::Alone => {}
        Place::Above => {
            descriptor.number(TRACK_ORDER, ORDER_BY_RANK);
        }
        Place::Below { parent, rank } => {
            descriptor.number(TRACK_PARENT, parent).number(TRACK_RANK, rank);
        }
    }
    let mut packet = Message::default();
    packet.number(SEQUENCE, WRITER).message(TRACK_DESCRIPTOR, &descriptor);
    trace.message(PACKET, &packet);
}

pub(super) fn add_begin(trace: &mut Message, at: u64, track: u64, name: &str, flow: Flow) {
    let mut event = Message::default();
    event.number(TYPE, BEGINS).number(ON_TRACK, track).text(NAME, name);
    match flow {
        Flow::None => {}
        Flow::Leads(number) => {
            event.fixed(FLOW, number);
        }
        Flow::Ends(number) => {
            event.fixed(FLOW_ENDS, number);
        }
    }
    add_event(trace, at, &event);
}

pub(super) fn add_end(trace: &mut Message, at: u64, track: u64) {
    let mut event = Message::default();
    event.number(TYPE, ENDS).number(ON_TRACK, track);
    add_event(trace, at, &event);
}

fn add_event(trace: &mut Message, at: u64, event: &Message) {
    let mut packet = Message::default();
    packet.number(TIMESTAMP, at).number(SEQUENCE, WRITER).message(TRACK_EVENT, event);
    trace.message(PACKET, &packet);
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

    #[test]
    fn an_arrow_is_a_number_that_leads_from_slice_to_slice() {
        let bytes = |flow| {
            let mut trace = Message::default();
            add_begin(&mut trace, 3, 1, "act", flow);
            trace.as_bytes().to_vec()
        };
        let begins = |length: u8, more: &[u8]| {
            let event = [&[0x48, 1, 0x58, 1, 0xba, 0x01, 3][..], b"act", more].concat();
            [&[0x0a, length + 6, 0x40, 3, 0x50, 1, 0x5a, length][..], &event].concat()
        };
        assert_eq!(bytes(Flow::None), begins(10, &[]));
        assert_eq!(bytes(Flow::Leads(7)), begins(20, &[0xf9, 0x02, 7, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(bytes(Flow::Ends(7)), begins(20, &[0x81, 0x03, 7, 0, 0, 0, 0, 0, 0, 0]));
    }
}
