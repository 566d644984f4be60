// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program costs a guest per wakeup, and what recording a switch costs, as text.
use super::table::{Align, Table};
use super::wrap::{COLUMNS, wrapped};
use backwall_capture::trail::cost::{Cost, KernelCounts};
use backwall_model::units::{grouped, tenths};

/// One row per recording method, with the instructions it adds to an unrecorded switch.
pub fn recorded(counted: &KernelCounts, added: &[f64], switches: u64) -> String {
    let head = format!("{}, instructions for each of {} thread switches", counted.guest, grouped(switches));
    let mut table = table("recorded", &["added"]);
    for (cost, added) in counted.costs.iter().zip(added) {
        table.row(row(cost, &[if cost.bent.is_some() { "-".to_string() } else { tenths(*added) }]));
    }
    whole(&head, &table, counted)
}

pub fn woken(counted: &KernelCounts, wakeups: u64, period_us: u64) -> String {
    let head = format!(
        "{}, instructions for each of {} wakeups at {} us",
        counted.guest,
        grouped(wakeups),
        grouped(period_us)
    );
    let mut table = table("program", &[]);
    counted.costs.iter().for_each(|cost| table.row(row(cost, &[])));
    whole(&head, &table, counted)
}

fn table(name: &str, more: &[&str]) -> Table {
    let figures = ["user", "kernel", "sum"].iter().chain(more).map(|name| (*name, Align::Right));
    Table::new(&[(name, Align::Left)].into_iter().chain(figures).collect::<Vec<_>>())
}

/// Counts that do not lie on a straight line give no figure.
fn row(cost: &Cost, more: &[String]) -> Vec<String> {
    let figures = [cost.user, cost.kernel, cost.sum()];
    let shown = figures.map(|value| if cost.bent.is_some() { "-".to_string() } else { tenths(value) });
    [cost.program.clone()].into_iter().chain(shown).chain(more.iter().cloned()).collect()
}

fn whole(head: &str, table: &Table, counted: &KernelCounts) -> String {
    let bent = counted.costs.iter().filter_map(|cost| Some((cost, cost.bent?)));
    let said = bent.map(|(cost, [first, second])| {
        let (first, second) = (tenths(first), tenths(second));
        let text = format!(
            "{}: no figure, because the cost varies: a wakeup costs {first} instructions from N to 2N wakeups, but \
                {second} from 2N to 3N; try a larger --wake-ups",
            cost.program
        );
        wrapped(&text, COLUMNS)
    });
    format!("{}{}{}\n", wrapped(head, COLUMNS), table.text(), said.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_off_the_line_are_no_figures_and_the_others_have_groups() {
        let cost = |program: &str, bent| Cost { program: program.into(), user: 250.5, kernel: 7_515.6, bent };
        let costs = vec![cost("cyclictest", None), cost("backwall", Some([9_380.2, 7_700.0]))];
        let text = woken(&KernelCounts { guest: "Linux".into(), costs }, 2_000, 1_000);
        assert!(text.contains("cyclictest  250.5  7,515.6  7,766.1\n"), "{text}");
        assert!(text.contains("backwall        -        -        -\n"), "{text}");
        assert!(text.contains("backwall: no figure, because the cost varies: a wakeup costs 9,380.2\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    }
}
