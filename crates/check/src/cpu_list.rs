// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's lists of processors: `0-2,5`.
use units::ranges::listed;

/// No Linux has more processors.
const MOST: u32 = 8192;

/// Whether a list names a processor; an empty or unreadable list names none.
pub(super) fn contains(list: &str, cpu: u32) -> bool {
    list.trim().split(',').any(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            (Ok(first), Ok(last)) => (first..=last).contains(&cpu),
            _ => false,
        }
    })
}

/// Another processor of the list than `cpu`, where there is one.
pub(super) fn other(list: &str, cpu: u32) -> Option<u32> {
    (0..MOST).find(|candidate| *candidate != cpu && contains(list, *candidate))
}

/// The processors of the list but for one, as a list.
pub(super) fn without(list: &str, cpu: u32) -> String {
    let others = (0..MOST).filter(|candidate| *candidate != cpu && contains(list, *candidate));
    listed(others)
}

/// The first processor of the list.
pub(super) fn first(list: &str) -> Option<u32> {
    (0..MOST).find(|cpu| contains(list, *cpu))
}

/// The last processor of the list.
pub(super) fn last(list: &str) -> Option<u32> {
    (0..MOST).rev().find(|cpu| contains(list, *cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_ranges_and_single_numbers() {
        for (list, cpu, expected) in [
            ("0-2,5", 1, true),
            ("0-2,5", 5, true),
            ("0-2,5", 4, false),
            ("", 0, false),
            ("(null)", 0, false),
            ("3-1", 2, false),
        ] {
            assert_eq!(contains(list, cpu), expected, "{list} {cpu}");
        }
        assert_eq!((without("0-3,5", 2).as_str(), without("1", 1).as_str()), ("0-1,3,5", ""));
        assert_eq!((last("0-3,5"), last("")), (Some(5), None));
        assert_eq!((other("0-3", 0), other("0", 0), other("5", 0)), (Some(1), None, Some(5)));
    }
}
