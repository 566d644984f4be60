// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the lines of the tables that bcc and bpftrace print.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
}

impl Unit {
    pub(super) fn ns(self) -> u64 {
        match self {
            Self::Nanoseconds => 1,
            Self::Microseconds => 1_000,
            Self::Milliseconds => 1_000_000,
            Self::Seconds => 1_000_000_000,
        }
    }

    /// The tools round down. Like their users, backwall reads n us as n; but n ms may be almost n + 1 ms.
    pub(super) fn rounding_ns(self) -> u64 {
        if self.ns() > 1_000 { self.ns() } else { 1 }
    }

    fn of(name: &str) -> Option<Self> {
        // `usecs`, `@wake_ns`, or `query latency (ms)`.
        let name = name.strip_suffix(')').unwrap_or(name);
        let word = name.rsplit(['_', '.', '(']).next().unwrap_or(name).to_ascii_lowercase();
        match word.as_str() {
            "nsecs" | "ns" | "nsec" | "nanoseconds" => Some(Self::Nanoseconds),
            "usecs" | "us" | "usec" | "microseconds" => Some(Self::Microseconds),
            "msecs" | "ms" | "msec" | "milliseconds" => Some(Self::Milliseconds),
            "secs" | "s" | "sec" | "seconds" => Some(Self::Seconds),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    /// `usecs : count distribution`.
    Bcc(Unit),
    /// `@usecs[sshd]:`.
    Map { unit: Unit, name: String, key: Option<String> },
}

pub(super) fn heading(line: &str) -> Option<Result<Heading, String>> {
    if let Some((name, rest)) = line.split_once(':').filter(|(_, rest)| rest.trim_start().starts_with("count")) {
        rest.contains("distribution").then_some(())?;
        let unit = Unit::of(name.trim());
        return Some(
            unit.map(Heading::Bcc).ok_or_else(|| format!("a histogram of {}, which is not a time", name.trim())),
        );
    }
    let map = line.strip_prefix('@')?.trim_end().strip_suffix(':')?;
    let (name, key) = match map.split_once('[') {
        Some((name, key)) => (name, Some(key.strip_suffix(']')?.chars().take(64).collect())),
        None => (map, None),
    };
    let unit = Unit::of(name);
    let name_of = || name.to_string();
    Some(unit.map(|unit| Heading::Map { unit, name: name_of(), key }).ok_or_else(|| {
        format!("the map @{name} has no unit; name it @usecs or @nsecs in the script, or edit the file")
    }))
}

/// A class with inclusive bounds; `None` for an open one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) low: Option<u64>,
    pub(super) high: Option<u64>,
    pub(super) count: u64,
    // Length of the bar, and of the longest one possible.
    pub(super) bar: (usize, usize),
}

const FAULT: &str = "expected a histogram row: bounds, a count, and a bar between two |";

pub(super) fn row(line: &str) -> Option<Result<Row, String>> {
    let fault = || FAULT.to_string();
    if line.starts_with('[') || line.starts_with("(...") {
        let end = line.find([']', ')'])?;
        let rest = line.get(end + 1..)?.trim_start();
        rest.starts_with(|letter: char| letter.is_ascii_digit()).then_some(())?;
        return Some(bpftrace(&line[..=end], rest).ok_or_else(fault));
    }
    let (bounds, rest) = line.split_once(':')?;
    let figures = |text: &str| {
        text.split("->").all(|part| !part.trim().is_empty() && part.trim().bytes().all(|byte| byte.is_ascii_digit()))
    };
    (figures(bounds) && (bounds.contains("->") || rest.contains('|'))).then_some(())?;
    Some(bcc(bounds, rest).ok_or_else(fault))
}

/// `256 -> 511`, or a value alone; then `3 |***   |`.
fn bcc(bounds: &str, rest: &str) -> Option<Row> {
    let (low, high) = bounds.split_once("->").unwrap_or((bounds, bounds));
    let (count, bar) = count(rest)?;
    Some(Row { low: Some(low.trim().parse().ok()?), high: Some(high.trim().parse().ok()?), count, bar })
}

fn count(rest: &str) -> Option<(u64, (usize, usize))> {
    let (count, bar) = rest.split_once('|')?;
    let bar = bar.strip_suffix('|')?;
    Some((count.trim().parse().ok()?, (bar.trim_end().len(), bar.len())))
}

/// `[1K, 2K)`, `[7]`, `(..., 0)`, `[100, ...)`.
fn bpftrace(bounds: &str, rest: &str) -> Option<Row> {
    let (count, bar) = count(rest)?;
    let inner = bounds.get(1..bounds.len() - 1)?;
    let Some((low, next)) = inner.split_once(',') else {
        let value = scaled(inner)?;
        return Some(Row { low: Some(value), high: Some(value), count, bar });
    };
    let (low, next) = (low.trim(), next.trim());
    let below = low == "..." || low.starts_with('-');
    let high = if next == "..." { None } else { Some(scaled(next.trim_start_matches('-'))?) };
    let high =
        if below { Some(0) } else { high.map(|next| next.checked_sub(1)).map_or(Some(None), |high| high.map(Some))? };
    Some(Row { low: if below { None } else { Some(scaled(low)?) }, high, count, bar })
}

/// `512`, `1K`, `4M`: powers of 1,024.
fn scaled(text: &str) -> Option<u64> {
    const LETTERS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let text = text.trim();
    let found = LETTERS.iter().find_map(|(letter, shift)| Some((text.strip_suffix(*letter)?, *shift)));
    let (digits, shift) = found.unwrap_or((text, 0));
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_tools_are_read_and_others_passed_over() {
        let of = |low: u64, high: u64, count, bar| Some(Ok(Row { low: Some(low), high: Some(high), count, bar }));
        assert_eq!(row("256 -> 511        : 3        |*   |"), of(256, 511, 3, (1, 4)));
        assert_eq!(row("7                 : 3        |*   |"), of(7, 7, 3, (1, 4)));
        assert_eq!(row("[1K, 2K)             47 |@@@ |"), of(1_024, 2_047, 47, (3, 4)));
        assert_eq!(row("[1]                  47 |@@@ |"), of(1, 1, 47, (3, 4)));
        assert_eq!(
            row("[100, ...)           2 |@ |"),
            Some(Ok(Row { low: Some(100), high: None, count: 2, bar: (1, 2) }))
        );
        assert_eq!(
            row("(..., 0)             2 |@ |"),
            Some(Ok(Row { low: None, high: Some(0), count: 2, bar: (1, 2) }))
        );
        assert!(row("256 -> 511        : 3").unwrap().is_err(), "cut");
        assert!(row("[4, 8)  -1 |@|").is_none() && row("06:19:01:").is_none() && row("pid = 4: x").is_none());
    }

    #[test]
    fn a_table_says_its_unit_or_is_refused() {
        assert_eq!(heading("usecs               : count     distribution"), Some(Ok(Heading::Bcc(Unit::Microseconds))));
        assert!(heading("kbytes              : count     distribution").unwrap().unwrap_err().contains("not a time"));
        let map = Heading::Map { unit: Unit::Nanoseconds, name: "wake_ns".to_string(), key: Some("a, 1".to_string()) };
        assert_eq!(heading("@wake_ns[a, 1]:"), Some(Ok(map)));
        assert!(heading("@:").unwrap().unwrap_err().contains("@usecs"));
        assert_eq!(heading("Attaching 5 probes..."), None);
    }
}
