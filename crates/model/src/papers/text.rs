// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the table agrees with the paper's text: the figures of every row are in the text, in order and without
//! other figures between them.
use super::{ALL, Paper, Row};

fn words(text: &str) -> Vec<String> {
    let mut plain = text.to_lowercase().replace(['*', '~', '(', ')', ',', '%'], " ");
    for mark in ["<sup>a</sup>", "<sup>b</sup>", "<sup>c</sup>"] {
        plain = plain.replace(mark, " ");
    }
    let mut apart = String::new();
    let mut last = ' ';
    for letter in plain.chars() {
        if last.is_ascii_digit() && letter.is_alphabetic() {
            apart.push(' ');
        }
        apart.push(letter);
        last = letter;
    }
    apart
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', ':']).to_string())
        .filter(|word| !word.is_empty())
        .collect()
}

fn has_digit(word: &str) -> bool {
    word.contains(|letter: char| letter.is_ascii_digit())
}

/// Whether these values come next in the text, separated only by words without digits.
fn follow(text: &[String], values: &[Vec<String>]) -> bool {
    let Some((value, rest)) = values.split_first() else { return true };
    for at in 0..text.len() {
        if text[at..].starts_with(value) {
            return follow(&text[at + value.len()..], rest);
        }
        if has_digit(&text[at]) {
            return false;
        }
    }
    false
}

fn stands(text: &[String], row: &Row) -> bool {
    let printed = words(row.printed);
    let values: Vec<Vec<String>> =
        row.values.iter().map(|value| words(value)).filter(|value| !value.is_empty()).collect();
    let begins =
        |at: &usize| text[*at..].starts_with(&printed) && (!printed.is_empty() || text[*at..].starts_with(&values[0]));
    (0..text.len()).filter(begins).any(|at| follow(&text[at + printed.len()..], &values))
}

/// Quoted rows that the paper's text lacks, each with table and name.
pub fn missing(paper: Paper, text: &str) -> Vec<(&'static str, &'static str)> {
    let text = words(text);
    let of_paper = ALL.iter().filter(|table| table.paper == paper);
    let rows = of_paper.flat_map(|table| table.rows.iter().map(|row| (table.place, row)));
    rows.filter(|(_, row)| !stands(&text, row)).map(|(place, row)| (place, row.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_not_in_print_is_found_out() {
        let text = words("Windows CE 3.0 ** Loaded 127 KHz 15kHz 85 kHz \n it ran in 9 seconds.");
        let row = |printed, values| Row { name: "", printed, values };
        assert!(stands(&text, &row("Windows CE 3.0 Loaded", &["127 kHz", "15 kHz", "85 kHz"])));
        assert!(stands(&text, &row("ran in", &["9"])));
        let wrong: [(&str, &[&str]); 4] = [
            ("Windows CE 3.0 Loaded", &["127 kHz", "85 kHz"]),
            ("Windows CE 3.0 Loaded", &["127 kHz", "85 kHz", "15 kHz"]),
            ("Windows CE 3.0", &["27 kHz"]),
            ("Windows CE 2.12", &["127 kHz"]),
        ];
        assert!(wrong.iter().all(|(printed, values)| !stands(&text, &row(printed, values))));
    }
}
