// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures quoted from the papers of 1999 to 2004, as printed, each stored once.
//!
//! All code that shows or names a figure of a paper takes it from here. A test checks the documents against this module
//! (`cli/tests/pure/quotations.rs`). If `BACKWALL_PAPERS` names a folder with the papers' texts, the test also checks this module
//! against them.
pub mod bench;
pub mod ce_net;
pub mod events;
pub mod post;
pub mod text;

/// The source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// Tacke and Ricci, June 2002.
    Bench,
    /// Thomson and Browne, June 2002.
    CeNet,
    /// Jelenkovic and Budin.
    Events,
    /// The newsgroup post.
    Post,
}

/// Figures from one table or figure of a paper, or from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The paper.
    pub paper: Paper,
    /// The table or figure of the paper.
    pub place: &'static str,
    /// Rows in the paper's order.
    pub rows: &'static [Row],
}

/// Figures printed next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What the figures are, in our words.
    pub name: &'static str,
    /// The printed words before the figures.
    pub printed: &'static str,
    /// The figures as printed, in order; an empty cell is an empty string.
    pub values: &'static [&'static str],
}

const fn row(name: &'static str, printed: &'static str, values: &'static [&'static str]) -> Row {
    Row { name, printed, values }
}

/// All that is quoted.
pub const ALL: [Table; 13] = [
    bench::FIGURE_3,
    bench::FIGURE_8,
    bench::FIGURE_11,
    bench::SAID,
    ce_net::TABLE_1,
    ce_net::TABLE_2,
    ce_net::SAID,
    events::TABLE_1,
    events::TABLE_2,
    events::TABLE_3,
    events::TABLES_4_AND_5,
    events::SAID,
    post::SAID,
];

impl Row {
    /// `N` cells, starting at index `from`.
    pub const fn cells<const N: usize>(&self, from: usize) -> [&'static str; N] {
        let mut cells = [""; N];
        let mut index = 0;
        while index < N {
            cells[index] = self.values[from + index];
            index += 1;
        }
        cells
    }

    /// `N` whole numbers, starting at index `from`.
    pub const fn numbers<const N: usize>(&self, from: usize) -> [u64; N] {
        let mut numbers = [0; N];
        let mut index = 0;
        while index < N {
            numbers[index] = number(self.values[from + index]);
            index += 1;
        }
        numbers
    }
}

/// Parses a printed whole number. In a constant, anything else fails to compile.
pub const fn number(text: &str) -> u64 {
    let digits = text.as_bytes();
    assert!(!digits.is_empty());
    let (mut value, mut index) = (0, 0);
    while index < digits.len() {
        assert!(digits[index].is_ascii_digit());
        value = value * 10 + (digits[index] - b'0') as u64;
        index += 1;
    }
    value
}
