// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts microseconds with decimals to whole nanoseconds, without floating point.

/// Nanoseconds from text such as `25.510` or `-0.4`; `None` if it is not a number, or exceeds a hundred days.
pub(super) fn microseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 13 || fraction.len() > 9 || !plain(whole) || !plain(fraction) {
        return None;
    }
    let thousandths: i64 = format!("{fraction:0<3}")[..3].parse().ok()?;
    let nanoseconds = whole.parse::<i64>().ok()? * 1_000 + thousandths;
    Some(if negative { -nanoseconds } else { nanoseconds })
}

#[test]
fn microseconds_are_exact_and_hostile_ones_none() {
    let some = [("25.510", 25_510), ("0.205", 205), ("-1.5", -1_500), (" 7", 7_000), ("374.0757", 374_075)];
    some.into_iter().for_each(|(text, wanted)| assert_eq!(microseconds(text), Some(wanted), "{text}"));
    for text in ["", ".", "-", "nan", "1e9", "1.2.3", "99999999999999", "+1", "1,5"] {
        assert_eq!(microseconds(text), None, "{text}");
    }
}
