// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps the largest values of a stream of any length. Each value has a unique key.
use std::collections::BTreeMap;

/// The `MOST` values with the largest keys.
#[derive(Clone, Debug)]
pub struct Largest<const MOST: usize, K, V> {
    kept: BTreeMap<K, V>,
    /// Once `MOST` values are kept: the smallest of their keys. Only larger keys are admitted then.
    floor: Option<K>,
}

impl<const MOST: usize, K, V> Default for Largest<MOST, K, V> {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), floor: None }
    }
}

impl<const MOST: usize, K: Ord + Copy, V> Largest<MOST, K, V> {
    /// Whether a value with this key would be kept; for nearly all values it would not.
    #[inline]
    pub fn admits(&self, key: &K) -> bool {
        self.floor.is_none_or(|floor| *key > floor)
    }

    /// Adds a value; drops the one with the smallest key if there are too many.
    pub fn push(&mut self, key: K, value: V) {
        self.kept.insert(key, value);
        if self.kept.len() > MOST {
            self.kept.pop_first();
        }
        self.set_floor();
    }

    /// Removes the value with this key, and returns it.
    pub fn take(&mut self, key: &K) -> Option<V> {
        let taken = self.kept.remove(key);
        self.set_floor();
        taken
    }

    fn set_floor(&mut self) {
        self.floor = if self.kept.len() < MOST { None } else { self.least().copied() };
    }

    /// The key that a new value must exceed; `None` while there is room.
    pub fn floor(&self) -> Option<&K> {
        self.floor.as_ref()
    }

    /// The smallest key of the kept values.
    pub fn least(&self) -> Option<&K> {
        self.kept.first_key_value().map(|(least, _)| least)
    }

    /// The kept values, largest first.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.kept.values().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stay_and_what_is_taken_out_makes_room() {
        let mut largest: Largest<3, u32, u32> = Largest::default();
        for key in [5, 1, 9, 3, 7] {
            assert_eq!(largest.admits(&key), key != 1 || largest.kept.len() < 3);
            largest.push(key, key * 10);
        }
        assert_eq!(largest.values().copied().collect::<Vec<_>>(), [90, 70, 50]);
        assert!(!largest.admits(&5) && largest.admits(&6));
        assert_eq!((largest.take(&9), largest.take(&9), largest.least()), (Some(90), None, Some(&5)));
        assert!(largest.admits(&1));
    }
}
