// SPDX-License-Identifier: MIT OR Apache-2.0
//! The background loads of a phase or a scenario: `NAME`, `NAME@PRIORITY`, or several copies as `NAME*COPIES@FROM-TO`; several
//! joined by `+`, or `none`.
//!
//! The text has the same meaning on every device, and captions show it. The device defines the names and the scale of priorities.
//! A load without a priority gets the device's default for background work.
pub mod load;
pub mod own_load;
pub mod pace;
pub mod placing;

use crate::device::processors::number;
use backwall_model::NO_LOAD;

const PRIORITY_MAX: u32 = 255;
/// Maximum number of copies of a load on one CPU: the probe's limit of threads.
const COPIES_MAX: u32 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load<'a> {
    pub name: &'a str,
    /// Number of copies that run at once, at least 1.
    pub copies: u32,
    /// Priorities from the first copy to the last, on the device's own scale; `None`: the device's default for background work.
    pub priorities: Option<(u32, u32)>,
}

impl Load<'_> {
    fn is_plain(&self) -> bool {
        self.copies == 1 && self.priorities.is_none_or(|(from, to)| from == to)
    }
}

impl std::fmt::Display for Load<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        if self.copies > 1 {
            write!(f, "*{}", self.copies)?;
        }
        match self.priorities {
            Some((from, to)) if from == to => write!(f, "@{from}"),
            Some((from, to)) => write!(f, "@{from}-{to}"),
            None => Ok(()),
        }
    }
}

/// Parses the loads in `text`, in order. An error is one line that says what is wrong and what was expected.
pub fn parse(text: &str) -> Result<Vec<Load<'_>>, String> {
    if text == NO_LOAD {
        return Ok(Vec::new());
    }
    let loads = text.split('+').map(parse_one).collect::<Result<Vec<_>, _>>()?;
    let twice = loads.iter().enumerate().find(|(at, load)| loads[..*at].contains(load));
    match twice {
        Some((_, load)) => Err(format!("load: {text:?}: duplicate {load}; name it once")),
        None => Ok(loads),
    }
}

pub fn parse_plain(text: &str) -> Result<Vec<Load<'_>>, String> {
    let loads = parse(text)?;
    match loads.iter().find(|load| !load.is_plain()) {
        Some(load) => {
            Err(format!("load: {load}: only a run on this machine can start several copies; name the load once"))
        }
        None => Ok(loads),
    }
}

fn parse_one(text: &str) -> Result<Load<'_>, String> {
    let (left, priorities) = halves(text, '@');
    let (name, copies) = halves(left, '*');
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name == NO_LOAD || !name.chars().all(plain) {
        return Err(format!("load: {text:?}: expected NAME or NAME@PRIORITY, several joined by +, or 'none' alone"));
    }
    let copies = copies.map_or(Ok(1), |text| parse_copies(name, text))?;
    let priorities = priorities.map(|text| parse_priorities(name, text)).transpose()?;
    if copies == 1 && priorities.is_some_and(|(from, to)| from < to) {
        return Err(format!("load: {text}: a range of priorities needs several copies, as in {name}*200@20-60"));
    }
    Ok(Load { name, copies, priorities })
}

fn halves(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(left, right)| (left, Some(right)))
}

fn parse_copies(name: &str, text: &str) -> Result<u32, String> {
    let fault = || format!("load: {name}*{text}: expected 1 to {COPIES_MAX} copies");
    number(text).filter(|copies| (1..=COPIES_MAX).contains(copies)).ok_or_else(fault)
}

fn parse_priorities(name: &str, text: &str) -> Result<(u32, u32), String> {
    let (from, to) = halves(text, '-');
    let range = number(from).zip(number(to.unwrap_or(from)));
    let fault = || format!("load: {name}@{text}: priority must be 0 to {PRIORITY_MAX}");
    range.filter(|(from, to)| from <= to && *to <= PRIORITY_MAX).ok_or_else(fault)
}

/// One argument `load=NAME` or `load=NAME@PRIORITY` per load, for guest programs.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    Ok(parse_plain(text)?.iter().map(|load| format!("load={load}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_load_has_a_name_and_perhaps_a_priority() {
        let load = |name, priorities| Load { name, copies: 1, priorities };
        assert_eq!(parse("polygons"), Ok(vec![load("polygons", None)]));
        let two = [load("calls", Some((7, 7))), load("polygons-memory", None)];
        assert_eq!(parse("calls@7+polygons-memory"), Ok(two.to_vec()));
        assert_eq!(parse("none"), Ok(vec![]));
        assert_eq!(words("calls@7+spin").unwrap(), ["load=calls@7", "load=spin"]);
    }

    #[test]
    fn a_load_may_have_copies_of_several_priorities_but_not_in_a_guest() {
        let many = Load { name: "spin", copies: 300, priorities: Some((20, 60)) };
        assert_eq!(parse("spin*300@20-60"), Ok(vec![many]));
        for (text, again) in [("spin*300@20-60", "spin*300@20-60"), ("spin*2", "spin*2"), ("spin*1@7-7", "spin@7")] {
            assert_eq!(parse(text).unwrap()[0].to_string(), again);
        }
        for text in ["spin*2", "calls+spin*300@20-60"] {
            assert!(
                parse_plain(text).unwrap_err().contains("only a run on this machine can start several copies"),
                "{text}"
            );
            assert!(words(text).is_err(), "{text}");
        }
        assert!(parse("spin@20-60").unwrap_err().contains("as in spin*200@20-60"));
    }

    #[test]
    fn what_is_no_load_is_refused_with_what_is_wanted() {
        for text in ["", "+", "a+", "a b", "A", "none+a", "a@1@2", "@1", "a=1", "*2"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("a+b+a").unwrap_err().contains("duplicate a"));
        assert!(parse("a+b+a@7").is_ok());
        for text in ["a@", "a@256", "a@-1", "a@+1", "a@99999999999", "a*2@9-8", "a*2@1-256", "a@1-", "a@1-2-3"] {
            assert!(parse(text).unwrap_err().contains("priority must be 0 to 255"), "{text}");
        }
        for text in ["a*", "a*0", "a*513", "a*2*2", "a**2", "a*x@1"] {
            assert!(parse(text).unwrap_err().contains("expected 1 to 512 copies"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_refused_in_one_line_or_says_itself_again(text in "[a-z0-9@*+ -]{0,20}|\\PC{0,20}") {
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
