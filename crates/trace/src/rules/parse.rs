// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as text: one per line; `#` begins a comment.
use super::monitors::{MONITORS, monitor};
use super::pattern::{Pattern, WORDS};
use super::{Monitor, Rule, Rules};
use crate::event::softirq;
use backwall_model::units::duration;
use std::fmt;

const MONITOR: &str = "monitor";

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was expected.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for Mistake {}

/// Parses the rules of a text.
///
/// # Errors
/// The first mistake.
pub fn parse(text: &str) -> Result<Rules, Mistake> {
    let mut found = Rules::default();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let mut words = Words { rest: line, line, number: line_number };
        if words.is_at_end() {
            continue;
        }
        if words.rest.split_whitespace().next() == Some(MONITOR) {
            found.monitors.push(monitor_line(&mut words)?);
        } else {
            found.rules.push(rule(&mut words)?);
        }
    }
    if found.rules.is_empty() && found.monitors.is_empty() {
        return Err(Mistake {
            line: 1,
            column: 1,
            what: "expected a rule: after EVENT within TIME EVENT [, unless EVENT], or: monitor NAME".into(),
        });
    }
    Ok(found)
}

fn monitor_line(words: &mut Words<'_>) -> Result<Monitor, Mistake> {
    words.expect(MONITOR)?;
    let (column, name) = words.next("the name of a monitor")?;
    let Some(automaton) = monitor(&name) else {
        let known: Vec<&str> = MONITORS.iter().map(|automaton| automaton.name).collect();
        return Err(words.mistake(column, format!("'{name}': expected a monitor: {}", known.join(", "))));
    };
    let mut within_ns = automaton.limit.map_or(u64::MAX, |limit| limit.within_ns);
    if automaton.limit.is_some() && !words.is_at_end() {
        words.expect("within")?;
        let (column, time) = words.next("a time, such as 200us")?;
        within_ns = duration(&time).map_err(|error| words.mistake(column, error.to_string()))?.0;
    }
    match words.is_at_end() {
        true => Ok(Monitor { automaton, within_ns }),
        false => {
            let (column, word) = words.next("nothing")?;
            Err(words.mistake(column, format!("'{word}': expected the end of the line")))
        }
    }
}

fn rule(words: &mut Words<'_>) -> Result<Rule, Mistake> {
    words.expect("after")?;
    let after = pattern(words)?;
    words.expect("within")?;
    let (column, time) = words.next("a time, such as 200us")?;
    let within = duration(&time).map_err(|error| words.mistake(column, error.to_string()))?;
    let then = pattern(words)?;
    let unless = match words.is_at_end() {
        true => None,
        false => {
            words.expect("unless")?;
            Some(pattern(words)?)
        }
    };
    let text = words.line[..words.line.len() - words.rest.len()].trim().to_string();
    match words.is_at_end() {
        true => Ok(Rule { text, after, within_ns: within.0, then, unless }),
        false => {
            let (column, word) = words.next("nothing")?;
            Err(words.mistake(column, format!("'{word}': expected the end of the line (one rule per line)")))
        }
    }
}

fn pattern(words: &mut Words<'_>) -> Result<Pattern, Mistake> {
    let (column, word) = words.next("an event")?;
    if !WORDS.contains(&word.as_str()) {
        return Err(words.mistake(column, format!("'{word}': expected an event: {}", WORDS.join(", "))));
    }
    if !Pattern::is_named(&word) {
        return Ok(Pattern::of(&word, None).expect("it is a keyword"));
    }
    let (column, name) = words.next(&format!("a name after '{word}'"))?;
    if word.starts_with("softirq") && !softirq::is_known(&name) {
        return Err(words.mistake(column, format!("'{name}': expected a softirq: {}", softirq::NAMES.join(", "))));
    }
    Ok(Pattern::of(&word, Some(&name)).expect("it is a keyword"))
}

/// The words of a line, separated by blanks or commas; a word may be in quotation marks.
struct Words<'a> {
    line: &'a str,
    rest: &'a str,
    number: usize,
}

