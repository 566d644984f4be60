// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table of plain text: columns as wide as their widest cell.
use super::printable::printable;
use super::wrap::{cut, wrapped};
use maud::{Markup, html};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

const GAP: &str = "  ";
/// A table of the page with more columns than this gets narrower spacing.
const DENSE: usize = 12;
const NAME_LEAST: usize = 12;

impl Table {
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let name = |name: &str| name.lines().map(printable).collect::<Vec<String>>().join("\n");
        Self { columns: columns.iter().map(|(text, align)| (name(text), *align)).collect(), rows: Vec::new() }
    }

    /// Adds a row, always as one line; cells beyond the last column are dropped.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| printable(cell)).collect());
    }

    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|index| self.width(index)).collect();
        self.head().iter().chain(&self.rows).map(|cells| self.one_line(cells, &widths)).collect()
    }

    fn head(&self) -> Vec<Vec<String>> {
        let most = self.columns.iter().map(|(name, _)| name.lines().count()).max().unwrap_or(1).max(1);
        let line = |name: &str, at: usize| {
            (at + name.lines().count()).checked_sub(most).and_then(|at| name.lines().nth(at)).unwrap_or("").to_string()
        };
        (0..most).map(|at| self.columns.iter().map(|(name, _)| line(name, at)).collect()).collect()
    }

    /// The table of the page; the first column names the row.
    pub fn markup(&self) -> Markup {
        let side = |index: usize| self.columns.get(index).filter(|(_, align)| *align == Align::Right).map(|_| "r");
        html! {
            div class="wide" {
                table class=[(self.columns.len() > DENSE).then_some("dense")] {
                    thead { tr { @for (at, (name, _)) in self.columns.iter().enumerate() { th class=[side(at)] { (name) } } } }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (at, text) in row.iter().take(self.columns.len()).enumerate() {
                                    @if at == 0 { th scope="row" class=[side(at)] { (text) } } @else { td class=[side(at)] { (text) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The text with every column, in lines no longer than `columns`. A table that is too wide becomes several tables, one
    /// below the other, each with the first `names` columns again. In a narrow window the tables cut the names; if that is not
    /// enough, they repeat only the first of these columns.
    pub fn in_parts(&self, columns: usize, names: usize) -> String {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for index in names..self.columns.len() {
            let goes_on = parts.last().is_some_and(|part| self.of(part.iter().copied().chain([index])).fits(columns));
            match parts.last_mut().filter(|_| goes_on) {
                Some(part) => part.push(index),
                None => parts.push((0..names).chain([index]).collect()),
            }
        }
        let part = |part: &Vec<usize>| {
            let mut table = self.of(part.iter().copied());
            if !table.fits(columns) {
                (0..names).for_each(|index| table.tell_apart(index));
            }
            table.shorten(columns);
            (1..names).rev().take_while(|_| part.len() > names).for_each(|index| {
                if !table.fits(columns) {
                    table.without(index);
                }
            });
            table.text()
        };
        parts.iter().map(part).collect::<Vec<String>>().join("\n")
    }

    fn of(&self, columns: impl Iterator<Item = usize> + Clone) -> Self {
        let cells =
            |cells: &Vec<String>| columns.clone().map(|index| cells.get(index).cloned().unwrap_or_default()).collect();
        Self {
            columns: columns.clone().map(|index| self.columns[index].clone()).collect(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }

    /// The text in lines of at most `columns` without cutting a figure; a line below names the removed columns. The steps in
    /// order: shrink names to what distinguishes them, remove `dispensable` columns, cut names, remove columns from the right.
    pub fn within(mut self, columns: usize, dispensable: &[&str]) -> String {
        if !self.fits(columns) {
            (0..self.columns.len()).for_each(|index| self.tell_apart(index));
        }
        let gone = self.narrow(columns, dispensable);
        let note = format!("no room in {columns} columns for: {}", gone.join(", "));
        self.text() + &if gone.is_empty() { String::new() } else { wrapped(&note, columns) }
    }

    /// As [`Table::within`], but for a summary: it removes columns before it shortens names, and adds no note.
    pub fn fitted(mut self, columns: usize, dispensable: &[&str]) -> String {
        self.narrow(columns, dispensable);
        self.text()
    }

    /// Removes columns and cuts names until the rest fits; returns the removed ones in order.
    fn narrow(&mut self, columns: usize, dispensable: &[&str]) -> Vec<String> {
        let mut gone: Vec<String> = Vec::new();
        for name in dispensable {
            if self.fits(columns) {
                break;
            }
            let found = self.columns.iter().position(|(column, _)| column == name);
            gone.extend(found.map(|index| self.without(index)));
        }
        self.shorten(columns);
        while !self.fits(columns) && self.columns.len() > 1 {
            gone.push(self.without(self.columns.len() - 1));
        }
        gone.retain(|name| !name.is_empty());
        gone
    }

    fn fits(&self, columns: usize) -> bool {
        self.wide() <= columns
    }

    fn wide(&self) -> usize {
        let widths: usize = (0..self.columns.len()).map(|index| self.width(index)).sum();
        widths + GAP.len() * self.columns.len().saturating_sub(1)
    }

    fn without(&mut self, index: usize) -> String {
        let (name, _) = self.columns.remove(index);
        let has = |cells: &&mut Vec<String>| index < cells.len();
        let cells: Vec<String> = self.rows.iter_mut().filter(has).map(|cells| cells.remove(index)).collect();
        let one = cells.first().filter(|first| cells.len() > 1 && cells.iter().all(|cell| cell == *first));
        match one {
            Some(same) if !name.is_empty() && !same.is_empty() => format!("{name} (all {same})"),
            _ => name,
        }
    }

    /// Removes from the names the whole words with which all of them begin or end, such as the folder of the runs.
    fn tell_apart(&mut self, index: usize) {
        let names: Vec<&str> = self.rows.iter().filter_map(|cells| cells.get(index)).map(String::as_str).collect();
        let is_short = names.iter().all(|name| name.chars().count() <= NAME_LEAST);
        if self.columns[index].1 == Align::Right || is_short || names.iter().all(|name| *name == names[0]) {
            return;
        }
        let (start, end) = shared_ends(&names);
        // Keep a suffix that is only a closing bracket.
        let end = if names[0][names[0].len() - end..].chars().any(char::is_alphanumeric) { end } else { 0 };
        let own = |cell: &mut String| *cell = cell[start..cell.len() - end].to_string();
        self.rows.iter_mut().filter_map(|cells| cells.get_mut(index)).for_each(own);
    }

    /// Shortens names, longest first, until the other columns fit or every name is as short as it can be and still be identified.
    fn shorten(&mut self, columns: usize) {
        while !self.fits(columns) {
            let is_long = |index: &usize| self.columns[*index].1 == Align::Left && self.width(*index) > NAME_LEAST;
            let Some(index) = (0..self.columns.len()).filter(is_long).max_by_key(|index| self.width(*index)) else {
                return;
            };
            let width = self.width(index).saturating_sub(self.wide() - columns).max(NAME_LEAST);
            self.columns[index].0 = cut(&self.columns[index].0, width);
            let names: BTreeSet<&String> = self.rows.iter().filter_map(|cells| cells.get(index)).collect();
            let short: BTreeSet<String> = names.iter().map(|name| cut(name, width)).collect();
            let cut = if short.len() < names.len() { cut_inside } else { cut };
            let own = |cell: &mut String| *cell = cut(cell, width);
            self.rows.iter_mut().filter_map(|cells| cells.get_mut(index)).for_each(own);
        }
    }

    fn one_line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded: Vec<String> =
            widths.iter().enumerate().map(|(index, width)| self.cell(cells, index, *width)).collect();
        format!("{}\n", padded.join(GAP).trim_end())
    }

    fn cell(&self, cells: &[String], index: usize, width: usize) -> String {
        let text = cells.get(index).map_or("", String::as_str);
        match self.columns[index].1 {
            Align::Left => format!("{text:<width$}"),
            Align::Right => format!("{text:>width$}"),
        }
    }

    fn width(&self, index: usize) -> usize {
        let head = self.columns[index].0.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        self.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count()).fold(head, usize::max)
    }
}

/// Shortens a text longer than `columns` with `…` in the middle, because names that begin alike differ at their ends.
fn cut_inside(text: &str, columns: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= columns {
        return text.to_string();
    }
    let end = columns.saturating_sub(1) / 2;
    let start = columns.saturating_sub(1) - end;
    letters[..start].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
}

/// Lengths in bytes of the prefix and the suffix that all names share. Both end between words and are shorter than any name.
fn shared_ends(names: &[&str]) -> (usize, usize) {
    let border = |letter: char| !letter.is_alphanumeric() && letter != ' ';
    let first = names[0];
    let begins = |length: &usize| names.iter().all(|name| name.len() > *length && name.starts_with(&first[..*length]));
    let starts = first.char_indices().filter(|(_, letter)| border(*letter)).map(|(at, letter)| at + letter.len_utf8());
    let start = starts.filter(begins).max().unwrap_or(0);
    let rests: Vec<&str> = names.iter().map(|name| &name[start..]).collect();
    let rest = rests[0];
    let ends = |at: &usize| rests.iter().all(|name| name.len() > rest.len() - at && name.ends_with(&rest[*at..]));
    let stop = rest.char_indices().filter(|(_, letter)| border(*letter)).map(|(at, _)| at).find(ends);
    (start, stop.map_or(0, |at| rest.len() - at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// In a narrow window each row keeps a distinct name, and each figure stays below its heading.
    #[test]
    fn a_part_of_a_narrow_table_keeps_names_apart_and_figures_below_their_heading() {
        let names = ["btrfs on a loop file, compressed, in", "btrfs on a loop file, compressed, out", "tmpfs, in"];
        let columns = [("row", Align::Right), ("case", Align::Left), ("where", Align::Left), ("ratio", Align::Right)];
        let mut table = Table::new(&[&columns[..], &[("rounds", Align::Right)]].concat());
        let row = |at: usize| {
            [&(at + 7).to_string(), names[at], "in the kernel of the host", "1.196", "24 of 24"].map(String::from)
        };
        (0..3).for_each(|at| table.row(row(at).to_vec()));
        for width in [40, 60, 80] {
            let text = table.in_parts(width, 3);
            let first: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
            assert!(first.iter().all(|line| line.chars().count() <= width), "{text}");
            let end = |line: &str, word: &str| line.find(word).map(|at| line[..at + word.len()].chars().count());
            let heading = end(first[0], "ratio");
            assert!(heading.is_some() && first[1..].iter().all(|line| end(line, "1.196") == heading), "{text}");
            let named: BTreeSet<&str> = first[1..].iter().map(|line| &line[..line.find("1.196").unwrap()]).collect();
            assert_eq!(named.len(), 3, "{text}");
        }
    }

    #[test]
    fn names_keep_the_bracket_that_closes_them() {
        let mut table = Table::new(&[("thread", Align::Left), ("ms", Align::Right), ("more", Align::Right)]);
        ["one-of-them (12)", "the-other (13)"]
            .iter()
            .for_each(|name| table.row(vec![name.to_string(), "1.5".into(), "2.5".into()]));
        let text = table.within(22, &["more"]);
        assert!(text.contains("one-of-them (12)") && text.contains("the-other (13)"), "{text}");
    }

    #[test]
    fn a_cell_cannot_command_the_terminal_or_break_its_row() {
        let mut table = Table::new(&[("a", Align::Left)]);
        table.row(vec!["x\u{1b}[2J\ny".into()]);
        assert_eq!(table.text(), "a\nx?[2J?y\n");
    }

    #[test]
    fn what_is_dispensable_goes_in_its_order_until_the_rest_fits() {
        let columns = [("a", Align::Left), ("bb", Align::Right), ("ccc", Align::Right)];
        let within = |width| {
            let mut table = Table::new(&columns);
            table.row(["x", "1", "2"].map(String::from).to_vec());
            table.within(width, &["bb", "ccc"])
        };
        assert_eq!(within(10), "a  bb  ccc\nx   1    2\n");
        assert!(within(9).starts_with("a  ccc\nx    2\nno room"), "{}", within(9));
        assert!(within(5).starts_with("a\nx\nno"), "{}", within(5));
        let mut table = Table::new(&columns[..1]);
        table.row(vec!["abcdefghijklmno".into()]);
        assert_eq!(table.within(12, &[]), "a\nabcdefghijk…\n");
    }

    #[test]
    fn a_column_that_went_is_named_with_what_all_its_rows_said() {
        let mut table = Table::new(&[("series", Align::Left), ("abort", Align::Right), ("deadline", Align::Right)]);
        table.row(["control", "0", "1,000.0 us"].map(String::from).to_vec());
        table.row(["display", "0", "20,000.0 us"].map(String::from).to_vec());
        let text = table.within(24, &["abort"]);
        let rows = "series      deadline\ncontrol   1,000.0 us\ndisplay  20,000.0 us\n";
        assert_eq!(text, format!("{rows}no room in 24 columns\n  for: abort (all 0)\n"));
    }

    #[test]
    fn names_that_are_too_long_say_what_tells_them_apart() {
        let mut table = Table::new(&[("run", Align::Left), ("max", Align::Right)]);
        for (name, max) in [("20261124T104039Z", "1,234.5"), ("20261124T110101Z", "9.0")] {
            table.row(vec![format!("backwall-runs/{name}-run"), max.to_string()]);
        }
        assert_eq!(
            table.within(30, &[]),
            "run                   max\n20261124T104039Z  1,234.5\n20261124T110101Z      9.0\n"
        );
    }

    proptest! {
        #[test]
        fn no_figure_is_ever_cut_and_no_column_goes_in_silence(
            columns in 12usize..120,
            names in prop::collection::vec("[a-z/-]{1,30}[0-9]{0,9}", 1..6),
            figures in prop::collection::vec(0u64..10_000_000_000, 1..9),
        ) {
            let titles: Vec<String> = (0..figures.len()).map(|index| format!("p{index}")).collect();
            let all = titles.iter().map(|title| (title.as_str(), Align::Right));
            let mut table = Table::new(&[("name", Align::Left)].into_iter().chain(all).collect::<Vec<_>>());
            let cells: Vec<String> = figures.iter().map(|figure| backwall_model::units::grouped(*figure)).collect();
            names.iter().for_each(|name| table.row([name.clone()].into_iter().chain(cells.clone()).collect()));
            let dispensable: Vec<&str> = titles.iter().skip(2).map(String::as_str).collect();
            let text = table.within(columns, &dispensable);
            let lines: Vec<&str> = text.lines().collect();
            prop_assert!(lines.iter().all(|line| line.chars().count() <= columns), "{text}");
            let shown: Vec<&str> = lines[0].split_whitespace().skip(1).collect();
            for line in &lines[1..=names.len()] {
                let own: Vec<&str> = line.split_whitespace().rev().take(shown.len()).collect();
                for (title, cell) in shown.iter().zip(own.iter().rev()) {
                    let number: usize = title[1..].parse().unwrap();
                    prop_assert_eq!(*cell, cells[number].as_str(), "{}", &text);
                }
            }
            let note: String = lines[names.len() + 1..].concat();
            for title in titles.iter().filter(|title| !shown.contains(&title.as_str())) {
                prop_assert!(note.contains(title.as_str()), "{title}: {text}");
            }
        }
    }

    // A capture may have any number of lines; column widths are computed once per column.
    #[test]
    fn many_rows_are_no_reason_to_wait() {
        let mut table = Table::new(&[("line", Align::Left)]);
        (0..300_000).for_each(|row: u32| table.row(vec![row.to_string()]));
        assert_eq!(table.text().lines().count(), 300_001);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_clean() {
        let mut table = Table::new(&[("load", Align::Left), ("due", Align::Right), ("note", Align::Left)]);
        table.row(vec!["none".into(), "30,000".into(), "".into()]);
        table.row(vec!["é".into(), "1".into()]);
        assert_eq!(table.text(), "load     due  note\nnone  30,000\né          1\n");
    }
}
