// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a recording was understood, by one rule for all readers. backwall counts and reports the parts that it cannot
//! parse. If these are more than 1 %, it refuses the file.
use super::error::ReadError;
use backwall_model::units::{counted, grouped};

/// At most one in this many rows or records may be unknown.
const ONE_OF: u64 = 100;
/// At most this many rows of prose may follow the last event, as at the end of a mail.
const PROSE_MAX: u64 = 40;
const SHOWN_MAX: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Understood {
    yes: u64,
    no: u64,
    first: Option<(u64, String)>,
    /// What to do if backwall cannot parse too many rows; `None` if the first such row does not show it.
    way_out: Option<&'static str>,
    /// Number of rows after the last one that backwall could parse, and the first of these rows.
    since: u64,
    first_since: Option<(u64, String)>,
}

impl Understood {
    #[inline]
    pub(super) fn yes(&mut self) {
        self.yes += 1;
        if self.since > 0 {
            self.settle();
        }
    }

    /// `way_out`: what to do if backwall cannot parse too many rows of a text whose tool is known.
    pub(super) fn of(way_out: Option<&'static str>) -> Self {
        Self { way_out, ..Self::default() }
    }

    /// A row that does not belong to the recording. Before the first event, any rows are accepted.
    #[cold]
    pub(super) fn no(&mut self, line: u64, row: &str) {
        if self.yes > 0 {
            self.since += 1;
            self.way_out = self.way_out.or_else(|| printed_otherwise(row));
            self.first_since.get_or_insert_with(|| (line, row.chars().take(SHOWN_MAX).collect()));
        }
    }

    #[cold]
    pub(super) fn broken(&mut self, line: u64, row: &str) {
        self.settle();
        self.no += 1;
        self.way_out = self.way_out.or_else(|| printed_otherwise(row));
        self.first.get_or_insert_with(|| (line, row.chars().take(SHOWN_MAX).collect()));
    }

    #[cold]
    fn settle(&mut self) {
        self.no += std::mem::take(&mut self.since);
        let since = self.first_since.take();
        self.first = self.first.take().or(since);
    }

    /// Returns a note about the rows that backwall cannot parse, or an error if there are too many. A truncated file's last row
    /// does not count as prose.
    pub(super) fn finish(mut self, is_cut: bool) -> Result<Option<String>, ReadError> {
        let is_prose = !(is_cut && self.since == 1) && self.since <= PROSE_MAX.min(self.yes);
        if !is_prose {
            self.settle();
        }
        let all = self.yes + self.no;
        if let Some((line, row)) = &self.first {
            let text = format!(
                "cannot parse {} of {} rows; the first, line {line}: \"{}\"",
                grouped(self.no),
                grouped(all),
                row.trim_ascii().replace(char::is_control, "?")
            );
            return if is_too_much(self.no, all) {
                let way_out = self.way_out.unwrap_or(ONE_TOOL);
                Err(ReadError::NotRead(format!("{text}; the limit is 1 %; {way_out}")))
            } else {
                Ok(Some(text))
            };
        }
        let prose = || format!("ignored {} rows after the last event", grouped(self.since));
        Ok((self.since > 0).then(prose))
    }
}

/// The command that prints a readable text, if a row shows the wrong options of its tool.
fn printed_otherwise(row: &str) -> Option<&'static str> {
    let hints = [("=0x", FIELDS), (" sched:sched_", super::text_perf::PRINT)];
    hints.iter().find(|(mark, _)| row.contains(mark)).map(|(_, hint)| *hint)
}

const ONE_TOOL: &str = "import the text of one tool: the kernel's trace file, trace-cmd report or perf script";
const FIELDS: &str = "if the text was printed with options/fields, write 0 to options/fields and print again";

/// Returns a note if some events are earlier than their predecessor, and an error if more than 1 % of them are.
pub(super) fn in_order(backward: u64, all: u64) -> Result<Option<String>, ReadError> {
    if is_too_much(backward, all) {
        return Err(ReadError::NotRead(format!(
            "the clock steps back: {} of {} events are earlier than the previous event; are these several recordings, or time differences (perf \
             script --deltatime)? give each recording in its own file, with one clock (trace-cmd record -C mono)",
            grouped(backward),
            grouped(all)
        )));
    }
    let were = counted(backward, "event is", "events are");
    Ok((backward > 0)
        .then(|| format!("{were} earlier than the previous event; backwall uses the previous event's time")))
}

