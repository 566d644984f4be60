// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of `backwall check` as text: each problem, then its fix.
use super::advice;
use super::printable::{printable, printable_lines};
use backwall_model::{Check, CheckVerdict};

const INDENT: &str = "         ";

/// Prints a count, the changes to make first, all kernel command line options on one line, and one block per setting that makes
/// responses late. The other settings are named; with `verbose` each has its block. Explanations wrap at `columns`.
pub fn text((cpu, checks): (u32, &[Check]), (first, boot): (&[String], &str), verbose: bool, columns: usize) -> String {
    let widest = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let shown = checks.iter().filter(|check| verbose || check.verdict == CheckVerdict::Bad);
    let blocks: String = shown.map(|check| block(check, widest, columns)).collect();
    let blocks = if blocks.is_empty() { blocks } else { format!("\n{blocks}") };
    let boot =
        if boot.is_empty() { String::new() } else { format!("\nall boot options in one line:\n{}\n", printable(boot)) };
    let named = if verbose { String::new() } else { named(checks, columns) };
    format!("{}\n{}{boot}{blocks}{named}", summary(cpu, checks), foremost(checks, first, columns))
}

/// The settings without a block, by verdict.
fn named(checks: &[Check], columns: usize) -> String {
    let rows = [CheckVerdict::Note, CheckVerdict::Unknown, CheckVerdict::Good].map(|verdict| {
        let alike = checks.iter().filter(|check| check.verdict == verdict);
        let names: Vec<String> = alike.map(|check| printable(&check.name)).collect();
        let head = format!("{:<7}  ", word(verdict));
        if names.is_empty() { String::new() } else { wrapped(&names.join(", "), (&head, INDENT), columns) }
    });
    let rows = rows.concat();
    if rows.is_empty() { rows } else { format!("\n{rows}{INDENT}(backwall check -v explains each)\n") }
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
            text.push_str(&to_do(&check.fix, ("       fix: ", "            "), columns));
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
        let of = |verbose| text((1, &checks), (&["long".to_string()], "nohz_full=1"), verbose, 100);
        let (brief, whole) = (of(false), of(true));
        let lines: Vec<&str> = brief.lines().collect();
        assert_eq!(
            &lines[..10],
            [
                "CPU 1, settings: 1 make responses late, 0 worth knowing, 0 unreadable, 1 good",
                "",
                "do this first:",
                "  1. long: do it",
                "     echo 1 > f",
                "",
                "all boot options in one line:",
                "nohz_full=1",
                "",
                "BAD      long  f",
            ]
        );
        assert!(lines[10].starts_with("         because") && lines[11].starts_with("         because"));
        assert_eq!(lines[12..14], ["       fix: do it", "            echo 1 > f"]);
        assert_eq!(lines[14..], ["", "good     a", "         (backwall check -v explains each)"]);
        assert!(brief.lines().chain(whole.lines()).all(|line| line.chars().count() <= 100));
        assert!(whole.contains("\ngood     a     f\nBAD      long  f\n") && !whole.contains("check -v"), "{whole}");
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
        let text = text((0, &[check]), (&[], ""), true, 80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2..4], ["good     clock source", &format!("         {value}")]);
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
        let text = text((0, &[check]), (&[], ""), true, 60);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].starts_with("good     limits  found found") && lines[3].starts_with("                 found"));
        assert_eq!(text.matches("found").count(), 20);
        assert!(lines[2..5].iter().all(|line| line.chars().count() <= 60), "{text}");
    }
}
