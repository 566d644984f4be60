// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes the fields of a packet. Numbers go into slots; those that the reader needs also go into fields of their own.
use super::description::{Integer, Length, Order, Place, Role, Type};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    More,
    /// The packet is invalid, or the reader does not support it.
    Bad(String),
}

/// A part of a packet's bytes. All places are bit offsets in the packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) at: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DecodedFields {
    /// Values of the current event, and where its texts are in the packet.
    pub(super) slots: Vec<u64>,
    pub(super) magic: Option<u64>,
    pub(super) stream_class: Option<u64>,
    pub(super) stream: Option<u64>,
    pub(super) packet_bits: Option<u64>,
    pub(super) content_bits: Option<u64>,
    pub(super) packet_end: Option<u64>,
    pub(super) discarded: Option<u64>,
    pub(super) discarded_bits: u32,
    pub(super) sequence: Option<u64>,
    pub(super) event_class: Option<u64>,
    pub(super) cpu: Option<u64>,
    pub(super) thread: Option<i32>,
    pub(super) flags: Option<u32>,
    pub(super) cycles: u64,
}

impl<'a> Bits<'a> {
    fn align(&mut self, align: u64) -> Result<(), Stop> {
        // Works because `align` is a power of 2.
        self.at = self.at.checked_add(align - 1).ok_or(Stop::More)? & !(align - 1);
        Ok(())
    }

    /// Skips bits of the packet, which need not be in memory.
    fn skip(&mut self, bits: u64) -> Result<(), Stop> {
        let to = self.at.checked_add(bits).filter(|to| *to <= self.end).ok_or(Stop::More)?;
        self.at = to;
        Ok(())
    }

    /// The byte offset of `self.at` in `self.bytes`, if at least `bytes` bytes follow there.
    #[inline(always)]
    fn place(&self, bytes: usize) -> Option<usize> {
        let at = usize::try_from((self.at - self.begin) / 8).ok()?;
        (self.at + 8 * bytes as u64 <= self.end && at + bytes <= self.bytes.len()).then_some(at)
    }

    #[inline(always)]
    fn number(&mut self, bits: u32, order: Order) -> Result<u64, Stop> {
        if self.at % 8 == 0 && matches!(bits, 8 | 16 | 32 | 64) {
            let size = (bits / 8) as usize;
            let at = self.place(size).ok_or(Stop::More)?;
            let mut word = [0; 8];
            let field = &self.bytes[at..at + size];
            let value = match order {
                Order::Little => {
                    word[..size].copy_from_slice(field);
                    u64::from_le_bytes(word)
                }
                Order::Big => {
                    word[8 - size..].copy_from_slice(field);
                    u64::from_be_bytes(word)
                }
            };
            self.at += u64::from(bits);
            return Ok(value);
        }
        self.odd_number(bits, order)
    }

    #[cold]
    fn odd_number(&mut self, bits: u32, order: Order) -> Result<u64, Stop> {
        let lead = (self.at % 8) as u32;
        let bytes = (lead + bits).div_ceil(8) as usize;
        if self.at + u64::from(bits) > self.end {
            return Err(Stop::More);
        }
        let at = usize::try_from((self.at - self.begin) / 8).map_err(|_| Stop::More)?;
        let field = self.bytes.get(at..at + bytes).ok_or(Stop::More)?;
        let mask = u128::MAX >> (128 - bits);
        let value = match order {
            Order::Little => {
                field.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte)) >> lead & mask
            }
            Order::Big => {
                let rest = 8 * bytes as u32 - lead - bits;
                field.iter().fold(0u128, |value, byte| value << 8 | u128::from(*byte)) >> rest & mask
            }
        };
        self.at += u64::from(bits);
        Ok(value as u64)
    }

    /// Groups of seven bits, the lowest first. The highest bit of a byte shows that another one follows.
    fn variable(&mut self, signed: bool) -> Result<u64, Stop> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.number(8, Order::Little)?;
            if shift >= 64 {
                return Err(Stop::Bad("a number of variable length exceeds 64 bits".to_string()));
            }
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                let negative = signed && byte & 0x40 != 0 && shift < 64;
                return Ok(if negative { value | u64::MAX << shift } else { value });
            }
        }
    }

    pub(super) fn text(&self, slot: u64) -> &'a [u8] {
        let (begin, length) = ((slot >> 32) as usize, (slot & 0xffff_ffff) as usize);
        self.bytes.get(begin..begin + length).unwrap_or_default()
    }
}

