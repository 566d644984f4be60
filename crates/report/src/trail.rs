// SPDX-License-Identifier: MIT OR Apache-2.0
//! One answer to the instruction, and two of them side by side: as tables of text and as a page.
use super::grid::Grid;
use super::page;
use super::section::Section;
use super::table::Align;
use backwall_capture::trail::difference::Term;
use backwall_capture::trail::stretches::Masked;
use backwall_capture::trail::tuned::{Answers, Tuned};
use backwall_capture::trail::visits::{NAMELESS, Visit, by_function};
use backwall_model::units::grouped;
use maud::html;

/// Rows of ranked tables; the rest is summed in one.
const RANKED: usize = 20;

const TOLD: usize = 3;

fn mode(user: bool) -> String {
    if user { "user" } else { "kernel" }.to_string()
}

fn of_all(part: u64, all: u64) -> String {
    if all == 0 { "-".to_string() } else { format!("{:.1} %", 100.0 * part as f64 / all as f64) }
}

fn nameless(visits: &[Visit]) -> String {
    let without: u64 = visits.iter().filter(|visit| visit.function == NAMELESS).map(|visit| visit.executed).sum();
    if without == 0 { String::new() } else { format!(" {} of them in functions without a name.", grouped(without)) }
}

pub fn ranked(visits: &[Visit]) -> Grid {
    let all: u64 = visits.iter().map(Visit::took).sum();
    let mut rows: Vec<_> = by_function(visits).into_iter().collect();
    rows.sort_by_key(|(function, took)| (std::cmp::Reverse(took.took()), function.clone()));
    let cells = |name: String, user: String, [executed, masked, waited, visits]: [u64; 4]| {
        let mut cells = vec![name, user];
        cells.extend([executed, masked, waited, visits].map(grouped));
        cells.push(of_all(executed + waited, all));
        cells
    };
    let mut shown: Vec<Vec<String>> = rows
        .iter()
        .take(RANKED)
        .map(|((name, user), took)| {
            cells(name.clone(), mode(*user), [took.executed, took.masked, took.waited, took.visits])
        })
        .collect();
    let sum_of = |rows: &[(_, backwall_capture::trail::visits::Took)]| {
        rows.iter().fold([0; 4], |sum, (_, took)| {
            [sum[0] + took.executed, sum[1] + took.masked, sum[2] + took.waited, sum[3] + took.visits]
        })
    };
    if let Some(others) = rows.get(RANKED..).filter(|others| !others.is_empty()) {
        shown.push(cells(format!("{} others", others.len()), String::new(), sum_of(others)));
    }
    shown.push(cells("all: the latency".to_string(), String::new(), sum_of(&rows)));
    let right = ["executed", "masked", "waited", "visits", "of all"].map(|name| (name, Align::Right));
    Grid {
        title: "Functions of the answer, largest first",
        intro: format!(
            "Executed instructions, those of them with interrupts off, and instants in which the CPU waited. They sum \
                to the latency.{}",
            nameless(visits)
        ),
        columns: [("function", Align::Left), ("mode", Align::Left)].into_iter().chain(right).collect(),
        dispensable: vec!["visits", "waited"],
        rows: shown,
    }
}

pub fn in_order(visits: &[Visit]) -> Grid {
    let lines = visits.iter().any(|visit| visit.line.is_some());
    let right = ["executed", "masked", "waited"].map(|name| (name, Align::Right));
    Grid {
        title: "Functions in order",
        intro: "From the edge to the answer. A bar marks interrupts off, all the time or in part.".to_string(),
        columns: [("at", Align::Right), ("", Align::Left), ("function", Align::Left)]
            .into_iter()
            .chain(lines.then_some(("line", Align::Left)))
            .chain([("mode", Align::Left)])
            .chain(right)
            .collect(),
        dispensable: vec!["waited"],
        rows: visits.iter().map(|visit| visit_row(visit, lines)).collect(),
    }
}

fn shade(visit: &Visit) -> &'static str {
    match visit.masked {
        0 => "",
        masked if masked == visit.executed => "\u{2588}",
        _ => "\u{2592}",
    }
}

fn visit_row(visit: &Visit, lines: bool) -> Vec<String> {
    let mut row = vec![grouped(visit.at), shade(visit).to_string(), visit.function.clone()];
    row.extend(lines.then(|| visit.line.clone().unwrap_or_default()));
    row.push(mode(visit.user));
    row.extend([visit.executed, visit.masked, visit.waited].map(grouped));
    row
}