impl Words<'_> {
    fn is_at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    fn column(&self) -> usize {
        self.line[..self.line.len() - self.rest.len()].chars().count() + 1
    }

    fn mistake(&self, column: usize, what: String) -> Mistake {
        Mistake { line: self.number, column, what }
    }

    fn next(&mut self, expected: &str) -> Result<(usize, String), Mistake> {
        let ended = self.is_at_end();
        let column = self.column();
        if ended {
            return Err(self.mistake(column, format!("expected {expected}")));
        }
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let Some((word, rest)) = quoted.split_once('"') else {
                return Err(self.mistake(column, "a closing quotation mark is missing".into()));
            };
            self.rest = rest;
            return Ok((column, word.to_string()));
        }
        let end = self.rest.find(|letter: char| letter.is_whitespace() || letter == ',' || letter == '#');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Ok((column, word.to_string()))
    }

    fn expect(&mut self, word: &str) -> Result<(), Mistake> {
        let (column, found) = self.next(&format!("'{word}'"))?;
        if found == word { Ok(()) } else { Err(self.mistake(column, format!("'{found}': expected '{word}'"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Who;
    use super::*;

    #[test]
    fn a_rule_is_read_with_its_names_and_comments() {
        let text = "# control loop\n\nafter wakes \"my loop\" within 200us runs 12, unless irq \"eth#0\" # why\n";
        let [rule] = &parse(text).unwrap().rules[..] else { panic!("one rule") };
        assert_eq!(rule.text, "after wakes \"my loop\" within 200us runs 12, unless irq \"eth#0\"");
        assert_eq!((rule.within_ns, &rule.after), (200_000, &Pattern::Wakes(Who::Name("my loop".into()))));
        assert_eq!((&rule.then, &rule.unless), (&Pattern::Runs(Who::Number(12)), &Some(Pattern::Irq("eth#0".into()))));
    }

    #[test]
    fn a_monitor_is_read_with_its_time() {
        let found = parse("monitor wwnr\nmonitor stall within 2ms # slow\nafter timer within 1ms timer\n").unwrap();
        let names: Vec<(&str, u64)> = found.monitors.iter().map(|one| (one.automaton.name, one.within_ns)).collect();
        assert_eq!(names, [("wwnr", u64::MAX), ("stall", 2_000_000)]);
        assert_eq!(found.rules.len(), 1);
        let at = |text: &str| parse(text).map_err(|mistake| mistake.to_string()).unwrap_err();
        assert!(at("monitor wvnr").starts_with("line 1, column 9: 'wvnr': expected a monitor: wip, "));
        assert_eq!(at("monitor wip within 1ms"), "line 1, column 13: 'within': expected the end of the line");
    }

    #[test]
    fn a_mistake_has_its_line_and_its_column() {
        let at = |text: &str| parse(text).map_err(|mistake| mistake.to_string()).unwrap_err();
        assert_eq!(
            at(""),
            "line 1, column 1: expected a rule: after EVENT within TIME EVENT [, unless EVENT], or: monitor NAME"
        );
        assert_eq!(at("\nafter timer in 1ms timer"), "line 2, column 13: 'in': expected 'within'");
        assert!(at("after timr within 1ms timer").starts_with("line 1, column 7: 'timr': expected an event: wakes, "));
        assert!(at("after timer within 1 timer").starts_with("line 1, column 20: \"1\" is not a duration"));
        assert_eq!(at("after timer within 1ms runs"), "line 1, column 28: expected a name after 'runs'");
        assert!(
            at("after softirq NETRX within 1ms timer")
                .starts_with("line 1, column 15: 'NETRX': expected a softirq: HI, ")
        );
        assert_eq!(at("after timer within 1ms irq \"x"), "line 1, column 28: a closing quotation mark is missing");
        assert_eq!(
            at("after timer within 1ms timer unless timer x"),
            "line 1, column 43: 'x': expected the end of the line (one rule per line)"
        );
    }
}
