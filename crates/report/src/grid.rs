// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table with its heading, as text and as a section of the page.
use super::section::Section;
use super::table::{Align, Table};
use super::wrap::wrapped;
use maud::{Markup, html};

/// Rows below a head, with a heading above and notes below. Column names come from this crate or, if owned, from the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid<Name = &'static str> {
    pub title: &'static str,
    pub intro: String,
    pub columns: Vec<(Name, Align)>,
    /// Columns that a narrow terminal leaves out, least important first.
    pub dispensable: Vec<Name>,
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    pub fn owned(self) -> Grid<String> {
        let Self { title, intro, columns, dispensable, rows } = self;
        let columns = columns.into_iter().map(|(name, align)| (name.to_string(), align)).collect();
        Grid { title, intro, columns, dispensable: dispensable.into_iter().map(String::from).collect(), rows }
    }

    pub fn without(&self, names: &[&str]) -> Self {
        let is_kept: Vec<bool> = self.columns.iter().map(|(name, _)| !names.contains(name)).collect();
        let kept = |cells: &Vec<String>| {
            cells.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(cell, _)| cell.clone()).collect()
        };
        Self {
            title: self.title,
            intro: self.intro.clone(),
            columns: self.columns.iter().filter(|(name, _)| !names.contains(name)).copied().collect(),
            dispensable: self.dispensable.iter().filter(|name| !names.contains(name)).copied().collect(),
            rows: self.rows.iter().map(kept).collect(),
        }
    }
}

impl<Name: AsRef<str>> Grid<Name> {
    /// Plain text with heading and notes. If no column is dispensable, columns that do not fit go into a table below, which
    /// repeats the names.
    pub fn text(&self, columns: usize) -> String {
        if !self.dispensable.is_empty() {
            return self.fitted(columns);
        }
        let names = self.columns.iter().rposition(|(_, align)| *align == Align::Left).map_or(1, |last| last + 1);
        self.around(&self.plain().in_parts(columns, names), columns)
    }

    pub fn fitted(&self, columns: usize) -> String {
        self.around(&self.table_text(columns), columns)
    }

    pub fn table_text(&self, columns: usize) -> String {
        let dispensable: Vec<&str> = self.dispensable.iter().map(AsRef::as_ref).collect();
        self.plain().within(columns, &dispensable)
    }

    fn plain(&self) -> Table {
        let columns: Vec<(&str, Align)> = self.columns.iter().map(|(name, align)| (name.as_ref(), *align)).collect();
        let mut table = Table::new(&columns);
        self.rows.iter().for_each(|row| table.row(row.clone()));
        table
    }

    fn around(&self, table: &str, columns: usize) -> String {
        format!("{}{table}{}", wrapped(self.title, columns), wrapped(&self.intro, columns))
    }

    pub fn section(&self, id: &str) -> Section {
        Section::new(id, self.title, self.intro.clone(), self.table())
    }

    pub fn section_above(&self, other: &Grid, id: &str) -> Section {
        let body = html! {
            (self.table())
            h3 class="below" { (other.title) }
            p class="aside" { (other.intro) }
            (other.table())
        };
        Section::new(id, self.title, self.intro.clone(), body)
    }

    pub fn table(&self) -> Markup {
        self.plain().markup()
    }
}