pub fn difference(terms: &[Term]) -> Grid {
    let changed: Vec<&Term> = terms.iter().filter(|term| term.difference != 0).collect();
    let row = |name: String, user: String, [first, second]: [u64; 2], difference: i64| {
        vec![name, user, grouped(first), grouped(second), signed(difference)]
    };
    let sums = |terms: &[&Term]| {
        terms.iter().fold(([0; 2], 0), |(took, difference), term| {
            ([took[0] + term.first, took[1] + term.second], difference + term.difference)
        })
    };
    let mut rows: Vec<Vec<String>> = changed
        .iter()
        .take(RANKED)
        .map(|term| row(term.function.clone(), mode(term.user), [term.first, term.second], term.difference))
        .collect();
    if let Some(others) = changed.get(RANKED..).filter(|others| !others.is_empty()) {
        let (took, difference) = sums(others);
        rows.push(row(format!("{} others", others.len()), String::new(), took, difference));
    }
    let same: Vec<&Term> = terms.iter().filter(|term| term.difference == 0).collect();
    if !same.is_empty() {
        rows.push(row(format!("{} that took the same", same.len()), String::new(), sums(&same).0, 0));
    }
    let (took, all) = sums(&terms.iter().collect::<Vec<_>>());
    rows.push(row("all: the latencies".to_string(), String::new(), took, all));
    let right = ["first", "second", "difference"].map(|name| (name, Align::Right));
    Grid {
        title: "Difference by function, largest first",
        intro: "Instructions that each took of the first answer and of the second. The differences sum to that of the latencies."
            .to_string(),
        columns: [("function", Align::Left), ("mode", Align::Left)].into_iter().chain(right).collect(),
        dispensable: Vec::new(),
        rows,
    }
}

fn signed(difference: i64) -> String {
    let digits = grouped(difference.unsigned_abs());
    match difference {
        0 => digits,
        1.. => format!("+{digits}"),
        _ => format!("-{digits}"),
    }
}

pub fn masked(rows: &[Masked]) -> Grid {
    let right = ["longest", "count", "sum", "at"].map(|name| (name, Align::Right));
    Grid {
        title: "Sections with interrupts off, longest first",
        intro: "For each: the longest in instructions, their number, their sum, and when the longest began."
            .to_string(),
        columns: [("began in", Align::Left), ("ended in", Align::Left)].into_iter().chain(right).collect(),
        dispensable: vec!["at", "sum"],
        rows: rows.iter().take(RANKED).map(masked_row).collect(),
    }
}

fn masked_row(row: &Masked) -> Vec<String> {
    let mut cells = vec![row.began.clone(), row.ended.clone()];
    cells.extend([row.longest, row.count, row.sum, row.at].map(grouped));
    cells
}

pub fn tuned(without: Answers, rows: &[Tuned]) -> Grid {
    let right = ["median", "change", "worst", "change"].map(|name| (name, Align::Right));
    let (median, worst) = (grouped(without.median), grouped(without.worst));
    let first = vec!["without".to_string(), median, String::new(), worst, String::new()];
    Grid {
        title: "Answers with boot parameters",
        intro: "Instructions of the median and of the largest answer. backwall.nothing is a parameter that no kernel \
            knows: its difference comes from the timing of the answers alone, and other rows may have as much. \
            Instructions are not time: what a setting saves in caches or CPU wakeups does not show."
            .to_string(),
        columns: [("boot line", Align::Left)].into_iter().chain(right).collect(),
        dispensable: Vec::new(),
        rows: std::iter::once(first).chain(rows.iter().map(|tuned| tuned_row(without, tuned))).collect(),
    }
}

fn tuned_row(without: Answers, tuned: &Tuned) -> Vec<String> {
    let Answers { median, worst } = tuned.with;
    let change = |before: u64, after: u64| signed(after as i64 - before as i64);
    let (of_median, of_worst) = (change(without.median, median), change(without.worst, worst));
    vec![tuned.words.clone(), grouped(median), of_median, grouped(worst), of_worst]
}

