// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of each operation as text: the 2002 tool's blocks and file, and the complete table.
use super::brief::short_figure;
use super::paper::operations::{self as paper, PROCESSORS};
use super::phrase;
use super::printable::{printable, printable_lines};
use super::table::{Align, Table};
use super::text::requirements;
use super::verdict;
use super::wrap::{narrow, wrapped};
use backwall_model::picture::{Operation, Operations};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Extension, Key, Picture, Run, Series};

/// Numbers and names of the tests: first those of the 2002 tool, then ours.
pub const TESTS: [(u32, &str); 10] = [
    (0, "CriticalSections"),
    (1, "Event set-wakeup"),
    (2, "Semaphore release-acquire"),
    (3, "Mutex"),
    (4, "Voluntary yield"),
    (5, "PSL API call overhead"),
    (6, "Interlocked operations"),
    (7, "Other ways to wake, other CPUs, ordinary priority"),
    (8, "Calls of today"),
    (9, "Making threads and processes"),
];

const RULE: &str = "==================================================";
const LINE: &str = "--------------------------------------------------";

/// Whether a run is from this command, or has operations in a lab guest.
pub fn is_of(run: &Run) -> bool {
    matches!(run.plan.extension, Extension::Osbench(_)) || rows(run).next().is_some()
}

/// The number of measured operations and the range of their medians; `None` for another command's run.
pub fn sentence(run: &Run) -> Option<String> {
    if !is_of(run) {
        return None;
    }
    let median = |row: &Operation, series: &Series| {
        let found = series.quantile(0.5).and_then(|found| found.value)?;
        Some((row.each(found as f64), format!("{} {}", row.name, place(row)).trim_end().to_string(), series.unit))
    };
    let medians = || rows(run).filter_map(|(row, series)| median(row, series));
    let shown = |found: Option<(f64, String, Unit)>| {
        found.map(|(value, name, unit)| format!("{name} {} {}", fine(value), unit.name()))
    };
    let least = shown(medians().min_by(|one, other| one.0.total_cmp(&other.0)));
    let most = shown(medians().max_by(|one, other| one.0.total_cmp(&other.0)));
    let counted: u64 = rows(run).map(|(_, series)| series.counted()).sum();
    let lost: u64 = rows(run).map(|(_, series)| series.known_missed()).sum();
    let mut text = format!("{} operations, {} samples, {} missed", rows(run).count(), grouped(counted), grouped(lost));
    text.extend(least.zip(most).map(|(least, most)| format!("; medians from {least} to {most}")));
    Some(text)
}

pub fn slowest(run: &Run) -> Option<(String, String)> {
    if !is_of(run) {
        return None;
    }
    let medians = rows(run).filter_map(|(row, series)| Some((row, series, series.quantile(0.5)?.value?)));
    let (row, series, median) =
        medians.max_by(|(one, _, a), (other, _, b)| one.each(*a as f64).total_cmp(&other.each(*b as f64)))?;
    let name = format!("{} {}", row.name, place(row));
    let of = format!("largest median of {} operations: {}", rows(run).count(), name.trim_end());
    let each = row.each(median as f64);
    let is_long = series.unit == Unit::Ns && each >= 1e3;
    let short = || short_figure(each.round() as u64, series.unit);
    Some((of, if is_long { short() } else { format!("{} {}", fine(each), series.unit.name()) }))
}

pub fn rows(run: &Run) -> impl Iterator<Item = (&Operation, &Series)> {
    let found = run.pictures.iter().filter_map(|picture| match picture {
        Picture::Operations(Operations { rows, .. }) => Some(rows),
        _ => None,
    });
    found.flatten().filter_map(|row| Some((row, series(run, row)?)))
}

fn series<'a>(run: &'a Run, row: &Operation) -> Option<&'a Series> {
    let is_of = |key: &Key| key.name == row.name && key.variant.get(Operation::TEST) == Some(&row.test);
    run.series.iter().find(|series| is_of(&series.key))
}

