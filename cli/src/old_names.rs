// SPDX-License-Identifier: MIT OR Apache-2.0
//! Old and new names of commands of earlier versions.
use crate::exit::usage;
use std::ffi::OsString;

/// The words after `backwall`: old, new. If two entries match, the longer one comes first.
pub const OLD_NAMES: &[(&str, &str)] = &[
    ("run --attach", "watch"),
    ("iltiming", "bench iltiming"),
    ("osbench", "bench osbench"),
    ("interfere", "bench interfere"),
    ("tasks limit", "bench events"),
    ("tasks paper", "bench events --paper"),
    ("track record", "trace record"),
    ("track report", "trace report"),
    ("track export", "trace export"),
    ("track fetch", "trace snapshot"),
    ("track", "trace record"),
    ("campaign", "lab batch"),
    ("lab masked", "lab irqsoff"),
    ("fleet fetch", "fleet snapshot"),
    ("read", "import"),
    ("respond", "scope respond"),
    ("publish", "export bundle` or `backwall export site"),
    ("man", "generate man"),
    ("completions", "generate completions"),
];

/// Options under the names of other commands or versions, and their names here.
pub const OTHER_OPTIONS: &[(&str, &str)] = &[
    ("--for", "--duration"),
    ("--until", "--duration"),
    ("--time", "--duration"),
    ("--slice", "--duration"),
    ("--out", "--output"),
    ("--file", "--output"),
    ("--to", "--output"),
    ("--interval", "--period"),
    ("--prio", "--priority"),
    ("--affinity", "--cpu"),
];

pub fn refusal(words: &[OsString]) -> Option<anyhow::Error> {
    let begins = |old: &str| {
        let old: Vec<&str> = old.split(' ').collect();
        words.len() >= old.len() && old.iter().zip(words).all(|(old, word)| word == old)
    };
    let (old, new) = OLD_NAMES.iter().find(|(old, _)| begins(old))?;
    Some(usage(format!("`backwall {old}` is now `backwall {new}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_name_is_answered_with_the_new_one() {
        let refused = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            refusal(&words).map(|error| error.to_string())
        };
        for (old, new) in OLD_NAMES {
            let line = format!("`backwall {old}` is now `backwall {new}`");
            assert_eq!(refused(&format!("{old} x --json")).as_deref(), Some(&*line));
            assert_eq!(refused(new), None);
        }
        assert_eq!(refused(""), None);
    }
}
