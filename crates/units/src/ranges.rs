// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of processors as the kernel lists them: `0-2,5`.

/// A list of numbers that rise.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(listed([0, 1, 2, 5, 7, 8].into_iter()), "0-2,5,7-8");
        assert_eq!((listed([].into_iter()), listed([u32::MAX].into_iter())), (String::new(), u32::MAX.to_string()));
    }
}
