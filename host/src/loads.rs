// SPDX-License-Identifier: MIT OR Apache-2.0
//! The background loads of a phase or a scenario: `NAME` or `NAME@PRIORITY`, several joined by `+`, or `none`.
//!
//! The text means the same for every device and is what every figure is captioned with. The names, and the
//! scale of a priority, are the device's; without a priority a load gets the device's usual one for background work.
use crate::run::NO_LOAD;

/// The highest number a priority can be on any guest.
const PRIORITY_MAX: u32 = 255;

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load<'a> {
    /// The guest's name for it.
    pub name: &'a str,
    /// On the guest's own scale; its usual one for background work if absent.
    pub priority: Option<u32>,
}

impl std::fmt::Display for Load<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.priority {
            Some(priority) => write!(f, "{}@{priority}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// The loads in `text`, in order; what is wrong with it, and what is wanted, in one line.
pub fn parse(text: &str) -> Result<Vec<Load<'_>>, String> {
    if text == NO_LOAD {
        return Ok(Vec::new());
    }
    let loads = text.split('+').map(parse_one).collect::<Result<Vec<_>, _>>()?;
    let twice = loads.iter().enumerate().find(|(at, load)| loads[..*at].contains(load));
    match twice {
        Some((_, load)) => Err(format!("load: {text:?}: {load} stands there twice; it runs once: name it once")),
        None => Ok(loads),
    }
}

fn parse_one(text: &str) -> Result<Load<'_>, String> {
    let (name, priority) = match text.split_once('@') {
        Some((name, priority)) => (name, Some(priority)),
        None => (text, None),
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name == NO_LOAD || !name.chars().all(plain) {
        return Err(format!("load: {text:?}: want NAME or NAME@PRIORITY, several joined by +, or none alone"));
    }
    let priority = priority.map(|text| parse_priority(name, text)).transpose()?;
    Ok(Load { name, priority })
}

fn parse_priority(name: &str, text: &str) -> Result<u32, String> {
    let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let fault = || format!("load: {name}@{text}: want a priority from 0 to {PRIORITY_MAX}");
    number.filter(|number| *number <= PRIORITY_MAX).ok_or_else(fault)
}

/// One word `load=NAME` or `load=NAME@PRIORITY` for each, as programs take them that know no other words of the bench.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    Ok(parse(text)?.iter().map(|load| format!("load={load}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_load_has_a_name_and_perhaps_a_priority() {
        assert_eq!(parse("polygons"), Ok(vec![Load { name: "polygons", priority: None }]));
        let two = [Load { name: "calls", priority: Some(7) }, Load { name: "polygons-memory", priority: None }];
        assert_eq!(parse("calls@7+polygons-memory"), Ok(two.to_vec()));
        assert_eq!(parse("none"), Ok(vec![]));
        assert_eq!(words("calls@7+spin").unwrap(), ["load=calls@7", "load=spin"]);
    }

    #[test]
    fn what_is_no_load_is_refused_with_what_is_wanted() {
        for text in ["", "+", "a+", "a b", "A", "none+a", "a@1@2", "@1", "a=1"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("a+b+a").unwrap_err().contains("a stands there twice"));
        assert!(parse("a+b+a@7").is_ok());
        for text in ["a@", "a@256", "a@-1", "a@+1", "a@99999999999"] {
            assert!(parse(text).unwrap_err().contains("want a priority from 0 to 255"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_refused_in_one_line_or_says_itself_again(text in "[a-z0-9@+ -]{0,20}|\\PC{0,20}") {
            match parse(&text) {
                Ok(loads) if text == NO_LOAD => prop_assert!(loads.is_empty()),
                Ok(loads) => {
                    let again = loads.iter().map(Load::to_string).collect::<Vec<_>>().join("+");
                    prop_assert_eq!(parse(&again), Ok(loads));
                }
                Err(fault) => prop_assert_eq!(fault.lines().count(), 1),
            }
        }
    }
}