impl DecodedFields {
    pub(super) fn field(&mut self, kind: &Type, bits: &mut Bits<'_>) -> Result<(), Stop> {
        match kind {
            Type::Integer(integer) => self.integer(integer, bits),
            Type::Skipped { bits: length, align } => {
                bits.align(*align)?;
                bits.skip(*length)
            }
            Type::Text { unit, slot } => self.text(*unit, *slot, bits),
            Type::Structure { align, members } => {
                bits.align(*align)?;
                members.iter().try_for_each(|(_, member)| self.field(member, bits))
            }
            Type::Array { align, element, length, text, slot } => {
                let length = match length {
                    Length::Fixed(length) => *length,
                    Length::At(place) => self.value(place),
                };
                bits.align(*align)?;
                self.array(element, length, *text, *slot, bits)
            }
            Type::Variant { selector, choices } => {
                let value = self.value(selector);
                // A selector may have a signed type, but the slot holds 64 bits without that information.
                let fits = |(first, last): &(i128, i128)| {
                    (*first..=*last).contains(&i128::from(value))
                        || (*first..=*last).contains(&i128::from(value as i64))
                };
                match choices.iter().find(|choice| choice.values.iter().any(fits)) {
                    Some(choice) => self.field(&choice.kind, bits),
                    None => Err(Stop::Bad(format!("a variant has no option for the value {value}"))),
                }
            }
        }
    }

    fn value(&self, place: &Place) -> u64 {
        match place {
            Place::Slot(slot) => self.slots[*slot],
            Place::Named(_) => unreachable!("every place has its slot"),
        }
    }

    fn array(&mut self, element: &Type, length: u64, text: bool, slot: usize, bits: &mut Bits<'_>) -> Result<(), Stop> {
        let fixed = match element {
            Type::Integer(Integer { bits: size, align, variable: false, .. }) => Some((u64::from(*size), *align)),
            Type::Skipped { bits: size, align } => Some((*size, *align)),
            _ => None,
        };
        if let Some((size, align)) = fixed.filter(|_| length > 0) {
            bits.align(align)?;
            let step = size.next_multiple_of(align);
            let all = step.checked_mul(length - 1).and_then(|all| all.checked_add(size)).ok_or(Stop::More)?;
            if text && size == 8 && bits.at % 8 == 0 {
                let bytes = usize::try_from(length).map_err(|_| Stop::More)?;
                let begin = bits.place(bytes).ok_or(Stop::More)?;
                let field = &bits.bytes[begin..begin + bytes];
                let letters = field.iter().position(|byte| *byte == 0).unwrap_or(bytes);
                self.slots[slot] = (begin as u64) << 32 | letters as u64;
            }
            return bits.skip(all);
        }
        for _ in 0..length {
            let before = bits.at;
            self.field(element, bits)?;
            // An element of 0 bits takes no input, so a file can claim any number of such elements.
            if bits.at == before {
                break;
            }
        }
        Ok(())
    }

    fn text(&mut self, unit: usize, slot: usize, bits: &mut Bits<'_>) -> Result<(), Stop> {
        bits.align(8)?;
        let begin = bits.place(0).ok_or(Stop::More)?;
        let within = usize::try_from((bits.end - bits.at) / 8).unwrap_or(usize::MAX);
        let rest = &bits.bytes[begin..];
        let rest = &rest[..within.min(rest.len())];
        let units =
            rest.chunks_exact(unit).position(|letter| letter.iter().all(|byte| *byte == 0)).ok_or(Stop::More)?;
        self.slots[slot] = (begin as u64) << 32 | (units * unit) as u64;
        bits.at += 8 * ((units + 1) * unit) as u64;
        Ok(())
    }

