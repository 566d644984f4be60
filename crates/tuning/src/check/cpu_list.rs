// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which processors the kernel's lists have: `0-2,5`.
pub(super) use backwall_model::units::ranges::names as contains;

use backwall_model::units::ranges::listed;

/// No Linux has more processors.
const MOST: u32 = 8192;

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
    fn processors_beside_one_are_found() {
        assert_eq!((without("0-3,5", 2).as_str(), without("1", 1).as_str()), ("0-1,3,5", ""));
        assert_eq!((last("0-3,5"), last("")), (Some(5), None));
        assert_eq!((other("0-3", 0), other("0", 0), other("5", 0)), (Some(1), None, Some(5)));
    }
}
