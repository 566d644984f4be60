// SPDX-License-Identifier: MIT OR Apache-2.0
//! CPU time over the length of the recording: each row (a thread, an interrupt) has its time in up to 240 columns of equal width.

/// At most this many columns. When a recording needs more, neighbouring columns are merged in pairs.
const COLUMNS: usize = 240;
/// Initial width of a column: 2^20 ns, about 1 ms. Widths are powers of two, so that a shift finds the column of a time.
const FIRST_SHIFT: u32 = 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    origin_ns: u64,
    shift: u32,
    present: usize,
    begin_ns: u64,
    end_ns: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    whole: Vec<u64>,
    here_ns: u64,
    here: usize,
}

impl Columns {
    pub(super) fn new(origin_ns: u64) -> Self {
        let end_ns = origin_ns.saturating_add(1 << FIRST_SHIFT);
        Self { origin_ns, shift: FIRST_SHIFT, present: 0, begin_ns: origin_ns, end_ns }
    }

    pub(super) fn width_ns(&self) -> u64 {
        1 << self.shift
    }

    #[inline(always)]
    pub(super) fn end_before(&self, at_ns: u64) -> bool {
        at_ns >= self.end_ns
    }

    /// Moves on to the column that contains `at_ns`. Returns how often the columns' width was doubled, which is how often all
    /// rows must be folded.
    #[cold]
    pub(super) fn advance(&mut self, at_ns: u64) -> u32 {
        let since_ns = at_ns.saturating_sub(self.origin_ns);
        let before = self.shift;
        while since_ns >> self.shift >= COLUMNS as u64 {
            self.shift += 1;
        }
        self.present = (since_ns >> self.shift) as usize;
        self.begin_ns = self.origin_ns + ((self.present as u64) << self.shift);
        self.end_ns = self.begin_ns.saturating_add(self.width_ns());
        self.shift - before
    }

    #[inline(always)]
    pub(super) fn is_present(&self, at_ns: u64) -> bool {
        at_ns >= self.begin_ns
    }

    #[inline(always)]
    pub(super) fn add_here(&self, row: &mut Row, ns: u64) {
        if row.here != self.present {
            row.settle();
            row.here = self.present;
        }
        row.here_ns += ns;
    }

    /// Adds a stretch of time that ends in the current column. Nearly all stretches also begin in that column.
    #[inline(always)]
    pub(super) fn add(&self, row: &mut Row, from_ns: u64, to_ns: u64) {
        if self.is_present(from_ns) && row.here == self.present {
            row.here_ns += to_ns - from_ns;
        } else {
            self.add_across(row, from_ns, to_ns);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_across(&self, row: &mut Row, from_ns: u64, to_ns: u64) {
        row.settle();
        row.here = self.present;
        let (mut from, to) = (from_ns.saturating_sub(self.origin_ns), to_ns.saturating_sub(self.origin_ns));
        while from < to {
            let column = (from >> self.shift) as usize;
            let end = (column as u64 + 1).saturating_mul(1 << self.shift).min(to);
            row.add(column, end - from);
            from = end;
        }
    }
}

impl Row {
    fn add(&mut self, column: usize, ns: u64) {
        if self.whole.len() <= column {
            self.whole.resize(column + 1, 0);
        }
        self.whole[column] += ns;
    }

    fn settle(&mut self) {
        match std::mem::take(&mut self.here_ns) {
            0 => {}
            ns => self.add(self.here, ns),
        }
    }

    pub(super) fn fold(&mut self) {
        self.settle();
        self.here = usize::MAX;
        self.whole = self.whole.chunks(2).map(|pair| pair.iter().sum()).collect();
    }

    pub(super) fn columns(&self) -> Vec<u64> {
        let mut row = self.clone();
        row.settle();
        row.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // The time of these stretches in each column, computed directly from the columns' bounds.
    fn expected(stretches: &[(u64, u64)], columns: &Columns) -> Vec<u64> {
        let mut expected = vec![0; COLUMNS];
        for (index, sum) in expected.iter_mut().enumerate() {
            let (begin, end) = ((index as u64) << columns.shift, (index as u64 + 1) << columns.shift);
            *sum = stretches.iter().map(|(from, to)| (*to).min(end).saturating_sub((*from).max(begin))).sum();
        }
        let used = expected.iter().rposition(|ns| *ns > 0).map_or(0, |last| last + 1);
        expected.truncate(used);
        expected
    }

    proptest! {
        #[test]
        fn each_column_has_what_lies_in_it(steps in proptest::collection::vec((0u64..1 << 26, 0u64..1 << 34, 0usize..3), 0..200)) {
            let mut columns = Columns::new(0);
            let mut rows = [const { Vec::new() }; 2].map(|stretches: Vec<(u64, u64)>| (Row::default(), stretches));
            let mut at_ns = 0;
            for (short, long, row) in steps {
                let from_ns = at_ns;
                at_ns += if long % 7 == 0 { long } else { short };
                if columns.end_before(at_ns) {
                    let folds = columns.advance(at_ns);
                    (0..folds).for_each(|_| rows.iter_mut().for_each(|(row, _)| row.fold()));
                }
                if let Some((row, stretches)) = rows.get_mut(row) {
                    columns.add(row, from_ns, at_ns);
                    stretches.push((from_ns, at_ns));
                }
            }
            for (row, stretches) in &rows {
                prop_assert_eq!(row.columns(), expected(stretches, &columns));
            }
        }
    }
}