pub fn block(row: &Operation, series: &Series) -> String {
    let answer = |yes: bool| if yes { "YES" } else { "NO" };
    let (across, swept) = (answer(row.other_process), answer(row.swept));
    let about = wrapped(&format!("{} ({})", row.about, row.name), RULE.len());
    let figures =
        [("Max", series.max), ("Min", series.min)].map(|(name, value)| (name, value.map(|value| value as f64)));
    let [max, min] = figures.map(|(name, value)| figure(row, series, name, value));
    let avg = figure(row, series, "Avg", series.mean);
    format!(
        "{RULE}\n|  {}  |  IP = {across:>3}  |  CS = {swept:>3}  |  {:>6} IPS\n{LINE}\n{about}{LINE}\n{max}{min}{avg}{LINE}\n{}{RULE}\n",
        row.test,
        row.iterations,
        wrapped(&beside(row, series), RULE.len())
    )
}

fn figure(row: &Operation, series: &Series, name: &str, value: Option<f64>) -> String {
    let shown = match (value, series.unit) {
        (None, _) => format!("{:>14}", "-"),
        (Some(value), Unit::Ns) => format!("{:>14.3} us", row.each(value) / 1e3),
        (Some(value), Unit::Instructions) => format!("{:>14.1} instructions", row.each(value)),
    };
    format!("|  {name} Time = {shown}\n")
}

fn beside(row: &Operation, series: &Series) -> String {
    let scheduler = if row.real_time { "real-time" } else { "ordinary" };
    let processor = if row.other_processor { "two CPUs" } else { "one CPU" };
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| each(row, value as f64, series.unit));
    let quantile = |q: f64| value(series.quantile(q).and_then(|found| found.value));
    let mut text = format!(
        "{scheduler}, {processor}; median {}, p99 {}; first {}; a clock reading {} (step {}); {} samples",
        quantile(0.5),
        quantile(0.99),
        value(row.first),
        each(&Operation::default(), row.clock_read as f64, series.unit),
        each(&Operation::default(), row.clock_step as f64, series.unit),
        grouped(series.counted()),
    );
    for (count, what) in [(row.void, "was not measured"), (row.clamped, "below 0, count as 0")] {
        if count > 0 {
            text.push_str(&format!("; {} {what}", grouped(count)));
        }
    }
    text.extend(row.failure.iter().map(|failure| format!("; {failure}")));
    text
}

fn each(row: &Operation, value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => format!("{} ns", fine(row.each(value))),
        Unit::Instructions => fine(row.each(value)),
    }
}

pub(crate) fn fine(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { grouped(value.round() as u64) }
}

pub fn table(run: &Run) -> Table {
    let mut table = Table::new(&COLUMNS);
    rows(run).for_each(|(row, series)| table.row(cells(row, series)));
    table
}

/// Columns that the blocks also show and a narrow terminal leaves out, least important first.
const DISPENSABLE: [&str; 8] = ["mean", "row", "samples", "first", "p99", "min", "unit", "missed"];

const COLUMNS: [(&str, Align); 13] = [
    ("test", Align::Left),
    ("row", Align::Right),
    ("operation", Align::Left),
    ("where", Align::Left),
    ("samples", Align::Right),
    ("missed", Align::Right),
    ("min", Align::Right),
    ("p50", Align::Right),
    ("p99", Align::Right),
    ("max", Align::Right),
    ("mean", Align::Right),
    ("first", Align::Right),
    ("unit", Align::Left),
];

