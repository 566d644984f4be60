// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sieve of Eratosthenes. After a fixed number of primes it prints a message, which usually overwrites the previous message.
use std::io::{Result, Write};

pub const LIMIT: usize = 28_000_000;
/// Primes between two messages, as in the post.
pub const MESSAGE_EVERY: u64 = 2_000;
/// Messages before a newline; until then each message overwrites the one before it on the same line.
const LINE_EVERY: u64 = 100;

pub fn sieve(limit: usize, every: u64, out: &mut dyn Write) -> Result<u64> {
    let mut composite = vec![false; limit + 1];
    let mut found = 0;
    for number in 2..=limit {
        if composite[number] {
            continue;
        }
        found += 1;
        if found % every == 0 {
            out.write_all(message(found, number, found / every).as_bytes())?;
            out.flush()?;
        }
        if let Some(square) = number.checked_mul(number).filter(|square| *square <= limit) {
            (square..=limit).step_by(number).for_each(|multiple| composite[multiple] = true);
        }
    }
    Ok(found)
}

/// About 23 characters, because the post counts 20 KB for 876 messages.
fn message(found: u64, number: usize, count: u64) -> String {
    let end = if count % LINE_EVERY == 0 { '\n' } else { '\r' };
    format!("{found:>9} up to {number:>8}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primes_are_as_many_as_is_known() {
        for (limit, primes) in [(10, 4), (100, 25), (1_000, 168), (100_000, 9_592), (1_000_000, 78_498)] {
            assert_eq!(sieve(limit, MESSAGE_EVERY, &mut std::io::sink()).unwrap(), primes);
        }
    }

    #[test]
    fn messages_are_as_many_as_was_asked() {
        let mut text = Vec::new();
        let primes = sieve(100_000, 10, &mut text).unwrap();
        assert_eq!(text.len() as u64, primes / 10 * 25);
    }

    #[test]
    fn a_message_comes_each_two_thousand_primes_and_most_overwrite_their_line() {
        let mut text = Vec::new();
        let primes = sieve(5_000_000, MESSAGE_EVERY, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (over, lines) = (text.matches('\r').count() as u64, text.matches('\n').count() as u64);
        assert_eq!((over + lines, lines), (primes / 2_000, 1));
        assert!(text.len() as u64 / (primes / 2_000) == 25, "{}", text.len());
    }
}
