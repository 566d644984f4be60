// SPDX-License-Identifier: MIT OR Apache-2.0
//! CPU lists as the kernel writes them: `0-2,5`.
use std::ops::RangeInclusive;

/// Formats ascending numbers as a list.
pub fn listed(numbers: impl Iterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.into_iter().map(shown).collect::<Vec<_>>().join(",")
}

/// The ranges of a list, in order. Invalid ones are skipped.
pub fn ranges(list: &str) -> impl Iterator<Item = RangeInclusive<u32>> {
    list.split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    })
}

/// Whether a list contains a number. An empty or unreadable list contains none.
pub fn names(list: &str, number: u32) -> bool {
    ranges(list).any(|range| range.contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_the_numbers_of_its_ranges() {
        for (list, number, expected) in [
            ("0-2,5", 1, true),
            ("0-2,5", 5, true),
            ("0-2,5", 4, false),
            (" 0-2 , 5\n", 5, true),
            ("", 0, false),
            ("(null)", 0, false),
            ("3-1", 2, false),
            ("0-4294967295", u32::MAX, true),
        ] {
            assert_eq!(names(list, number), expected, "{list} {number}");
        }
        assert_eq!(ranges("5,x,0-2").collect::<Vec<_>>(), [5..=5, 0..=2]);
    }

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(listed([0, 1, 2, 5, 7, 8].into_iter()), "0-2,5,7-8");
        assert_eq!((listed([].into_iter()), listed([u32::MAX].into_iter())), (String::new(), u32::MAX.to_string()));
    }
}
