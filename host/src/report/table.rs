// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table of plain text: columns as wide as their widest cell.
use super::printable::printable;

/// Which side of its column a cell leans on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Rows below one head; a missing cell is empty.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

const GAP: &str = "  ";

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self { columns: columns.iter().map(|(name, align)| (name.to_string(), *align)).collect(), rows: Vec::new() }
    }

    /// Adds a row at the end; cells beyond the last column are not shown. A row stays one line whatever a cell holds.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| printable(cell)).collect());
    }

    /// The text, each line ended, without blanks at the ends of lines.
    pub fn text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        std::iter::once(&head).chain(&self.rows).map(|cells| self.one_line(cells)).collect()
    }

    fn one_line(&self, cells: &[String]) -> String {
        let padded: Vec<String> = (0..self.columns.len()).map(|index| self.cell(cells, index)).collect();
        format!("{}\n", padded.join(GAP).trim_end())
    }

    fn cell(&self, cells: &[String], index: usize) -> String {
        let text = cells.get(index).map_or("", String::as_str);
        let width = self.width(index);
        match self.columns[index].1 {
            Align::Left => format!("{text:<width$}"),
            Align::Right => format!("{text:>width$}"),
        }
    }

    fn width(&self, index: usize) -> usize {
        let head = self.columns[index].0.chars().count();
        self.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count()).fold(head, usize::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_command_the_terminal_or_break_its_row() {
        let mut table = Table::new(&[("a", Align::Left)]);
        table.row(vec!["x\u{1b}[2J\ny".into()]);
        assert_eq!(table.text(), "a\nx?[2J?y\n");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_clean() {
        let mut table = Table::new(&[("load", Align::Left), ("due", Align::Right), ("note", Align::Left)]);
        table.row(vec!["none".into(), "30,000".into(), "".into()]);
        table.row(vec!["é".into(), "1".into()]);
        assert_eq!(table.text(), "load     due  note\nnone  30,000\né          1\n");
    }
}
