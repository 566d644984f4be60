// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads protocol buffers' wire format without copies. Source: "Encoding", in the documents of protocol buffers.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes; backwall reads no field of this type.
    Fixed,
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            _ => 0,
        }
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// The fields of a message in their order in the file. Ends at the first field that exceeds the message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// The fields ended before the message's end.
    pub(super) broken: bool,
}

impl<'a> Fields<'a> {
    #[inline]
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, broken: false }
    }

    #[inline]
    pub(super) fn from(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, broken: false }
    }

    #[inline]
    fn step(&mut self) -> Option<(u64, Value<'a>)> {
        let key = varint(self.bytes, &mut self.at)?;
        let value = match key & 7 {
            0 => Value::Number(varint(self.bytes, &mut self.at)?),
            2 => {
                let length = usize::try_from(varint(self.bytes, &mut self.at)?).ok()?;
                let bytes = self.bytes.get(self.at..self.at.checked_add(length)?)?;
                self.at += length;
                Value::Bytes(bytes)
            }
            1 | 5 => {
                self.at += if key & 7 == 1 { 8 } else { 4 };
                (self.at <= self.bytes.len()).then_some(Value::Fixed)?
            }
            _ => return None,
        };
        (key >> 3 != 0).then_some((key >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.broken || self.at >= self.bytes.len() {
            return None;
        }
        let found = self.step();
        self.broken = found.is_none();
        found
    }
}

/// A number of up to ten bytes, each with seven bits, the lowest first.
#[inline]
pub(super) fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(first.into());
    }
    let mut value = 0u64;
    for (count, byte) in bytes[*at..].iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * count);
        if byte & 0x80 == 0 {
            *at += count + 1;
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_read_as_the_document_shows_them() {
        let message = [0x08, 0x96, 0x01, 0x12, 0x07, b't', b'e', b's', b't', b'i', b'n', b'g', 0x1d, 0, 0, 0, 0];
        let fields: Vec<_> = Fields::of(&message).collect();
        assert_eq!(fields, [(1, Value::Number(150)), (2, Value::Bytes(b"testing")), (3, Value::Fixed)]);
        let mut cut = Fields::of(&message[..8]);
        assert_eq!(cut.by_ref().count(), 1);
        assert!(cut.broken);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut fields = Fields::of(&bytes);
            let lengths: usize = fields.by_ref().map(|(_, value)| value.bytes().len()).sum();
            prop_assert!(lengths <= bytes.len());
        }
    }
}