    #[inline(always)]
    fn integer(&mut self, integer: &Integer, bits: &mut Bits<'_>) -> Result<(), Stop> {
        bits.align(integer.align)?;
        let value = match integer.variable {
            true => bits.variable(integer.signed)?,
            false => bits.number(integer.bits, integer.order)?,
        };
        let spare = 64 - integer.bits;
        let value = if integer.signed { ((value << spare) as i64 >> spare) as u64 } else { value };
        self.slots[integer.slot] = value;
        if let Some(role) = integer.role {
            self.take(role, integer.bits, value);
        }
        Ok(())
    }

    fn take(&mut self, role: Role, bits: u32, value: u64) {
        match role {
            Role::Magic => self.magic = Some(value),
            Role::StreamClass => self.stream_class = Some(value),
            Role::Stream => self.stream = Some(value),
            Role::PacketBits => self.packet_bits = Some(value),
            Role::ContentBits => self.content_bits = Some(value),
            Role::PacketEnd => self.packet_end = Some(value),
            Role::Discarded => (self.discarded, self.discarded_bits) = (Some(value), bits),
            Role::Sequence => self.sequence = Some(value),
            Role::EventClass => self.event_class = Some(value),
            Role::Cpu => self.cpu = Some(value),
            Role::Thread => self.thread = Some(value as i32),
            Role::Flags => self.flags = Some(value as u32),
            Role::Time => self.cycles = later(self.cycles, value, bits),
        }
    }
}

/// Completes a time of which only the low bits are given. The result is the first time from `now` on with these bits.
fn later(now: u64, low: u64, bits: u32) -> u64 {
    if bits >= 64 {
        return low;
    }
    let mask = (1u64 << bits) - 1;
    let time = now & !mask | low & mask;
    if low & mask < now & mask { time.wrapping_add(mask + 1) } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_of_few_bits_wraps() {
        assert_eq!(later(0x1_0000_0005, 7, 27), 0x1_0000_0007);
        assert_eq!(later(0x1_07ff_fff0, 3, 27), 0x1_0800_0003);
        assert_eq!(later(5, 3, 64), 3);
        assert_eq!(later(u64::MAX, 0, 32), 0);
    }

    #[test]
    fn odd_numbers_are_read_in_both_orders() {
        let bytes = [0b1010_1101, 0b0011_0110, 0xff];
        let bits = |at| Bits { bytes: &bytes, begin: 0, end: 24, at };
        // `Order::Little` counts from the lowest bit up, `Order::Big` from the highest bit down.
        assert_eq!(bits(3).number(5, Order::Little), Ok(0b10101));
        assert_eq!(bits(3).number(7, Order::Little), Ok(0b101_0101));
        assert_eq!(bits(3).number(5, Order::Big), Ok(0b01101));
        assert_eq!(bits(3).number(7, Order::Big), Ok(0b011_0100));
        assert_eq!(bits(20).number(5, Order::Big), Err(Stop::More));
        assert_eq!(bits(8).number(16, Order::Big), Ok(0x36ff));
    }

    #[test]
    fn numbers_of_variable_length_are_leb128() {
        let read = |bytes: &[u8], signed| Bits { bytes, begin: 0, end: 8 * bytes.len() as u64, at: 0 }.variable(signed);
        assert_eq!(read(&[0xe5, 0x8e, 0x26], false), Ok(624_485));
        assert_eq!(read(&[0xc0, 0xbb, 0x78], true), Ok(-123_456i64 as u64));
        assert!(matches!(read(&[0xff; 12], false), Err(Stop::Bad(_))));
        assert_eq!(read(&[0x80], false), Err(Stop::More));
    }
}