fn cells(row: &Operation, series: &Series) -> Vec<String> {
    let shown = |value: Option<f64>| value.map_or("-".to_string(), |value| fine(row.each(value)));
    let exact = |value: Option<u64>| shown(value.map(|value| value as f64));
    let quantile = |q: f64| exact(series.quantile(q).and_then(|found| found.value));
    let paper_row = row.paper_row.map_or(String::new(), |row| row.to_string());
    let mut cells = vec![row.test.clone(), paper_row, row.name.clone(), place(row)];
    cells.extend([grouped(series.counted()), phrase::count(series.missed)]);
    cells.extend([exact(series.min), quantile(0.5), quantile(0.99), exact(series.max), shown(series.mean)]);
    cells.extend([exact(row.first), series.unit.name().to_string()]);
    cells
}

pub fn place(row: &Operation) -> String {
    let words = [
        (row.other_process, "2 processes"),
        (row.other_processor, "2 CPUs"),
        (row.swept, "CacheSync"),
        (!row.real_time, "ordinary"),
    ];
    words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
}

/// Our rows that the paper also has, next to the figures of its three CPUs; `None` if there are none.
pub fn beside_paper(run: &Run) -> Option<Table> {
    let columns = [&[("row", Align::Right), ("operation", Align::Left), ("where", Align::Left)][..], &FIGURES].concat();
    let mut table = Table::new(&columns);
    let mut any = false;
    for (row, series) in rows(run).filter(|(_, series)| series.unit == Unit::Ns) {
        let Some((number, published)) = row.paper_row.and_then(|number| Some((number, paper::row(number)?))) else {
            continue;
        };
        let us = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{:.3}", row.each(value) / 1e3));
        let exact = |value: Option<u64>| us(value.map(|value| value as f64));
        let mut cells = vec![number.to_string(), row.name.clone(), place(row)];
        cells.extend([exact(series.min), exact(series.max), us(series.mean)]);
        cells.extend(published.iter().flatten().map(|figure| figure.to_string()));
        table.row(cells);
        any = true;
    }
    any.then_some(table)
}

const FIGURES: [(&str, Align); 12] = [
    ("min", Align::Right),
    ("max", Align::Right),
    ("avg", Align::Right),
    ("K6-2 min", Align::Right),
    ("K6-2 max", Align::Right),
    ("K6-2 avg", Align::Right),
    ("P166 min", Align::Right),
    ("P166 max", Align::Right),
    ("P166 avg", Align::Right),
    ("PIII min", Align::Right),
    ("PIII max", Align::Right),
    ("PIII avg", Align::Right),
];
const EXTREMES: [&str; 10] =
    ["K6-2 min", "P166 min", "PIII min", "K6-2 max", "P166 max", "PIII max", "min", "max", "row", "P166 avg"];

pub fn paper_head() -> String {
    format!("Table 2 of the paper ({}; {}), in us, backwall's figures first", paper::SOURCE, PROCESSORS.join("; "))
}

/// The results of other tools, each above our row for the same operation; `None` if there are none.
pub fn beside_peers(run: &Run) -> Option<Table> {
    let right = |name| (name, Align::Right);
    let columns =
        [("tool", Align::Left), ("test", Align::Left), right("samples"), right("min"), right("mean"), right("max")];
    let mut table = Table::new(&columns);
    let figures = |name: &str, test: &str, samples: u64, figures: [Option<f64>; 3]| {
        let shown = figures.map(|value| value.map_or("-".to_string(), |value| format!("{:.3}", value / 1e3)));
        [name.to_string(), test.to_string(), grouped(samples)].into_iter().chain(shown).collect()
    };
    let found = run.pictures.iter().filter_map(|picture| match picture {
        Picture::Operations(found) => Some(&found.peers),
        _ => None,
    });
    let peers: Vec<_> = found.flatten().collect();
    for peer in &peers {
        let said = [peer.min_ns, Some(peer.mean_ns), peer.max_ns].map(|value| value.map(|value| value as f64));
        table.row(figures(&peer.program, "", peer.samples, said));
        for (row, series) in rows(run).filter(|(row, _)| row.test == peer.test) {
            let exact = |value: Option<u64>| value.map(|value| row.each(value as f64));
            let ours = [exact(series.min), series.mean.map(|mean| row.each(mean)), exact(series.max)];
            table.row(figures(&format!("  ours, {}", row.name), &row.test, series.counted(), ours));
            if let Some(equal) = &peer.equal {
                let said = [equal.min_ns, equal.mean_ns, equal.max_ns].map(|value| Some(value as f64));
                table.row(figures("  ours, equal priority", &row.test, equal.samples, said));
            }
        }
    }
    (!peers.is_empty()).then_some(table)
}

