// SPDX-License-Identifier: MIT OR Apache-2.0
//! What another program complained of.

/// The last line that says anything: programs name there what ended them. `None`: it said nothing.
pub fn last_line(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_says_nothing() {
        assert_eq!(last_line(b"first\n fatal: no such tree \n\n  \n").as_deref(), Some("fatal: no such tree"));
        assert_eq!(last_line(b"broken \xff text").as_deref(), Some("broken \u{fffd} text"));
        assert_eq!(last_line(b""), None);
        assert_eq!(last_line(b"\n \n"), None);
    }
}
