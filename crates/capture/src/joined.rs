// SPDX-License-Identifier: MIT OR Apache-2.0
//! Joins several files of one acquisition into one capture, for instruments that write one file per channel.
use super::edges::{Edges, Gap};
use super::format::Capture;

/// Why files cannot be of one acquisition.
#[derive(Debug, thiserror::Error)]
pub enum Apart {
    /// Two files whose ticks have different lengths.
    #[error("the sample rates of {0} and {1} differ; join captures of one acquisition only")]
    Rate(String, String),
    /// Two files contain the same line.
    #[error("duplicate line {0} in two of the files")]
    Twice(String),
}

/// All lines of the captures, each with the name of its file in front; the line of a file with a single line gets the file's
/// name. The result covers only the time that all captures cover.
///
/// # Panics
/// Without any capture.
pub fn joined(captures: Vec<(String, Capture)>) -> Result<Capture, Apart> {
    let several = captures.len() > 1;
    let mut captures = captures.into_iter().map(|(name, mut capture)| {
        if several {
            rename(&name, &mut capture.edges);
        }
        (name, capture)
    });
    let (first, mut whole) = captures.next().expect("at least one capture");
    for (name, capture) in captures {
        if capture.edges.rate != whole.edges.rate {
            return Err(Apart::Rate(name, first));
        }
        whole.edges.end_at = whole.edges.end_at.min(capture.edges.end_at);
        whole.edges.gaps.extend(capture.edges.gaps);
        whole.edges.lines.extend(capture.edges.lines);
        whole.interrupted |= capture.interrupted;
        whole.warnings.extend(capture.warnings);
    }
    Gap::join(&mut whole.edges.gaps);
    let names: Vec<&String> = whole.edges.lines.iter().map(|line| &line.name).collect();
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    match twice {
        Some((_, name)) if several => Err(Apart::Twice(name.to_string())),
        _ => Ok(whole),
    }
}

fn rename(file: &str, edges: &mut Edges) {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let alone = edges.lines.len() == 1;
    edges
        .lines
        .iter_mut()
        .for_each(|line| line.name = if alone { stem.to_string() } else { format!("{stem}:{}", line.name) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Line;
    use crate::tick::{Tick, TickRate};
    use backwall_model::Origin;
    use backwall_model::units::ClockRate;

    fn capture(hz: u64, lines: &[&str], end: u64, gap: (u64, u64)) -> Capture {
        let lines = lines.iter().map(|name| Line::new(*name)).collect();
        let gaps = vec![Gap { from: Tick(gap.0), to: Tick(gap.1) }];
        let edges = Edges { rate: TickRate::Clock(ClockRate::new(hz).unwrap()), lines, end_at: Tick(end), gaps };
        Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() }
    }

    #[test]
    fn lines_are_named_by_their_files_and_only_what_all_saw_counts() {
        let files = vec![
            ("digital_0.bin".to_string(), capture(10, &["digital"], 90, (5, 20))),
            ("two.csv".to_string(), capture(10, &["a", "b"], 80, (10, 30))),
        ];
        let edges = joined(files).unwrap().edges;
        let names: Vec<&str> = edges.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!((names, edges.end_at), (vec!["digital_0", "two:a", "two:b"], Tick(80)));
        assert_eq!(edges.gaps, [Gap { from: Tick(5), to: Tick(30) }]);
    }

    #[test]
    fn files_of_two_acquisitions_are_refused() {
        let pair = |hz, name: &str| {
            vec![("a".to_string(), capture(10, &["x"], 9, (1, 2))), (name.to_string(), capture(hz, &["x"], 9, (1, 2)))]
        };
        assert!(matches!(joined(pair(20, "b")), Err(Apart::Rate(..))));
        assert!(matches!(joined(pair(10, "a")), Err(Apart::Twice(_))));
    }
}
