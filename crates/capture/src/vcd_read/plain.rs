// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the common parts of a dump, several times faster than word by word: `#TIME`, and `0` or `1` for a line with a one-byte
//! identifier. It stops before anything else and before possible errors, which [`Body::take`] then reads or reports.
use super::body::Body;
use super::tokens::is_blank;

/// Numbers of this many digits fit in 64 bits.
const SAFE_DIGITS: usize = 19;

impl Body {
    /// Reads complete simple words at the beginning of `bytes`. Returns the number of bytes read.
    pub(super) fn take_plain(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while self.is_between_changes() {
            let taken = match rest {
                [blank, ..] if is_blank(*blank) => Some(1),
                [value @ (b'0' | b'1'), identifier, blank, ..] if is_blank(*blank) && !is_blank(*identifier) => {
                    self.plain_level(*identifier, *value == b'1').then_some(3)
                }
                [b'#', text @ ..] => instant(text).filter(|found| self.plain_instant(found.0)).map(|(_, at)| at + 2),
                _ => None,
            };
            let Some(taken) = taken else { break };
            rest = &rest[taken..];
        }
        bytes.len() - rest.len()
    }
}

/// The number at the beginning, and how many digits it has; a blank must follow. `None` for anything else.
#[inline]
fn instant(text: &[u8]) -> Option<(u64, usize)> {
    let (mut number, mut digits) = (0u64, 0);
    while let Some((eight, _)) = text[digits..].split_first_chunk::<8>().filter(|_| digits <= SAFE_DIGITS - 8) {
        let Some(value) = eight_digits(*eight) else { break };
        number = number * 100_000_000 + value;
        digits += 8;
    }
    for byte in &text[digits..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (is_blank(*byte) && digits > 0).then_some((number, digits));
        }
        if digits == SAFE_DIGITS {
            return None;
        }
        number = number * 10 + u64::from(digit);
        digits += 1;
    }
    None
}

/// Converts eight digits at once: pairs, fours, then all, with one multiplication each (Lemire, "Quickly parsing eight digits",
/// 2018). `None` if one is not a digit.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(text);
    let digits = word.wrapping_sub(0x3030_3030_3030_3030);
    // A byte that is not a digit has a high bit set in one of these two words. Only such a byte can cause a borrow from its
    // neighbour.
    if (word.wrapping_add(0x4646_4646_4646_4646) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    Some((fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_instant_ends_at_a_blank_and_fits() {
        for (text, wanted) in [
            ("0 ", Some((0, 1))),
            ("12345678\n", Some((12_345_678, 8))),
            ("99999999999999999999 ", None),
            ("9999999999999999999 ", Some((9_999_999_999_999_999_999, 19))),
            ("123456789", None),
            ("1234567x ", None),
            (" ", None),
            ("", None),
        ] {
            assert_eq!(instant(text.as_bytes()), wanted, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn eight_bytes_are_a_number_when_all_are_digits(bytes in any::<[u8; 8]>(), number in 0u64..100_000_000) {
            let text = std::str::from_utf8(&bytes).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            prop_assert_eq!(eight_digits(bytes), text.and_then(|text| text.parse().ok()));
            let digits: [u8; 8] = format!("{number:08}").into_bytes().try_into().unwrap();
            prop_assert_eq!(eight_digits(digits), Some(number));
        }

        #[test]
        fn digits_and_all_around_them(bytes in prop::collection::vec(prop_oneof![Just(b' '), Just(b'/'), Just(b':'), b'0'..=b'9'], 8)) {
            let bytes: [u8; 8] = bytes.try_into().unwrap();
            prop_assert_eq!(eight_digits(bytes).is_some(), bytes.iter().all(u8::is_ascii_digit));
        }
    }
}
