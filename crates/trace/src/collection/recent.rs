// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps the last values of a stream, numbered from 0. Older ones are dropped.
use std::ops::Range;

pub(crate) const KEPT: usize = 8_192;

/// The last [`KEPT`] values of a stream, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Recent<T> {
    values: Box<[T; KEPT]>,
    first: u64,
    next: u64,
}

impl<T: Copy + Default> Default for Recent<T> {
    fn default() -> Self {
        let values = vec![T::default(); KEPT].into_boxed_slice().try_into();
        Self {
            values: values.unwrap_or_else(|_| unreachable!("the vector has exactly KEPT elements")),
            first: 0,
            next: 0,
        }
    }
}

impl<T: Copy> Recent<T> {
    #[inline(always)]
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first.max(self.next.saturating_sub(KEPT as u64))..self.next
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        self.values[place(self.next)] = value;
        self.next += 1;
    }

    /// Removes and returns the last value. The older value that was dropped for it does not come back.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let last = self.last().copied()?;
        self.first = self.numbers().start;
        self.next -= 1;
        Some(last)
    }

    #[inline(always)]
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.numbers().contains(&number).then(|| &self.values[place(number)])
    }

    #[inline(always)]
    pub(crate) fn last(&self) -> Option<&T> {
        (self.next > self.first).then(|| &self.values[place(self.next - 1)])
    }

    #[inline(always)]
    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        (self.next > self.first).then(|| &mut self.values[place(self.next - 1)])
    }

    pub(crate) fn forget(&mut self) {
        self.first = self.next;
    }

    /// The values from the first one that is not `before`. All values that are `before` must come earlier.
    pub(crate) fn since_first_not(&self, before: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        (self.first_not(before)..self.next).map(|number| &self.values[place(number)])
    }

    /// Number of the first value that is not `before`.
    pub(crate) fn first_not(&self, before: impl Fn(&T) -> bool) -> u64 {
        let Range { mut start, end } = self.numbers();
        let mut searched = end;
        while start < searched {
            let middle = start + (searched - start) / 2;
            if before(&self.values[place(middle)]) { start = middle + 1 } else { searched = middle }
        }
        start
    }
}

#[inline(always)]
fn place(number: u64) -> usize {
    number as usize % KEPT
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn it_keeps_what_a_queue_with_an_end_keeps(
            steps in proptest::collection::vec((0usize..5_000, proptest::bool::weighted(0.2)), 1..6),
            asked in 0u64..30_000,
        ) {
            let (mut recent, mut queue) = (Recent::default(), VecDeque::new());
            let mut pushed = 0;
            for (values, forget) in steps {
                for _ in 0..values {
                    recent.push(pushed);
                    queue.push_back(pushed);
                    pushed += 1;
                    if queue.len() > KEPT {
                        queue.pop_front();
                    }
                }
                if forget {
                    recent.forget();
                    queue.clear();
                }
                prop_assert_eq!(recent.last(), queue.back());
                prop_assert_eq!(recent.get(asked).copied(), queue.contains(&asked).then_some(asked));
                let from: Vec<u64> = recent.since_first_not(|value| *value < asked).copied().collect();
                prop_assert_eq!(from, queue.iter().copied().filter(|value| *value >= asked).collect::<Vec<_>>());
            }
        }
    }
}
