// SPDX-License-Identifier: MIT OR Apache-2.0
//! The few forms of Protocol Buffers that a trace of Perfetto needs.
//! Source: protobuf.dev, "Encoding".

#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const FIXED: u64 = 1;
const LENGTH: u64 = 2;

impl Message {
    pub(super) fn number(&mut self, field: u64, value: u64) -> &mut Self {
        self.varint(field << 3 | VARINT);
        self.varint(value);
        self
    }

    /// A signed number; negative ones take ten bytes.
    pub(super) fn signed(&mut self, field: u64, value: i64) -> &mut Self {
        self.number(field, value as u64)
    }

    /// A number in eight bytes.
    pub(super) fn fixed(&mut self, field: u64, value: u64) -> &mut Self {
        self.varint(field << 3 | FIXED);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(super) fn text(&mut self, field: u64, text: &str) -> &mut Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(&mut self, field: u64, inner: &Message) -> &mut Self {
        self.bytes(field, &inner.0)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn extend(&mut self, other: &Message) {
        self.0.extend_from_slice(&other.0);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | LENGTH);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_those_of_the_description() {
        let mut message = Message::default();
        message.number(1, 150).text(2, "testing");
        assert_eq!(message.as_bytes(), b"\x08\x96\x01\x12\x07testing");
        message = Message::default();
        message.signed(1, -2);
        assert_eq!(message.as_bytes(), b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    }
}
