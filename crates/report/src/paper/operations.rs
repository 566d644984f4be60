// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables 1 and 2 as published: K. Thomson and J. Browne, "Designing and Optimizing Microsoft Windows CE .NET for Real-Time
//! Performance", June 2002: ILTiming and OSBench of Windows CE .NET on three processors.
//!
//! They appear next to our figures as printed: other machines, another system, and a clock whose steps show in them.
use backwall_model::papers::ce_net;

pub const SOURCE: &str = "Thomson and Browne, June 2002";

pub const NOTE: &str = "The paper's figures are microseconds of Windows CE .NET on the named processors, from 100 \
    samples a row; the paper subtracts the mean cost of a clock reading. backwall's figures include one clock reading. \
    In the paper, the smallest and largest figures of rows without a loop are multiples of 0.838 us, the step of a PC's \
    timer. The paper does not name its clock; this suggests that timer.";

pub const PROCESSORS: [&str; 3] =
    [ce_net::TABLE_1.rows[0].name, ce_net::TABLE_1.rows[1].name, ce_net::TABLE_1.rows[2].name];

/// Table 1, for each processor: minimum, maximum and average of the ISR latency, then of the IST latency, in microseconds.
pub const TABLE_1: [[&str; 6]; 3] = {
    let rows = ce_net::TABLE_1.rows;
    [rows[0].cells(0), rows[1].cells(0), rows[2].cells(0)]
};

/// Table 2: for each row from 1 on, and each processor, minimum, maximum and average in microseconds.
pub static TABLE_2: [[[&str; 3]; 3]; 33] = {
    let mut table = [[[""; 3]; 3]; 33];
    let mut number = 0;
    while number < table.len() {
        let row = ce_net::TABLE_2.rows[number];
        table[number] = [row.cells(0), row.cells(3), row.cells(6)];
        number += 1;
    }
    table
};

pub fn row(number: u64) -> Option<&'static [[&'static str; 3]; 3]> {
    TABLE_2.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    // These rows have no loop; the note on the clock explains the steps.
    #[test]
    fn least_and_largest_are_whole_steps_of_a_pc_s_timer() {
        let step = 1e6 / 1_193_182.0;
        for row in TABLE_2.iter().take(22).filter(|row| !row[0][0].starts_with("0.0")) {
            for text in row.iter().flat_map(|[min, max, _]| [min, max]) {
                let steps = text.parse::<f64>().unwrap() / step;
                assert!((steps - steps.round()).abs() < 0.01, "{text}");
            }
        }
    }

    #[test]
    fn every_average_lies_between_its_minimum_and_its_maximum() {
        let figure = |text: &str| text.parse::<f64>().unwrap();
        for (number, row) in TABLE_2.iter().enumerate() {
            for [min, max, average] in row.map(|figures| figures.map(figure)) {
                assert!(min <= average && average <= max, "row {}", number + 1);
            }
        }
        assert_eq!((row(1).unwrap()[0][0], row(33).unwrap()[2][2]), ("9.219", "0.015"));
        assert!(row(0).is_none() && row(34).is_none());
    }
}