pub(super) fn once(twice: u64, all: u64) -> Result<Option<String>, ReadError> {
    let text = || format!("{} of {} switches and wakeups are duplicates", grouped(twice), grouped(all));
    if is_too_much(twice, all) {
        return Err(ReadError::NotRead(format!("{}; give the recording as its tool printed it", text())));
    }
    Ok((twice > 0).then(text))
}

pub(super) fn is_too_much(no: u64, all: u64) -> bool {
    no.saturating_mul(ONE_OF) > all
}

/// Returns a note if some records are shorter than their format, and an error if more than 1 % of them are.
pub(super) fn records(too_short: u64, all: u64) -> Result<Option<String>, ReadError> {
    if too_short == 0 {
        return Ok(None);
    }
    let text =
        format!("{} of {} records are shorter than their format", grouped(too_short), grouped(all.max(too_short)));
    if is_too_much(too_short, all) {
        return Err(ReadError::NotRead(format!("{text}; the limit is 1 %; the file is damaged, record again")));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(rows: &str, is_cut: bool) -> Result<Option<String>, String> {
        let mut understood = Understood::default();
        for (line, row) in (1..).zip(rows.chars()) {
            match row {
                'y' => understood.yes(),
                'b' => understood.broken(line, "broken"),
                _ => understood.no(line, "prose"),
            }
        }
        understood.finish(is_cut).map_err(|error| error.to_string())
    }

    #[test]
    fn one_of_a_hundred_is_said_and_more_are_refused() {
        let hundred = "y".repeat(99);
        assert_eq!(counted(&hundred, false), Ok(None));
        let said = counted(&format!("y-{hundred}"), false).unwrap().unwrap();
        assert_eq!(said, "cannot parse 1 of 101 rows; the first, line 2: \"prose\"");
        let refused = counted(&format!("y--{hundred}"), false).unwrap_err();
        assert!(refused.starts_with("cannot parse 2 of 102 rows; the first, line 2"), "{refused}");
        assert!(counted(&format!("{hundred}b"), false).is_ok());
        assert!(counted("yyb", false).is_err());
    }

    #[test]
    fn a_row_tells_by_which_option_it_was_printed() {
        let refused = |row: &str| {
            let mut understood = Understood::default();
            understood.yes();
            understood.broken(2, row);
            understood.finish(false).unwrap_err().to_string()
        };
        assert!(refused("a-1 [000] 1.0: sched_waking: comm=x pid=0xe (14)").contains("options/fields"));
        assert!(refused("a 1 [000] K 1.0: sched:sched_waking: comm=x").contains("perf script -F"));
        assert!(refused("prose").contains("of one tool"));
    }

    #[test]
    fn prose_before_and_after_a_recording_is_no_part_of_it() {
        assert_eq!(counted("-----yyy", false), Ok(None));
        assert_eq!(counted("yyy--", false).unwrap().unwrap(), "ignored 2 rows after the last event");
        assert!(counted("yyy-", true).is_err(), "a file that was cut ends with no prose");
        assert!(counted("y--", false).is_err(), "more prose than recording is another format");
        assert!(counted(&("y".repeat(100) + &"-".repeat(41)), false).is_err());
    }

    #[test]
    fn order_and_doubled_rows_follow_the_same_rule() {
        assert_eq!(in_order(0, 5).unwrap(), None);
        assert!(in_order(1, 100).unwrap().unwrap().starts_with("1 event is earlier"));
        assert!(in_order(2, 100).unwrap_err().to_string().contains("the clock steps back: 2 of 100"));
        assert!(once(0, 0).unwrap().is_none() && once(1, 100).unwrap().is_some() && once(2, 100).is_err());
    }

    #[test]
    fn records_follow_the_same_rule() {
        assert!(records(0, 0).unwrap().is_none());
        assert!(records(1, 100).unwrap().is_some());
        assert!(records(2, 100).is_err());
    }
}
