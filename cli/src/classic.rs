// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of the 2002 tools: one dash, several letters, which the flags' parser cannot read.
//!
//! [`carry`] packs them into a hidden long option before parsing; [`Typed`] unpacks
//! them by the tool's table. So global options, help and errors stay in one place.
use crate::exit::usage;
use backwall_report::wrap::{COLUMNS, wrapped};
use std::ffi::{OsStr, OsString};

/// The hidden option that carries one word of a 2002 tool.
pub const CARRIER: &str = "--classic";

/// One option of a 2002 tool.
#[derive(Debug)]
pub struct Classic {
    /// As it is typed, such as `-ni`.
    pub name: &'static str,
    /// What its value is called; `None` when it takes none.
    pub value: Option<&'static str>,
    /// One line of help.
    pub help: &'static str,
}

/// Packs the words of a 2002 tool when `words` (program first) call one; `tools` names each with its options.
pub fn carry(words: Vec<OsString>, tools: &[(&str, &[Classic])]) -> Vec<OsString> {
    let named = |word: &OsString| tools.iter().find(|(name, _)| word.as_os_str() == *name);
    let Some(place) = words.iter().skip(1).position(|word| named(word).is_some()).map(|place| place + 1) else {
        return words;
    };
    let Some((_, table)) = named(&words[place]).filter(|_| only_options(&words[1..place])) else { return words };
    let mut packed = words[..=place].to_vec();
    let mut rest = words[place + 1..].iter();
    while let Some(word) = rest.next() {
        if !is_classic(word) {
            packed.push(word.clone());
            continue;
        }
        packed.push(pack(word));
        if table.iter().any(|option| word.as_os_str() == option.name && option.value.is_some()) {
            packed.extend(rest.next().map(|value| pack(value)));
        }
    }
    packed
}

/// Whether no command stands among `words`: each is an option, or may be the value of the one before.
fn only_options(words: &[OsString]) -> bool {
    let option = |word: &OsString| word.as_encoded_bytes().starts_with(b"--");
    words.iter().enumerate().all(|(place, word)| option(word) || (place > 0 && option(&words[place - 1])))
}

/// One dash and at least a letter; `-h` and `-q` belong to the flags' parser.
fn is_classic(word: &OsStr) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.len() > 1 && bytes[0] == b'-' && bytes[1] != b'-' && bytes != b"-h" && bytes != b"-q"
}

fn pack(word: &OsStr) -> OsString {
    let mut packed = OsString::from(format!("{CARRIER}="));
    packed.push(word);
    packed
}

/// The options that were chosen, each known to the tool's table.
#[derive(Debug)]
pub struct Typed<'a> {
    tool: &'static str,
    words: Vec<(&'static str, Option<&'a str>)>,
}

impl<'a> Typed<'a> {
    /// Unpacks the words; an unknown option or a missing value is one line.
    pub fn read(tool: &'static str, table: &'static [Classic], words: &'a [String]) -> anyhow::Result<Self> {
        let mut chosen = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let known = table.iter().find(|option| option.name == word);
            let option = known.ok_or_else(|| usage(format!("{tool} {word}: no such option; see {tool} -h")))?;
            let value = match option.value {
                None => None,
                Some(what) => {
                    let value = words.next().ok_or_else(|| usage(format!("{tool} {word}: its {what} is missing")));
                    Some(value?.as_str())
                }
            };
            chosen.push((option.name, value));
        }
        Ok(Self { tool, words: chosen })
    }

    /// Whether an option without a value was chosen.
    pub fn has(&self, name: &str) -> bool {
        self.words.iter().any(|(word, _)| *word == name)
    }

    /// The values of all such options, in the order typed.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.words.iter().filter(move |(word, _)| *word == name).filter_map(|(_, value)| *value)
    }

    /// The value of the last such option.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.words.iter().rev().find(|(word, _)| *word == name).and_then(|(_, value)| *value)
    }

    /// A whole number within `limits`, or `default` when the option was not chosen.
    pub fn number(&self, name: &str, default: u64, limits: (u64, u64)) -> anyhow::Result<u64> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let (least, most) = limits;
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            usage(format!("{} {name} {text}: a whole number from {least} to {most} is needed", self.tool))
        })
    }
}

/// The table as help, with examples below it.
pub fn help(table: &[Classic], examples: &str) -> String {
    const BESIDE: usize = 14;
    let row = |option: &Classic| {
        let typed = format!("{} {}", option.name, option.value.unwrap_or(""));
        let lines = wrapped(option.help, COLUMNS - BESIDE);
        let said: Vec<&str> = lines.lines().map(str::trim_start).collect();
        format!("  {typed:<10}  {}\n", said.join(&format!("\n{:BESIDE$}", "")))
    };
    format!("Options of the 2002 tool:\n{}\n{examples}", table.iter().map(row).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Classic; 2] = [
        Classic { name: "-p", value: Some("num"), help: "priority" },
        Classic { name: "-all", value: None, help: "all" },
    ];

    fn carried(line: &str) -> Vec<String> {
        let words = line.split(' ').map(OsString::from).collect();
        let packed = carry(words, &[("iltiming", &TABLE)]);
        packed.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn words_with_one_dash_are_packed_with_their_values_and_others_stay() {
        let packed = carried("backwall iltiming -p -5 --out x -all -zz -q -h");
        let expected = "backwall iltiming --classic=-p --classic=-5 --out x --classic=-all --classic=-zz -q -h";
        assert_eq!(packed.join(" "), expected);
        for other in ["backwall run -p 5", "backwall report iltiming -p", "backwall --out x y iltiming -p"] {
            assert_eq!(carried(other).join(" "), other);
        }
        let global = carried("backwall --json --out x iltiming -p 5").join(" ");
        assert_eq!(global, "backwall --json --out x iltiming --classic=-p --classic=5");
    }

    #[test]
    fn unknown_options_missing_values_and_bad_numbers_are_one_line() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            Typed::read("iltiming", &TABLE, &words).and_then(|chosen| chosen.number("-p", 3, (0, 255)))
        };
        assert_eq!(read(&["-zz"]).unwrap_err().to_string(), "iltiming -zz: no such option; see iltiming -h");
        assert_eq!(read(&["-p"]).unwrap_err().to_string(), "iltiming -p: its num is missing");
        let refused = read(&["-p", "-5"]).unwrap_err().to_string();
        assert_eq!(refused, "iltiming -p -5: a whole number from 0 to 255 is needed");
        assert_eq!((read(&["-p", "7", "-p", "9"]).unwrap(), read(&["-all"]).unwrap()), (9, 3));
    }
}
