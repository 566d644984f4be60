// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the header above the numbers: names, units, the rate, and the time column.
use super::cells::{self, Separator, is_number};
use crate::rows::{BadRows, name, wrong};
use crate::seconds;
use crate::sigrok::samplerate;
use crate::tick::Tick;
use backwall_model::units::ClockRate;

#[derive(Debug)]
pub(super) struct Head {
    pub(super) separator: Separator,
    pub(super) skipped: usize,
    /// The time column; `None` if each row is one sample.
    pub(super) time: Option<Time>,
    pub(super) columns: Vec<(usize, String)>,
    pub(super) scales: Vec<f32>,
    pub(super) wanted: usize,
    pub(super) rate: Option<ClockRate>,
    /// Picoseconds between two rows, if the header states it.
    pub(super) step: Option<i64>,
    pub(super) volts: bool,
    /// Whether columns have names; and whether several of them are times.
    pub(super) named: bool,
    pub(super) times: bool,
    pub(super) first_row: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) column: usize,
    pub(super) kind: Kind,
    /// Whether the file states the unit; otherwise the times are taken as seconds.
    pub(super) stated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A time in a unit, given as a power of ten of a second.
    Unit(i32),
    /// The number of a sample, with this interval in picoseconds.
    Number(i64),
    /// sigrok's format: times in nanoseconds. sigrok computes them from this length of a sample, which it rounds to whole
    /// nanoseconds.
    Sigrok(u64),
}

#[derive(Default)]
pub(super) struct Preamble {
    /// The rate that the user gave.
    told: Option<ClockRate>,
    names: Vec<String>,
    rate: Option<ClockRate>,
    step: Option<i64>,
    /// The scale of a file with one unit for all its values.
    scale: Option<f32>,
    sigrok: bool,
    rows: Vec<(u64, Vec<String>)>,
    comments: u64,
}

/// Splits a header cell into name and unit: `CH1(V)`, `Time [s]`, `Vol in V`.
fn parts(cell: &str) -> (&str, &str) {
    let cell = cell.trim();
    let inner = |open: char, close: char| {
        let (front, rest) = cell.split_once(open)?;
        let unit = rest.strip_suffix(close)?.trim();
        // `Bus [0]` is a line of a bus, not a unit.
        (!unit.bytes().all(|byte| byte.is_ascii_digit())).then_some((front.trim(), unit))
    };
    // `X(CH1)` of a DS1102E names the channel and has no unit.
    if let Some(channel) = cell.strip_prefix("X(").and_then(|rest| rest.strip_suffix(')')) {
        return (channel, "");
    }
    let spoken = || cell.strip_prefix("in ").map(|unit| ("", unit)).or_else(|| cell.split_once(" in "));
    inner('(', ')').or_else(|| inner('[', ']')).or_else(spoken).unwrap_or((cell, ""))
}

/// A unit of time as a power of ten of a second.
fn time_unit(text: &str) -> Option<i32> {
    match text.to_ascii_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(0),
        "ms" | "msec" | "millisecond" | "milliseconds" => Some(-3),
        // The last pattern is a micro sign in another encoding. No other unit of time contains a character beyond ASCII.
        "us" | "usec" | "µs" | "μs" | "microsecond" | "microseconds" | "\u{fffd}s" => Some(-6),
        "ns" | "nsec" | "nanosecond" | "nanoseconds" => Some(-9),
        "ps" | "picosecond" | "picoseconds" => Some(-12),
        _ => None,
    }
}

/// The unit behind a number: a unit of time, or the prefix of one.
pub(super) fn unit_of_cell(text: &str) -> Option<i32> {
    time_unit(text).or(match text {
        "m" => Some(-3),
        "u" | "µ" | "μ" => Some(-6),
        "n" => Some(-9),
        "p" => Some(-12),
        _ => None,
    })
}

/// Names of the time column, also in other languages.
const TIMES: [&str; 14] = [
    "time",
    "second",
    "seconds",
    "x-axis",
    "t",
    "zeit",
    "temps",
    "tiempo",
    "tempo",
    "tijd",
    "tid",
    "время",
    "时间",
    "時間",
];

