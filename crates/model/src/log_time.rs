// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time that a log puts before each line.

/// What follows `2024-05-01 10:00:00.123 `, `[Wed May  1 10:00:00 2024] `, `kern  :warn  : `, or the kernel's `4,1234,123401199,-;`.
pub fn after_log_time(row: &str) -> Option<&str> {
    let is_time = |text: &str| text.matches(':').count() >= 2 && text.bytes().any(|byte| byte.is_ascii_digit());
    if let Some((time, rest)) = row.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let is_plain = time.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" :.,+-".contains(&byte));
        return (is_plain && is_time(time)).then(|| rest.trim_ascii_start());
    }
    if let Some((record, rest)) = row.split_once(",-;").or_else(|| row.split_once(",c;")) {
        return record.bytes().all(|byte| byte.is_ascii_digit() || byte == b',').then(|| rest.trim_ascii_start());
    }
    let of_kern = || row.strip_prefix("kern")?.trim_ascii_start().strip_prefix(':')?.split_once(':');
    if let Some((level, rest)) = of_kern() {
        return level.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ').then(|| rest.trim_ascii_start());
    }
    let (first, rest) = row.split_once(' ')?;
    let of_time = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b":.,+-TZ".contains(&byte));
    let is_date = first.len() == 10 && first.matches('-').count() == 2;
    (of_time(first) && (is_time(first) || is_date)).then(|| rest.trim_ascii_start())
}
