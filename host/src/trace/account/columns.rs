// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time over time: how much of each of some hundred columns of the recording a row had, however long the recording becomes.

/// At most so many columns; when more are needed, two become one.
const COLUMNS: usize = 240;
/// The width at first, in nanoseconds as a power of two: a millisecond. All widths are powers of two, so that a column is found
/// without a division.
const FIRST_SHIFT: u32 = 20;

/// Where the columns lie, the same for all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    origin_ns: u64,
    shift: u32,
}

/// The time that one row had in each column.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(pub(super) Vec<u64>);

impl Columns {
    pub(super) fn new(origin_ns: u64) -> Self {
        Self { origin_ns, shift: FIRST_SHIFT }
    }

    /// The width of a column.
    pub(super) fn width_ns(&self) -> u64 {
        1 << self.shift
    }

    /// Whether an instant lies beyond the last column; then [`Columns::widen`] and [`Row::fold`] come first.
    #[inline]
    pub(super) fn are_too_narrow_for(&self, at_ns: u64) -> bool {
        at_ns.saturating_sub(self.origin_ns) >> self.shift >= COLUMNS as u64
    }

    pub(super) fn widen(&mut self) {
        self.shift += 1;
    }

    /// Adds a time that ends within the columns.
    #[inline]
    pub(super) fn add(&self, row: &mut Row, from_ns: u64, to_ns: u64) {
        let (mut from, to) = (from_ns.saturating_sub(self.origin_ns), to_ns.saturating_sub(self.origin_ns));
        while from < to {
            let column = (from >> self.shift) as usize;
            let end = (column as u64 + 1).saturating_mul(1 << self.shift).min(to);
            if row.0.len() <= column {
                row.0.resize(column + 1, 0);
            }
            row.0[column] += end - from;
            from = end;
        }
    }
}

impl Row {
    /// Two columns become one.
    pub(super) fn fold(&mut self) {
        self.0 = self.0.chunks(2).map(|pair| pair.iter().sum()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_sum_to_what_was_added(stretches in proptest::collection::vec((0u64..1 << 38, 0u64..1 << 34), 0..60)) {
            let mut columns = Columns::new(0);
            let mut row = Row::default();
            for (from, length) in &stretches {
                while columns.are_too_narrow_for(from + length) {
                    columns.widen();
                    row.fold();
                }
                columns.add(&mut row, *from, from + length);
            }
            prop_assert_eq!(row.0.iter().sum::<u64>(), stretches.iter().map(|(_, length)| length).sum::<u64>());
            prop_assert!(row.0.len() <= COLUMNS);
        }
    }
}
