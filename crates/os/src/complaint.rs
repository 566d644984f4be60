// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last error line of another program, and why a program could not start.
use std::io;

/// The last line that is not empty, where programs usually say why they ended. `None` without output.
pub fn last_line(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_string)
}

/// Why a program or thread could not be started; if a limit was reached, which limit.
pub fn not_started(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            format!("{error}: raise the limit of processes (ulimit -u), or the PID limit of the container")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_was_reached_is_named() {
        assert!(not_started(&io::Error::from_raw_os_error(libc::EAGAIN)).contains("ulimit -u"));
        assert!(!not_started(&io::Error::from_raw_os_error(libc::ENOENT)).contains("ulimit"));
    }

    #[test]
    fn what_is_empty_says_nothing() {
        assert_eq!(last_line(b"first\n fatal: no such tree \n\n  \n").as_deref(), Some("fatal: no such tree"));
        assert_eq!(last_line(b"broken \xff text").as_deref(), Some("broken \u{fffd} text"));
        assert_eq!(last_line(b""), None);
        assert_eq!(last_line(b"\n \n"), None);
    }
}
