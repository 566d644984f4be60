// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of the slices in a trial: without the setting, with it, with it, without it. So a drift over time affects both
//! sides alike.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Without,
    With,
}

/// Slices per side. With fewer slices, no difference can be significant when five metrics are compared at once.
pub const SLICES: usize = 6;

/// The sides of all slices in measured order: [`SLICES`] of each, A B B A.
pub fn order() -> Vec<Side> {
    let turn = [Side::Without, Side::With, Side::With, Side::Without];
    turn.into_iter().cycle().take(2 * SLICES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_as_many_slices_and_the_same_middle() {
        let order = order();
        let places = |side: Side| (0..order.len()).filter(|&at| order[at] == side).collect::<Vec<_>>();
        let (without, with) = (places(Side::Without), places(Side::With));
        assert_eq!((without.len(), with.len()), (SLICES, SLICES));
        assert_eq!(without.iter().sum::<usize>(), with.iter().sum::<usize>());
    }
}
