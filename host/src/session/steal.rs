// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that a hypervisor took, from `/proc/stat`.

/// Ticks (10 ms) of steal since boot over all processors; `None` where the kernel does not say.
pub fn ticks() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// The eighth number of the row `cpu`.
fn parse(stat: &str) -> Option<u64> {
    stat.lines().find(|row| row.starts_with("cpu "))?.split_whitespace().nth(8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_number_of_the_first_row() {
        assert_eq!(parse("cpu  1 2 3 4 5 6 7 42 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"), Some(42));
        assert_eq!(parse("cpu  1 2 3 4\n"), None);
        assert_eq!(parse(""), None);
    }
}