/// The unit within a name: `time_us`, `t-ms`, `Time ns`.
fn unit_within(word: &str) -> Option<i32> {
    let (front, unit) = word.rsplit_once(['_', '-', ' ', '.'])?;
    let is_time = TIMES.contains(&front) || front.starts_with("time") || front.ends_with("time");
    time_unit(unit).filter(|_| is_time)
}

/// Whether a column is the time. If its name contains the unit, also the unit as a power of ten of a second.
pub(super) fn time_of(cell: &str) -> Option<Option<i32>> {
    let (name, unit) = parts(cell);
    let word = name.to_lowercase();
    let known = TIMES.contains(&word.as_str())
        || time_unit(unit).is_some()
        || (word.starts_with("time") && !word.contains("div"))
        || time_unit(&word).is_some()
        || unit_within(&word).is_some();
    known.then(|| time_unit(unit).or_else(|| time_unit(&word)).or_else(|| unit_within(&word)))
}

/// Whether a time column has a unit of unknown length, such as `Time (ticks)`.
fn has_strange_unit(cell: &str) -> bool {
    let unit = parts(cell).1;
    !unit.is_empty() && time_unit(unit).is_none()
}

fn counts_samples(cell: &str) -> bool {
    let word: String = parts(cell).0.to_ascii_lowercase().replace(['_', ' ', '.'], "");
    const COUNTS: [&str; 14] = [
        "x",
        "nr",
        "n",
        "sample",
        "samples",
        "index",
        "sequence",
        "#",
        "sample#",
        "samplenumber",
        "sampleno",
        "samplenr",
        "samplenum",
        "sampleindex",
    ];
    COUNTS.contains(&word.as_str())
}

fn is_volts(cell: &str) -> bool {
    let (name, unit) = parts(cell);
    ["v", "mv", "uv", "kv", "volt", "volts", "value", "vol.", "ampl"]
        .iter()
        .any(|word| unit.eq_ignore_ascii_case(word) || (unit.is_empty() && name.eq_ignore_ascii_case(word)))
}

