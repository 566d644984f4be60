// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table of plain text: columns as wide as their widest cell.
use super::printable::printable;
use super::wrap::cut;

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
        let widths: Vec<usize> = (0..self.columns.len()).map(|index| self.width(index)).collect();
        std::iter::once(&head).chain(&self.rows).map(|cells| self.one_line(cells, &widths)).collect()
    }

    /// The text without as many of the `dispensable` columns as make it longer than `columns`, the first of them first;
    /// what is too long without all of them is cut.
    pub fn within(mut self, columns: usize, dispensable: &[&str]) -> String {
        let fits = |text: &String| text.lines().all(|line| line.chars().count() <= columns);
        for name in dispensable {
            let text = self.text();
            if fits(&text) {
                return text;
            }
            self.without(name);
        }
        self.text().lines().map(|line| cut(line, columns) + "\n").collect()
    }

    fn without(&mut self, name: &str) {
        let Some(index) = self.columns.iter().position(|(column, _)| column == name) else { return };
        self.columns.remove(index);
        self.rows.iter_mut().filter(|cells| index < cells.len()).for_each(|cells| drop(cells.remove(index)));
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
    fn what_is_dispensable_goes_in_its_order_until_the_rest_fits() {
        let columns = [("a", Align::Left), ("bb", Align::Right), ("ccc", Align::Right)];
        let within = |width| {
            let mut table = Table::new(&columns);
            table.row(["x", "1", "2"].map(String::from).to_vec());
            table.within(width, &["bb", "ccc"])
        };
        assert_eq!(within(10), "a  bb  ccc\nx   1    2\n");
        assert_eq!(within(9), "a  ccc\nx    2\n");
        assert_eq!(within(5), "a\nx\n");
        let mut table = Table::new(&columns[..1]);
        table.row(vec!["abcdef".into()]);
        assert_eq!(table.within(5, &[]), "a\nabcd…\n");
    }

    /// A capture may have as many lines as it likes; what is wide is looked for once a column.
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
