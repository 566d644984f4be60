// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reader of Saleae Logic 2's digital export as CSV: `Time [s],Channel 0,…`, a row at each change; `X` was not recorded.
use super::format::{BadCapture, Capture, Format, Source, Takes};
use super::rows::{BadRows, Rows, name, wrong};
use super::seconds;
use super::tick::Tick;
use backwall_model::Origin;

/// It begins with the head of its first column.
pub const FORMAT: Format = Format {
    name: "Saleae CSV",
    begins: |start| start.starts_with(b"Time [s],") || start.starts_with(b"\"Time [s]\","),
    takes: Takes::NOTHING,
    read: |source, _| read(source).map_err(BadCapture::of),
};

fn read(source: &mut dyn Source) -> Result<Capture, BadRows> {
    let mut text = String::new();
    let mut number = 0;
    let mut next = |text: &mut String| {
        number += 1;
        text.clear();
        let read = source.read_line(text).map_err(|source| BadRows::Io { line: number, source })?;
        Ok::<_, BadRows>((read > 0).then_some(number))
    };
    next(&mut text)?;
    let mut rows = Rows::new(seconds::rate(), text.trim_end().split(',').skip(1).map(name));
    let (mut first, mut last) = (None, Tick(0));
    while let Some(line) = next(&mut text)? {
        let cells = text.trim_end();
        if cells.is_empty() {
            continue;
        }
        let (time, levels) = cells.split_once(',').unwrap_or((cells, ""));
        let at = seconds::picoseconds(time).ok_or_else(|| {
            wrong(line, time, "is no number of seconds: export with times relative to the start, not with dates")
        })?;
        let at = Tick(at.saturating_sub(*first.get_or_insert(at)).try_into().unwrap_or(u64::MAX));
        if at < last || at > Tick::MAX {
            return Err(wrong(line, time, "is before the instant in front of it"));
        }
        last = at;
        row(&mut rows, line, at, levels)?;
    }
    let edges = rows.finish(last);
    Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() })
}

fn row(rows: &mut Rows, line: u64, at: Tick, cells: &str) -> Result<(), BadRows> {
    let found = cells.split(',').count();
    if found != rows.lines() {
        return Err(BadRows::Columns { line, found: found + 1, wanted: rows.lines() + 1 });
    }
    if let Some(other) = cells.split(',').find(|cell| !["0", "1", "X", "x"].contains(&cell.trim())) {
        return Err(wrong(line, other, "is none of 0, 1 and X: export the digital channels by themselves"));
    }
    rows.row(
        at,
        cells.split(',').map(|cell| match cell.trim() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture;
    use crate::format::Told;
    use std::io::Cursor;

    fn of(text: &str) -> Result<Capture, String> {
        capture::read(Cursor::new(text), &Told::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_at_changes_are_edges_and_x_is_a_gap() {
        let text =
            "Time [s],Channel 0,IRQ\n-0.000010,0,0\n0.0,1,0\n0.0000051,1,1\n0.00001,X,X\n0.00002,0,1\n0.00003,1,1\n";
        let edges = of(text).unwrap().edges;
        let channel: Vec<(u64, bool)> = edges.lines[0].edges.iter().map(|e| (e.at().0 / 1_000, e.level())).collect();
        assert_eq!(channel, [(10_000, true), (30_000, false), (40_000, true)]);
        assert_eq!((edges.lines[0].name.as_str(), edges.lines[1].edges.len()), ("Channel_0", 1));
        assert_eq!((edges.gaps.len(), edges.gaps[0].from.0, edges.end_at.0), (1, 20_000_000, 40_000_000));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let head = "Time [s],a\n";
        for (rows, expected) in [
            ("0,0\n0,2\n", "line 3: \"2\" is none of"),
            ("0,0\n-1,1\n", "line 3: \"-1\" is before"),
            ("2025-01-01T00:00:00,0\n", "line 2: \"2025-01-01T00:00:00\" is no number of seconds"),
            ("0,0,1\n", "line 2: 3 columns, the head has 2"),
            ("0\n", "line 2: "),
        ] {
            let refusal = of(&(head.to_string() + rows)).unwrap_err();
            assert!(refusal.starts_with(expected), "{refusal}");
        }
    }
}