// Words that makers write above a column instead of its name.
fn is_no_name(text: &str) -> bool {
    ["logic", "level", "waveform data"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn volts_of(cell: &str) -> Option<f32> {
    let (name, unit) = parts(cell);
    let unit = if unit.is_empty() { name } else { unit };
    match unit.to_ascii_lowercase().as_str() {
        "uv" => Some(1e-6),
        "mv" => Some(1e-3),
        "kv" => Some(1e3),
        _ => None,
    }
}

impl Preamble {
    pub(super) fn told(told: Option<ClockRate>) -> Self {
        Self { told, ..Self::default() }
    }

    pub(super) fn comment(&mut self, text: &str) {
        self.comments += 1;
        self.sigrok |= text.contains("generated by libsigrok ");
        if let Some((_, names)) = text.strip_prefix("Channels (").and_then(|rest| rest.split_once(':')) {
            self.names = names.split(',').map(name).collect();
        } else if let Some((key, value)) = text.split_once([':', '=']) {
            self.setting(key, value);
        }
    }

    fn setting(&mut self, key: &str, value: &str) {
        let key: String = key.to_ascii_lowercase().chars().filter(|letter| letter.is_ascii_alphabetic()).collect();
        let value = value.trim().trim_start_matches("Analog:").trim_matches([',', '"', ' ']);
        match key.as_str() {
            "rate" | "samplerate" | "samplingrate" | "samplefrequency" | "samplingfrequency" => {
                self.rate = self.rate.or(rate(value))
            }
            "sampleinterval" | "samplinginterval" | "samplingperiod" | "timeinterval" | "tinc" | "xinc"
            | "increment" | "clock" => self.step = self.step.or_else(|| step(value)),
            "unit" => self.scale = self.scale.or_else(|| volts_of(value)),
            _ => {}
        }
    }

    /// Whether a row repeats the line numbers in the comment above it. Such numbers cannot be levels.
    pub(super) fn names_again(&self, row: &[&str]) -> bool {
        let same = self.names.len() == row.len() && self.names.iter().zip(row).all(|(name, cell)| name == cell);
        same && self.rows.is_empty() && row.iter().any(|cell| !["0", "1"].contains(cell))
    }

    /// Whether a row has settings on the left and numbers on the right, as in files of Tektronix TDS.
    pub(super) fn holds_values(&self, row: &[&str]) -> bool {
        let setting = row.len() >= 5 && !is_number(row[0]) && time_of(row[0]).is_none();
        self.rows.is_empty() && setting && is_number(row[3]) && is_number(row[4])
    }

    pub(super) fn row(&mut self, line: u64, text: &str, row: &[&str]) -> Result<(), BadRows> {
        let (key, value) =
            row.split_first().map_or(("", ""), |(key, rest)| (*key, rest.first().copied().unwrap_or("")));
        self.setting(key, value);
        for cell in row {
            if let Some((key, value)) = cell.split_once('=') {
                self.setting(key, value);
            }
        }
        // A cell of the time column that is not a number is a date.
        if let Some((_, last)) = self.rows.last()
            && last.len() == row.len()
            && row.len() > 1
            && time_of(&last[0]).is_some()
            && row[1..].iter().all(|cell| is_number(cell))
        {
            return Err(wrong(line, row[0], "is not a number of seconds; export relative times, not dates"));
        }
        if self.rows.is_empty() && self.comments == 0 && text.len() > 1 << 12 {
            return Err(BadRows::Head("the first row is too long to hold column names"));
        }
        self.rows.push((line, row.iter().map(|cell| cell.to_string()).collect()));
        Ok(())
    }

    pub(super) fn without_rows(self) -> BadRows {
        match self.rows.last() {
            None => BadRows::Head("the export is empty: it has neither column names nor numbers"),
            Some(_) if self.rows.iter().any(|(_, row)| is_decoded(row)) => BadRows::Head(DECODED),
            Some(_) => BadRows::Head(WITHOUT_NUMBERS),
        }
    }

    pub(super) fn head(mut self, separator: Separator, row: &[&str], line: u64) -> Result<Head, BadRows> {
        let skipped = if self.holds_values(row) { 3 } else { 0 };
        let width = row.len() - skipped;
        if skipped > 0 {
            self.rows.clear();
            let names = vec!["TIME".to_string(), "CH".to_string()];
            self.rows.push((line, names));
        }
        let (heading, units) = self.heading(width);
        let volts = heading.iter().chain(&units).any(|cell| is_volts(cell)) || skipped > 0;
        let time = self.time(&heading, &units, row)?;
        if time.is_some() && heading.len() < width {
            return Err(BadRows::Columns { line, found: width, wanted: heading.len() });
        }
        let time = time.map(|time| Time { column: time.column + skipped, ..time });
        let mut columns = self.columns(&heading, width, time.map(|time| time.column - skipped));
        let unit = |column: usize| {
            [&heading, &units].into_iter().filter_map(move |row| row.get(column)).find_map(|cell| volts_of(cell))
        };
        let of_all = self.scale.unwrap_or(1.0);
        let scales = columns.iter().map(|(column, _)| unit(*column).unwrap_or(of_all)).collect();
        columns.iter_mut().for_each(|(column, _)| *column += skipped);
        if columns.is_empty() {
            return Err(wrong(line, &row.join(","), "has a time column only"));
        }
        if heading.is_empty() && columns.len() != width - usize::from(time.is_some()) {
            return Err(BadRows::Columns { line, found: width, wanted: self.names.len() });
        }
        let wanted =
            columns.iter().map(|(column, _)| column + 1).chain(time.map(|time| time.column + 1)).max().unwrap_or(1);
        let another =
            |(column, cell): (usize, &String)| time.is_some_and(|time| time.is_another(column + skipped, cell));
        let (named, times) = (!heading.is_empty(), heading.iter().enumerate().any(another));
        let Self { rate, step, .. } = self;
        let first_row = line;
        Ok(Head { separator, skipped, time, columns, scales, wanted, rate, step, volts, named, times, first_row })
    }

    /// The rows with names and units: the last rows above the numbers that have as many cells as the rows of numbers, or nearly
    /// as many.
    fn heading(&self, width: usize) -> (Vec<String>, Vec<String>) {
        let cells = |from_end: usize| self.rows.len().checked_sub(from_end).map(|index| self.rows[index].1.clone());
        let Some(last) = cells(1) else { return Default::default() };
        let unit = |cell: &String| {
            let bare = cell.trim_start_matches('(').trim_end_matches(')');
            time_unit(bare).is_some() || is_volts(bare) || is_number(cell) || cell == "Sequence" || cell.is_empty()
        };
        let before = cells(2)
            .filter(|before| before.len() >= last.len().min(width) && last.iter().all(unit) && names_columns(before));
        match before {
            Some(before) => (before, last),
            None => (last, Vec::new()),
        }
    }

    /// Unit of sigrok's times if the column name states none. It follows from the first time, which is the length of one sample.
    fn power_by_rate(&self, first: &str) -> Option<i32> {
        let hz = self.rate.filter(|_| self.sigrok)?.hz() as f64;
        let first: f64 = first.parse().ok()?;
        [0, -3, -6, -9, -12].into_iter().find(|power| (0.5..1.5).contains(&(first * 10f64.powi(*power) * hz)))
    }

    fn time(&self, heading: &[String], units: &[String], row: &[&str]) -> Result<Option<Time>, BadRows> {
        let unit = |column: usize| units.get(column).and_then(|unit| time_unit(unit.trim_matches(['(', ')', ' '])));
        // Rigol's column X counts samples, or is the time if its unit says so.
        let of_unit = |index: usize, cell: &str| unit(index).filter(|_| counts_samples(cell)).map(Some);
        let is_time = |(index, cell): (usize, &String)| Some((index, time_of(cell).or_else(|| of_unit(index, cell))?));
        if let Some((column, said)) = heading.iter().enumerate().find_map(is_time) {
            let first = || row.get(column).and_then(|cell| self.power_by_rate(cell));
            let power = said.or_else(|| unit(column)).or_else(first);
            if power.is_none() && has_strange_unit(&heading[column]) {
                return Err(BadRows::Head(STRANGE_UNIT));
            }
            let stated = power.is_some();
            let power = power.unwrap_or(0);
            let rate = self.rate.filter(|rate| self.sigrok && power == -9 && 1_000_000_000 % rate.hz() != 0);
            let kind = rate.map_or(Kind::Unit(power), |rate| Kind::Sigrok((1_000_000_000 / rate.hz()).max(1)));
            return Ok((column < row.len()).then_some(Time { column, kind, stated }));
        }
        let counted = heading.first().is_some_and(|cell| counts_samples(cell)) && row.len() > 1;
        let after =
            |word: &str| heading.iter().position(|cell| cell.eq_ignore_ascii_case(word)).and_then(|at| units.get(at));
        let step = after("Increment").and_then(|cell| seconds::picoseconds(cell)).or(self.step);
        let of_rate = |rate: ClockRate| i64::try_from(1_000_000_000_000 / rate.hz()).ok();
        let step = step.or(self.rate.and_then(of_rate)).filter(|step| *step > 0);
        let told = self.told.and_then(of_rate).filter(|step| *step > 0);
        match (counted, step.or(told)) {
            (false, _) => Ok(None),
            (true, Some(length)) => Ok(Some(Time { column: 0, kind: Kind::Number(length), stated: step.is_some() })),
            (true, None) => Err(BadRows::Head(NO_STEP)),
        }
    }

    /// The columns of values and their names, which come from the row above them, otherwise from the comment, the settings, or
    /// the column number.
    fn columns(&self, heading: &[String], width: usize, time: Option<usize>) -> Vec<(usize, String)> {
        let named = |cell: &str| {
            let (text, unit) = parts(cell);
            if text.is_empty() || (unit.is_empty() && is_volts(cell)) || is_no_name(text) {
                None
            } else {
                Some(name(text))
            }
        };
        let digits = |text: &String| text.bytes().all(|byte| byte.is_ascii_digit());
        let x_axis = heading.first().is_some_and(|cell| cell == "x-axis");
        let sources = self.sources();
        let mut columns = Vec::new();
        for column in 0..width {
            let cell = heading.get(column).map_or("", String::as_str);
            // pandas writes its index without a name.
            let counts = column == 0 && time.is_some_and(|time| time > 0) && (cell.is_empty() || counts_samples(cell));
            if Some(column) == time || counts || ["Start", "Increment"].contains(&cell) {
                continue;
            }
            let at = columns.len();
            let found = named(cell).map(|text| if x_axis && digits(&text) { format!("ch{text}") } else { text });
            let said = || self.names.get(at).or_else(|| sources.get(at)).cloned();
            columns.push((column, found.or_else(said).unwrap_or_else(|| format!("{}", at + 1))));
        }
        columns
    }

    fn sources(&self) -> Vec<String> {
        let row = |key: &str| {
            self.rows.iter().find(|(_, cells)| cells[0].eq_ignore_ascii_case(key)).map(|(_, cells)| &cells[1..])
        };
        let cells = row("Source").or_else(|| row("Vertical Scale")).unwrap_or_default();
        let front = |cell: &String| name(cell.split(':').next().unwrap_or(""));
        cells.iter().map(front).filter(|cell| !cell.is_empty() && !is_number(cell)).collect()
    }
}

/// Whether a row names the columns of Saleae's tables of decoded bytes.
pub(super) fn is_decoded<T: AsRef<str>>(row: &[T]) -> bool {
    let has = |name: &str| row.iter().any(|cell| cell.as_ref().eq_ignore_ascii_case(name));
    has("start_time") || has("Start time [s]") || has("Packet ID")
}

const DECODED: &str = "a table of decoded bytes has no edges; export the raw data of the lines";

const WITHOUT_NUMBERS: &str = "no row of numbers after the column names: the export is empty, its times are dates, or \
    its levels are words or buses; export times in seconds and single lines as 0 and 1";

const STRANGE_UNIT: &str =
    "the unit of the time column is unknown; name the column time_s, time_ms, time_us or time_ns";

const NO_STEP: &str = "its first column counts samples, but the sample interval is missing (Increment, Sample Interval \
    or a rate); export with a time column, or add --samplerate";

fn names_columns(row: &[String]) -> bool {
    row.first().is_some_and(|cell| time_of(cell).is_some() || counts_samples(cell))
        || row.iter().all(|cell| is_volts(cell))
}

/// `1e-06`, `1e-06s`, `1.000us`.
fn step(text: &str) -> Option<i64> {
    let unit = text.rfind(|letter: char| letter.is_ascii_digit() || letter == '.').map_or(0, |at| at + 1);
    let (number, unit) = text.split_at(unit);
    let power = if unit.is_empty() { 0 } else { time_unit(unit.trim())? };
    seconds::picoseconds_of(number, power)
}

/// Parses `1 MHz`, `1e+06Hz`, `1000000.0`.
fn rate(text: &str) -> Option<ClockRate> {
    samplerate(text).or_else(|| {
        let hz: f64 = text.trim().trim_end_matches("Hz").trim_end().parse().ok()?;
        let whole = (1.0..1e15).contains(&hz) && hz.fract() == 0.0;
        whole.then(|| ClockRate::new(hz as u64))?
    })
}

/// `4.860 530 ms` in picoseconds. A unit in the cell replaces the column's.
#[cold]
fn with_unit(cell: &str, power: i32) -> Option<i64> {
    let (number, unit) = cells::split_unit(cell);
    let power = if unit.is_empty() { power } else { unit_of_cell(unit)? };
    seconds::picoseconds_of(&number.replace(cells::is_group_mark, ""), power)
}

impl Time {
    /// Whether the file alone gives the times; otherwise they are numbers of samples at the user's rate.
    pub(super) fn is_complete(self) -> bool {
        self.stated || !matches!(self.kind, Kind::Number(_))
    }

    /// Whether another column is a time, too.
    pub(super) fn is_another(self, column: usize, cell: &str) -> bool {
        column != self.column && time_of(cell).is_some()
    }

    /// The time in ticks, which are picoseconds or samples. It is signed, because the trigger is at 0.
    pub(super) fn at(self, cell: &str) -> Option<i64> {
        match self.kind {
            Kind::Unit(power) => seconds::picoseconds_of(cell, power).or_else(|| with_unit(cell, power)),
            Kind::Number(step) => cell.parse::<i64>().ok()?.checked_mul(step),
            Kind::Sigrok(length) => i64::try_from(cell.parse::<u64>().ok()? / length).ok(),
        }
    }
}

pub(super) fn since(first: i64, at: i64) -> Option<Tick> {
    let distance = u64::try_from(i128::from(at) - i128::from(first)).ok()?;
    (distance <= Tick::MAX.0).then_some(Tick(distance))
}
