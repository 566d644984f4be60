// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of `backwall check` as text: each problem, then its fix.
use super::advice;
use super::printable::{printable, printable_lines};
use backwall_model::{Check, CheckVerdict};

const INDENT: &str = "         ";

/// Prints one block per setting, then the changes to make first, all kernel command line options on one line, and a count.
/// Explanations wrap at `columns`.
pub fn text(cpu: u32, checks: &[Check], first: &[String], boot: &str, columns: usize) -> String {
    let widest = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let blocks: String = checks.iter().map(|check| block(check, widest, columns)).collect();
    let boot =
        if boot.is_empty() { String::new() } else { format!("\nall boot options in one line:\n{}\n", printable(boot)) };
    format!("{blocks}{}{boot}\n{}\n", foremost(checks, first, columns), summary(cpu, checks))
}

fn foremost(checks: &[Check], first: &[String], columns: usize) -> String {
    let found = first.iter().filter_map(|name| checks.iter().find(|check| check.name == *name));
    let steps = (1..).zip(found).map(|(number, check)| {
        to_do(&format!("{}: {}", check.name, check.fix), (&format!("  {number}. "), "     "), columns)
    });
    let steps: String = steps.collect();
    let count = ["", "this", "these two", "these three"].get(first.len()).copied().unwrap_or("these");
    if steps.is_empty() { steps } else { format!("\ndo {count} first:\n{steps}") }
}

fn block(check: &Check, widest: usize, columns: usize) -> String {
    let head = format!("{:<7}  {:<widest$}  ", word(check.verdict), printable(&check.name));
    let below = " ".repeat(head.chars().count());
    let value = printable(&check.value);
    let first = value.split_whitespace().next().map_or(0, |word| word.chars().count());
    // A long path has a line of its own.
    let mut text = match below.len() + first > columns && INDENT.len() + first <= columns {
        true => format!("{}\n{}", head.trim_end(), wrapped(&value, (INDENT, INDENT), columns)),
        false => wrapped(&value, (&head, &below), columns),
    };
    if check.verdict != CheckVerdict::Good {
        text.push_str(&wrapped(&printable(&check.why), (INDENT, INDENT), columns));
        if !check.fix.is_empty() {
            text.push_str(&to_do(&check.fix, ("     to do: ", "            "), columns));
        }
    }
    text
}

/// A sentence followed by its commands, ready to paste.
fn to_do(fix: &str, (first, others): (&str, &str), columns: usize) -> String {
    let lines = advice::lines(&printable_lines(fix), columns.saturating_sub(others.len()).max(1));
    let prefix = |at: usize| if at == 0 { first } else { others };
    lines.iter().enumerate().map(|(at, line)| format!("{}{line}\n", prefix(at))).collect()
}

fn word(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Good => "good",
        CheckVerdict::Note => "note",
        CheckVerdict::Bad => "BAD",
        CheckVerdict::Unknown => "unknown",
    }
}

fn summary(cpu: u32, checks: &[Check]) -> String {
    let count = |verdict: CheckVerdict| checks.iter().filter(|check| check.verdict == verdict).count();
    format!(
        "CPU {cpu}, settings: {} make responses late, {} worth knowing, {} unreadable, {} good",
        count(CheckVerdict::Bad),
        count(CheckVerdict::Note),
        count(CheckVerdict::Unknown),
        count(CheckVerdict::Good)
    )
}

/// Wraps words to lines of at most `columns`; a longer word stays whole. The prefixes are for the first and for further lines.
fn wrapped(text: &str, (first, others): (&str, &str), columns: usize) -> String {
    let mut lines = String::new();
    let mut line = first.to_string();
    let mut words = 0;
    for word in text.split_whitespace() {
        if words > 0 && line.chars().count() + 1 + word.chars().count() > columns {
            lines.push_str(&line);
            lines.push('\n');
            line = others.to_string();
            words = 0;
        }
        if words > 0 {
            line.push(' ');
        }
        line.push_str(word);
        words += 1;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_is_one_line_and_what_is_not_says_why_and_what_to_do() {
        let check = |name: &str, verdict, fix: &str| Check {
            name: name.into(),
            value: "f".into(),
            verdict,
            why: "because ".repeat(20).trim().into(),
            fix: fix.into(),
        };
        let checks = [check("a", CheckVerdict::Good, "x"), check("long", CheckVerdict::Bad, "do it\necho 1 > f")];
        let text = text(1, &checks, &["long".to_string()], "nohz_full=1", 100);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[1]), ("good     a     f", "BAD      long  f"));
        assert!(lines[2].starts_with("         because") && lines[3].starts_with("         because"));
        assert_eq!(lines[4..6], ["     to do: do it", "            echo 1 > f"]);
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
        assert_eq!(
            &lines[6..13],
            [
                "",
                "do this first:",
                "  1. long: do it",
                "     echo 1 > f",
                "",
                "all boot options in one line:",
                "nohz_full=1"
            ]
        );
        assert_eq!(lines[14], "CPU 1, settings: 1 make responses late, 0 worth knowing, 0 unreadable, 1 good");
    }

    #[test]
    fn a_path_that_does_not_fit_beside_its_name_has_a_line_of_its_own() {
        let value = format!("/sys/{}: 1", "a".repeat(55));
        let check = Check {
            name: "clock source".into(),
            value: value.clone(),
            verdict: CheckVerdict::Good,
            why: String::new(),
            fix: String::new(),
        };
        let text = text(0, &[check], &[], "", 80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["good     clock source", &format!("         {value}")]);
    }

    #[test]
    fn what_was_found_goes_on_below_itself() {
        let check = Check {
            name: "limits".into(),
            value: "found ".repeat(20).trim().into(),
            verdict: CheckVerdict::Good,
            why: String::new(),
            fix: String::new(),
        };
        let text = text(0, &[check], &[], "", 60);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("good     limits  found found") && lines[1].starts_with("                 found"));
        assert_eq!(text.matches("found").count(), 20);
        assert!(lines[..3].iter().all(|line| line.chars().count() <= 60), "{text}");
    }
}
