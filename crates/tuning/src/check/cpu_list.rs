// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CPUs in a kernel list: `0-2,5`.
pub(super) use backwall_model::units::ranges::names as contains;

use backwall_model::units::ranges::listed;

const MOST: u32 = 8192;

pub(super) fn other(list: &str, cpu: u32) -> Option<u32> {
    (0..MOST).find(|candidate| *candidate != cpu && contains(list, *candidate))
}

pub(super) fn without(list: &str, cpu: u32) -> String {
    let others = (0..MOST).filter(|candidate| *candidate != cpu && contains(list, *candidate));
    listed(others)
}

pub(super) fn first(list: &str) -> Option<u32> {
    (0..MOST).find(|cpu| contains(list, *cpu))
}

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