pub const PEERS_HEAD: &str = "Next to other tools, in us (docs/evidence/osbench.md says what each tool times)";

/// The complete text, no line longer than `columns` (at least 50): a block for each row, the table, the paper's table, and the
/// problems.
pub fn text(run: &Run, columns: usize, with_blocks: bool) -> String {
    let columns = columns.max(RULE.len());
    let prose = |text: &str| wrapped(&printable(text), columns);
    let blocks: String = rows(run).filter(|_| with_blocks).map(|(row, series)| block(row, series) + "\n").collect();
    let warnings: String = run.warnings.iter().map(|warning| prose(&format!("warning: {warning}"))).collect();
    let paper = beside_paper(run).map_or(String::new(), |table| {
        format!("{}{}{}\n", prose(&paper_head()), table.within(columns, &EXTREMES), prose(paper::NOTE))
    });
    let table = table(run).within(columns, &DISPENSABLE);
    let reservations = match verdict::reservations(run) {
        none if none.is_empty() => none,
        said => prose(said.trim_end_matches([':', ' '])),
    };
    let peers = beside_peers(run);
    let peers = peers.map_or(String::new(), |table| format!("{}{}\n", prose(PEERS_HEAD), table.in_parts(columns, 2)));
    let judged = narrow(&printable_lines(&requirements(run)), columns);
    format!("{reservations}{blocks}{table}\n{paper}{peers}{}{judged}{warnings}", prose(&head(run)))
}

fn head(run: &Run) -> String {
    let ended = if run.interrupted { ", ended early" } else { "" };
    format!(
        "{} on {}{ended}; figures with 1 iteration per sample (IPS) include one reading of the clock, the others none",
        phrase::system(run),
        phrase::processor(run)
    )
}

const CSV: &str = "test,paper_row,name,interprocess,cachesync,other_processor,scheduler,ips,samples,lost,void,clamped,\
unit,first,min,p50,p99,p99.9,max,mean,clock_read,failure\n";

pub fn csv(run: &Run) -> String {
    CSV.to_string() + &rows(run).map(|(row, series)| csv_row(row, series)).collect::<String>()
}

fn csv_row(row: &Operation, series: &Series) -> String {
    let answer = |yes: bool| if yes { "yes" } else { "no" }.to_string();
    let shown = |value: Option<f64>| value.map_or(String::new(), |value| format!("{:.3}", row.each(value)));
    let exact = |value: Option<u64>| shown(value.map(|value| value as f64));
    let quantile = |q: f64| exact(series.quantile(q).and_then(|found| found.value));
    let paper_row = row.paper_row.map_or(String::new(), |row| row.to_string());
    let mut cells = vec![row.test.clone(), paper_row, row.name.clone(), answer(row.other_process), answer(row.swept)];
    cells.push(answer(row.other_processor));
    cells.push(if row.real_time { "real-time" } else { "ordinary" }.to_string());
    cells.extend(
        [row.iterations, series.counted(), series.known_missed(), row.void, row.clamped].map(|count| count.to_string()),
    );
    cells.push(series.unit.name().to_string());
    cells.extend([exact(row.first), exact(series.min), quantile(0.5), quantile(0.99), quantile(0.999)]);
    cells.extend([exact(series.max), shown(series.mean), row.clock_read.to_string()]);
    cells.push(format!("\"{}\"", row.failure.as_deref().unwrap_or("").replace('"', "'")));
    cells.join(",") + "\n"
}
