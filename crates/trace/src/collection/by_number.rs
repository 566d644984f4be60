// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data of each thread, found by the thread's number without a search.
use std::collections::HashMap;

// The kernel's largest thread number; a damaged recording may contain larger ones.
const NUMBER_MAX: usize = 4 << 20;
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct ByNumber<T> {
    near: Vec<u32>,
    far: HashMap<i32, u32>,
    all: Vec<T>,
    most: usize,
}

impl<T> ByNumber<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { near: Vec::new(), far: HashMap::new(), all: Vec::new(), most }
    }

    #[inline(always)]
    pub(crate) fn of(&mut self, id: i32, new: impl FnOnce() -> T) -> Option<&mut T> {
        let place = match self.near.get(id as u32 as usize) {
            Some(&place) if place != NONE => place as usize,
            _ => self.place_of(id, new)?,
        };
        self.all.get_mut(place)
    }

    pub(crate) fn get(&self, id: i32) -> Option<&T> {
        let near = self.near.get(id as u32 as usize).filter(|place| **place != NONE);
        self.all.get(*near.or_else(|| self.far.get(&id))? as usize)
    }

    #[cold]
    #[inline(never)]
    fn place_of(&mut self, id: i32, new: impl FnOnce() -> T) -> Option<usize> {
        if let Some(place) = self.far.get(&id) {
            return Some(*place as usize);
        }
        if self.all.len() == self.most {
            return None;
        }
        let place = self.all.len();
        self.all.push(new());
        let number = id as u32 as usize;
        if number < NUMBER_MAX {
            if self.near.len() <= number {
                self.near.resize(number + 1, NONE);
            }
            self.near[number] = place as u32;
        } else {
            self.far.insert(id, place as u32);
        }
        Some(place)
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }

    pub(crate) fn all_mut(&mut self) -> &mut [T] {
        &mut self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_value_of_its_own_until_there_are_too_many() {
        let mut all = ByNumber::new(3);
        for (id, value) in [(7, 'a'), (-2, 'b'), (i32::MAX, 'c')] {
            assert_eq!(all.of(id, || value), Some(&mut { value }));
        }
        assert!(all.of(8, || 'd').is_none());
        assert_eq!([-2, 7, i32::MAX].map(|id| *all.of(id, || 'x').unwrap()), ['b', 'a', 'c']);
    }
}