pub fn tuned_functions(rows: &[Tuned]) -> Grid {
    let row = |tuned: &Tuned, term: &Term| {
        let took = [term.first, term.second].map(grouped);
        let mut cells = vec![tuned.words.clone(), term.function.clone(), mode(term.user)];
        cells.extend(took.into_iter().chain([signed(term.difference)]));
        cells
    };
    let right = ["without", "with", "difference"].map(|name| (name, Align::Right));
    let left = ["boot line", "function", "mode"].map(|name| (name, Align::Left));
    let told: Vec<Vec<String>> =
        rows.iter().flat_map(|tuned| tuned.most_changed(TOLD).map(move |term| row(tuned, term))).collect();
    let intro = if told.is_empty() {
        "No function changed it.".to_string()
    } else {
        format!("Instructions; at most {TOLD} functions per setting. --json has all of them; they sum to the change.")
    };
    Grid {
        title: "Functions that changed the median answer most",
        intro,
        columns: left.into_iter().chain(right).collect(),
        dispensable: vec!["with", "without", "mode"],
        rows: told,
    }
}

pub fn page(title: &str, sentence: &str, grids: &[Grid]) -> String {
    let sections: Vec<Section> =
        grids.iter().zip(1..).map(|(grid, number)| grid.section(&format!("table-{number}"))).collect();
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "how late can the response be, and why" } }
            h1 { (title) }
            p { (sentence) }
        }
        @for section in &sections { (section) }
    };
    page::document(title, &main)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(function: &str, at: u64, executed: u64, masked: u64, waited: u64) -> Visit {
        Visit { function: function.to_string(), user: false, line: None, at, executed, masked, waited }
    }

    #[test]
    fn the_last_row_is_the_latency_and_what_was_masked_is_shaded() {
        let visits = [visit("entry", 0, 12, 12, 0), visit("wake", 12, 30, 5, 0), visit("idle", 42, 2, 0, 10)];
        let text = ranked(&visits).text(80);
        let last = text.lines().find(|line| line.starts_with("all: the latency")).unwrap();
        assert!(last.contains("44") && last.contains("17") && last.contains("100.0 %"), "{text}");
        let shades: Vec<String> = in_order(&visits).rows.into_iter().map(|row| row[1].clone()).collect();
        assert_eq!(shades, ["\u{2588}", "\u{2592}", ""]);
        assert_eq!(in_order(&visits).columns[3].0, "mode", "no line is known");
        let known = Visit { line: Some("irq.c:7".to_string()), ..visits[0].clone() };
        let grid = in_order(&[known, visits[1].clone()]);
        assert_eq!(
            (grid.columns[3].0, &grid.rows[0][3], &grid.rows[1][3]),
            ("line", &"irq.c:7".to_string(), &String::new())
        );
    }

    #[test]
    fn the_differences_that_are_shown_sum_to_the_last_row() {
        let term =
            |n: u64| Term { function: format!("f{n}"), user: false, first: 100, second: 100 + n, difference: n as i64 };
        let terms: Vec<Term> = (0..30).rev().map(term).collect();
        let rows = difference(&terms).rows;
        let number = |row: &Vec<String>| row[4].replace([',', '+'], "").parse::<i64>().unwrap();
        let (last, others) = rows.split_last().unwrap();
        assert_eq!(others.iter().map(number).sum::<i64>(), number(last));
        assert_eq!((number(last), others.len()), (435, RANKED + 2));
    }

    #[test]
    fn a_setting_stands_below_the_answers_without_it_with_the_functions_that_it_changed() {
        let term = |name: &str, second: u64| Term {
            function: name.to_string(),
            user: false,
            first: 3,
            second,
            difference: second as i64 - 3,
        };
        let with = Answers { median: 104, worst: 290 };
        let terms = [9, 2, 3].into_iter().zip(["wake", "entry", "same"]).map(|(took, name)| term(name, took)).collect();
        let setting = [Tuned { words: "x".to_string(), with, terms }];
        let rows = tuned(Answers { median: 100, worst: 300 }, &setting).rows;
        assert_eq!(rows[0], ["without", "100", "", "300", ""].map(str::to_string));
        assert_eq!(rows[1], ["x", "104", "+4", "290", "-10"].map(str::to_string));
        let functions: Vec<_> =
            tuned_functions(&setting).rows.into_iter().map(|row| (row[1].clone(), row[5].clone())).collect();
        assert_eq!(
            functions,
            [("wake", "+6"), ("entry", "-1")].map(|(name, change)| (name.to_string(), change.to_string()))
        );
    }

    #[test]
    fn a_hostile_name_cannot_open_an_element_of_the_page() {
        let page = page("x", "y", &[in_order(&[visit("<script>alert(1)</script>", 0, 1, 0, 0)])]);
        assert!(!page.contains("<script>alert"));
    }
}
