// SPDX-License-Identifier: MIT OR Apache-2.0
//! One answer by the instruction, and two answers side by side: as text tables and as a page.
use super::grid::Grid;
use super::page;
use super::picture::chain;
use super::section::Section;
use super::table::Align;
use backwall_capture::trail::difference::Term;
use backwall_capture::trail::hops::LineHop;
use backwall_capture::trail::stretches::Masked;
use backwall_capture::trail::tuned::{Answers, Tuned};
use backwall_capture::trail::visits::{NAMELESS, Visit, by_function};
use backwall_model::picture::{Chain, ChainInstance, ChainPart, ChainVisit};
use backwall_model::units::{Unit, grouped};
use maud::html;

/// Number of rows of a ranked table; one more row sums up the rest.
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
            "Executed instructions (and how many of them ran with interrupts off), and instants in which the CPU waited. Executed plus \
                waited is the latency.{}",
            nameless(visits)
        ),
        columns: [("function", Align::Left), ("mode", Align::Left)].into_iter().chain(right).collect(),
        dispensable: vec!["visits", "waited"],
        rows: shown,
    }
}

/// Each hop of the bench's loop: the instructions executed in it, and the function that executed most.
pub fn hops(hops: &[LineHop]) -> Grid {
    let sum = |visits: &[Visit], of: fn(&Visit) -> u64| visits.iter().map(of).sum::<u64>();
    let counts = |visits: &[Visit]| {
        let each: [fn(&Visit) -> u64; 5] = [
            Visit::took,
            |visit| if visit.user { visit.executed } else { 0 },
            |visit| if visit.user { 0 } else { visit.executed },
            |visit| visit.masked,
            |visit| visit.waited,
        ];
        each.map(|of| grouped(sum(visits, of)))
    };
    let row = |hop: &LineHop| {
        let most = by_function(&hop.visits).into_iter().max_by_key(|(_, took)| took.took());
        let most = most.map_or(String::new(), |((name, _), took)| format!("{name}, {}", grouped(took.took())));
        [hop.line.clone()].into_iter().chain(counts(&hop.visits)).chain([most]).collect::<Vec<String>>()
    };
    let all: Vec<Visit> = hops.iter().flat_map(|hop| hop.visits.clone()).collect();
    let whole = ["all: the latency".to_string()].into_iter().chain(counts(&all)).chain([String::new()]).collect();
    let right = ["took", "user", "kernel", "irqs off", "waited"].map(|name| (name, Align::Right));
    Grid {
        title: "Hops of the answer, in order",
        intro:
            "Instructions from the previous edge, or from the stimulus, to the edge of this line. They sum to what the \
            scope measured."
                .to_string(),
        columns: [("to the edge of", Align::Left)]
            .into_iter()
            .chain(right)
            .chain([("most of it in", Align::Left)])
            .collect(),
        dispensable: vec!["waited", "irqs off"],
        rows: hops.iter().map(row).chain([whole]).collect(),
    }
}

pub fn hops_section(hops: &[LineHop], title: &str, number: usize) -> Section {
    let picture = Chain {
        name: title.to_string(),
        line: ["stimulus"].into_iter().chain(hops.iter().map(|hop| hop.line.as_str())).collect::<Vec<_>>().join(" > "),
        unit: Unit::Instructions,
        hops: ["stimulus".to_string()].into_iter().chain(hops.iter().map(|hop| hop.line.clone())).collect(),
        worst: Some(instance(hops, number)),
        bands: Vec::new(),
    };
    chain::section(&picture, "chain")
}

fn instance(hops: &[LineHop], number: usize) -> ChainInstance {
    let visits =
        hops.iter().map(|hop| ChainVisit { thread: None, how: "edge".to_string(), arrived: hop.from, handed: hop.to });
    let part = |(place, visit): (u32, &Visit)| ChainPart {
        hop: place,
        step: step(visit).to_string(),
        what: visit.function.clone(),
        holder: visit.function.clone(),
        cpu: None,
        from: visit.at,
        time: visit.took(),
    };
    let all = (1..).zip(hops).flat_map(|(place, hop)| hop.visits.iter().map(move |visit| (place, visit)));
    let latency = hops.last().map_or(0, |hop| hop.to);
    ChainInstance { number: number as u64, latency, visits: visits.collect(), ..ChainInstance::default() }
        .with_parts(all.map(part).collect())
}

fn step(visit: &Visit) -> &'static str {
    match (visit.waited > visit.executed, visit.user, visit.masked * 2 > visit.executed) {
        (true, ..) => "halted",
        (_, true, _) => "user",
        (_, _, true) => "masked",
        _ => "kernel",
    }
}

pub fn in_order(visits: &[Visit]) -> Grid {
    let lines = visits.iter().any(|visit| visit.line.is_some());
    let right = ["executed", "masked", "waited"].map(|name| (name, Align::Right));
    Grid {
        title: "Functions in order",
        intro: "The functions from the edge to the answer. A bar marks functions that ran with interrupts off, all or \
                part of the time."
            .to_string(),
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
        intro: "Instructions per function in the first and in the second answer. The differences sum to that of the latencies."
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
        intro:
            "Instructions of the median and of the largest answer. No kernel knows the parameter backwall.nothing: its \
            difference comes only from the timing of the answers. Every other row may contain an error of that size. \
            Instructions are \
            not time: what a setting saves in caches or CPU wakeups does not show."
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
        format!(
            "Instructions; at most {TOLD} functions per setting. --json has all functions; their differences sum \
            to the change."
        )
    };
    Grid {
        title: "Functions with the largest effect on the median response",
        intro,
        columns: left.into_iter().chain(right).collect(),
        dispensable: vec!["with", "without", "mode"],
        rows: told,
    }
}

pub fn page(title: &str, sentence: &str, first: Option<Section>, grids: &[Grid]) -> String {
    let tables = grids.iter().zip(1..).map(|(grid, number)| grid.section(&format!("table-{number}")));
    let sections: Vec<Section> = first.into_iter().chain(tables).collect();
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
        let page = page("x", "y", None, &[in_order(&[visit("<script>alert(1)</script>", 0, 1, 0, 0)])]);
        assert!(!page.contains("<script>alert"));
    }
}
