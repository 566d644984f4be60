// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an application itself counts as late: log lines, or a number printed by a program.
use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnCount {
    /// Parts of log lines, each of which reports a late response.
    #[serde(default)]
    pub lines: Vec<String>,
    #[serde(default)]
    pub counter: String,
    /// Command line of that program, which prints the count in a table.
    #[serde(default)]
    pub words: Vec<String>,
    #[serde(default)]
    pub column: String,
    /// Environment variables of the application that the program needs to find it.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The user whose applications root may query with the program. backwall runs the program as that user.
    #[serde(skip)]
    pub asked_for: AskedFor,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskedFor {
    #[default]
    Everybody,
    User(u32),
    Nobody,
}

impl AskedFor {
    pub fn has(self, user: u32) -> bool {
        match self {
            Self::Everybody => true,
            Self::User(one) => one == user,
            Self::Nobody => false,
        }
    }
}

impl OwnCount {
    pub fn is_known(&self) -> bool {
        !self.lines.is_empty() || !self.counter.is_empty()
    }

    /// Whether a recipe names the program without the column, or the column without the program.
    pub(crate) fn is_half_said(&self) -> bool {
        self.counter.is_empty() != self.column.is_empty()
    }

    pub fn tells(&self, line: &str) -> bool {
        self.lines.iter().any(|part| line.contains(part.as_str()))
    }

    /// The printed count: the sum of the column in the last table. `None` without such a table.
    pub fn counted(&self, text: &str) -> Option<u64> {
        let head = |line: &str| line.split_whitespace().position(|word| word == self.column);
        let mut found: Option<(usize, u64)> = None;
        for line in plain(text).lines() {
            if let Some(place) = head(line) {
                found = Some((place, 0));
            } else if let Some((place, sum)) = &mut found {
                let count = line.split_whitespace().nth(*place).and_then(|word| word.parse::<u64>().ok());
                *sum = sum.saturating_add(count.unwrap_or(0));
            }
        }
        found.map(|(_, sum)| sum)
    }
}

/// Terminal output as lines: a cursor move to another row ends a line, other moves become a space.
fn plain(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let Some(rest) = part.strip_prefix('[') else {
            // An escape that selects a character set is followed by two characters; any other escape is followed by one.
            let length = if part.starts_with(['(', ')']) { 2 } else { 1 };
            plain.extend(part.chars().skip(length));
            continue;
        };
        let end = rest.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(rest.len());
        plain.push(match &rest[end..rest.len().min(end + 1)] {
            "H" | "d" | "J" => '\n',
            _ => ' ',
        });
        plain.push_str(rest.get(end + 1..).unwrap_or_default());
    }
    plain.replace('\r', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own() -> OwnCount {
        OwnCount { lines: vec!["XRun".to_string()], column: "ERR".to_string(), ..OwnCount::default() }
    }

    #[test]
    fn the_last_table_of_a_counter_counts() {
        let table = |a: u64, b: u64| {
            format!(
                "S   ID  QUANT   RATE    WAIT    BUSY   W/Q   B/Q  ERR FORMAT           NAME\n\
                 R   28   1024  48000   0.1us   0.0us  0.00  0.00   {a} S16LE 2 48000 Dummy-Driver\n\
                 R   31      0      0   0.1us   0.0us  0.00  0.00   {b}                  + a 7 client\n"
            )
        };
        assert_eq!(own().counted(&(table(1, 2) + &table(3, 4))), Some(7));
        let terminal = "\x1b[?1049h\x1b[H\x1b[2J\x1b[(B\x1b[0;7mS   ID  QUANT   RATE    WAIT    BUSY   W/Q   B/Q  ERR FORMAT  NAME  \x1b[2;1H\
                        \x1b(B\x1b[mR   27\x1b[13G0\x1b[20G0    ---     ---   ---   ---     5\x1b[2;72HDummy-Dri\x1b[3;1HS   28\x1b[13G0\x1b[20G0    \
                        ---     ---   ---   ---     2\r\x1b[5d";
        assert_eq!(own().counted(terminal), Some(7));
        assert_eq!(own().counted("no connection\n"), None);
        assert_eq!(own().counted(""), None);
        assert_eq!(own().counted("ERR\n18446744073709551615\n1\nx\n\n"), Some(u64::MAX));
    }

    #[test]
    fn a_line_tells_by_a_part_of_it() {
        assert!(own().tells("JackTimedDriver::Process XRun = 6600 usec") && !own().tells("xrun"));
        assert!(!OwnCount::default().tells("") && !OwnCount::default().is_known());
    }

    proptest! {
        #[test]
        fn whatever_a_program_prints_is_a_count_or_none(text in "(ERR|[0-9]{1,25}|[a-z \n]|\\x1b[\\[(]?[0-9;]{0,3}[Hm]?|\u{e9}){0,40}") {
            let _ = own().counted(&text);
        }
    }
}
