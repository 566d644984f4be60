// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields of one record, read plainly or quickly, and what each way requires.
use super::plan::Layout;
use crate::event::function::Function;
use crate::event::{Kind, Name};
use crate::ring::format::Place;

pub(super) const FIELDS_MAX: usize = 7;
/// A field with a larger offset cannot be read quickly. `WINDOW` also covers the largest field at this offset.
const BEGIN_MAX: u8 = 63;
pub(super) const WINDOW: usize = BEGIN_MAX as usize + 17;

#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Byte,
    Half,
    Whole,
    Name,
}

impl Shape {
    pub(super) fn fits(self, place: Place) -> bool {
        let size = match self {
            Shape::Byte => (1..=8).contains(&place.size),
            Shape::Half => [4, 8].contains(&place.size),
            Shape::Whole => place.size == 8,
            Shape::Name => place.size == 16,
        };
        size && !place.dynamic && place.offset <= BEGIN_MAX as usize
    }
}

pub(super) fn function_field(kind: Kind) -> Option<usize> {
    match kind {
        Kind::TimerExpire => Some(1),
        Kind::CoarseTimer | Kind::Work { begins: true } => Some(0),
        _ => None,
    }
}

pub(super) fn shapes(kind: Kind) -> &'static [Shape] {
    use Shape::{Byte, Half, Name, Whole};
    match kind {
        Kind::Switch => &[Name, Half, Half, Byte, Name, Half, Half],
        Kind::TimerStart => &[Whole, Whole, Whole],
        Kind::TimerExpire => &[Whole, Whole],
        Kind::CoarseTimer | Kind::Work { begins: true } => &[Whole],
        Kind::Interrupt { enter: true } | Kind::Packet { .. } => &[Name],
        Kind::Softirq { .. } => &[Byte],
        Kind::Waking | Kind::Stack => &[Half],
        Kind::Inherit => &[Half, Half, Half],
        Kind::Freezes { .. } | Kind::Temperature | Kind::Mark => &[Name],
        Kind::Cools => &[Name, Whole],
        Kind::Trip => &[Name, Half],
        Kind::Frequency { .. } | Kind::Plugs { begins: true } => &[Half, Half],
        Kind::Plugs { begins: false } => &[Half],
        Kind::Woken { .. } | Kind::Migrate | Kind::Futex { enter: true } | Kind::Signalled => &[Half, Half],
        Kind::Interrupt { enter: false } | Kind::Vector { .. } | Kind::SleepEnd | Kind::Futex { enter: false } => &[],
        Kind::PageFault | Kind::Masks { .. } | Kind::Work { begins: false } | Kind::Call => &[],
    }
}

pub(super) trait Fields {
    fn flags(&self) -> Option<u8>;
    fn thread(&self) -> Option<i32>;
    fn byte(&self, field: usize) -> Option<u8>;
    fn half(&self, field: usize) -> Option<i32>;
    fn whole(&self, field: usize) -> Option<u64>;
    fn name(&self, field: usize) -> Option<Name>;
    /// A text of any length, which may be anywhere in the record.
    fn text(&self, field: usize) -> Option<Function>;
    /// The bytes from the field to the end of the record.
    fn rest(&self, field: usize) -> Option<&[u8]>;
}

pub(super) struct Plain<'a> {
    pub(super) layout: &'a Layout,
    pub(super) record: &'a [u8],
}

impl Fields for Plain<'_> {
    fn flags(&self) -> Option<u8> {
        self.layout.flags.number(self.record).map(|number| number as u8)
    }

    fn thread(&self) -> Option<i32> {
        self.layout.thread.number(self.record).map(|number| number as i32)
    }

    fn byte(&self, field: usize) -> Option<u8> {
        self.whole(field).map(|number| number as u8)
    }

    fn half(&self, field: usize) -> Option<i32> {
        self.whole(field).map(|number| number as i32)
    }

    fn whole(&self, field: usize) -> Option<u64> {
        self.layout.fields[field].number(self.record).map(|number| number as u64)
    }

    fn name(&self, field: usize) -> Option<Name> {
        self.layout.fields[field].bytes(self.record).map(Name::new)
    }

    fn text(&self, field: usize) -> Option<Function> {
        let text = self.layout.fields[field].bytes(self.record)?;
        let text = text.split(|letter| *letter == 0).next().unwrap_or_default();
        Some(Function::named(&String::from_utf8_lossy(text)))
    }

    fn rest(&self, field: usize) -> Option<&[u8]> {
        self.record.get(self.layout.fields[field].offset..)
    }
}

/// Reads each field with one load. The caller has checked that the record is long enough.
pub(super) struct Quick<'a> {
    pub(super) begins: &'a [u8; 2 + FIELDS_MAX],
    pub(super) window: &'a [u8; WINDOW],
}

impl Quick<'_> {
    /// The mask changes nothing, but shows the compiler that the bytes are within the window.
    #[inline(always)]
    fn bytes<const BYTES: usize>(&self, place: usize) -> [u8; BYTES] {
        let begin = (self.begins[place] & BEGIN_MAX) as usize;
        *self.window[begin..].first_chunk().expect("BYTES is 16 at most")
    }
}

impl Fields for Quick<'_> {
    #[inline(always)]
    fn flags(&self) -> Option<u8> {
        Some(self.bytes::<1>(0)[0])
    }

    #[inline(always)]
    fn thread(&self) -> Option<i32> {
        Some(i32::from_le_bytes(self.bytes(1)))
    }

    #[inline(always)]
    fn byte(&self, field: usize) -> Option<u8> {
        Some(self.bytes::<1>(2 + field)[0])
    }

    #[inline(always)]
    fn half(&self, field: usize) -> Option<i32> {
        Some(i32::from_le_bytes(self.bytes(2 + field)))
    }

    #[inline(always)]
    fn whole(&self, field: usize) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(2 + field)))
    }

    #[inline(always)]
    fn name(&self, field: usize) -> Option<Name> {
        Some(Name::new(&self.bytes::<16>(2 + field)))
    }

    fn text(&self, _: usize) -> Option<Function> {
        None
    }

    fn rest(&self, _: usize) -> Option<&[u8]> {
        None
    }
}
