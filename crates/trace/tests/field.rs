// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts of other people's traces, with the right values, which were derived without this tool (`tests/data/README.md`).
use backwall_trace::account::analysis::Analysis;
use backwall_trace::blame::Cause;
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::played::Played;
use backwall_trace::read::stored::Stored;
use std::io::Write;

const WAKEUP_RT: &str = include_str!("data/field/wakeup_rt-latency-format.txt");
const TS_DIFF: &str = include_str!("data/field/trace-cmd-report-ts-diff.txt");

fn read(text: &str, above_ns: u64) -> (Stored, Played, Lates) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut stored = Stored::of(file).unwrap();
    let question = Question { above_ns, whose: Whose::All, timers: false, marks: stored.about().marks, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question));
    let played = stored.play(&mut analysis).unwrap();
    (stored, played, analysis.finish().1)
}

/// As a mail program leaves a text: quoted, broken at 72 letters, with the ends of rows of mails.
fn mailed(text: &str) -> String {
    let mut mail = "On Friday somebody wrote:\r\n".to_string();
    for row in text.lines() {
        let mut row = row;
        while row.len() > 72 {
            let Some(at) = row[..=72].rfind(' ').filter(|at| row[..*at].trim().len() > 20) else { break };
            mail += &format!("> {}\r\n", &row[..at]);
            row = &row[at + 1..];
        }
        mail += &format!("> {row}\r\n");
    }
    mail + "\r\nAny ideas?\r\n"
}

#[test]
fn a_trace_of_wakeup_rt_tells_who_could_not_be_preempted() {
    let indented: String = WAKEUP_RT.lines().map(|row| format!("    {row}\n")).collect();
    let logged: String = WAKEUP_RT.lines().map(|row| format!("<4>[   12.345678] {row}\n")).collect();
    for text in [WAKEUP_RT.to_string(), mailed(WAKEUP_RT), indented, logged] {
        let (stored, played, lates) = read(&text, 100_000);
        assert_eq!((played.events(), lates.responses, lates.late), (6, 1, 1), "{text}");
        let late = &lates.lates[0];
        assert_eq!((late.latency_ns, late.thread.id, late.cpu), (1_675_000, 217, 0));
        let share = late.blame.shares[0].told_culprit().map(|culprit| format!("{culprit:?}")).unwrap();
        assert_eq!((late.blame.shares[0].cause, late.blame.shares[0].ns), (Cause::Blocking, 1_675_000));
        assert!(share.contains("232") && share.contains("release_pages in sys_munmap"), "{share}");
        let tracer = stored.about().tracer.as_ref().unwrap();
        assert_eq!((tracer.latency_us, tracer.id, tracer.task.as_str()), (1_689, 217, "cyclictest"));
    }
}

#[test]
fn differences_between_rows_are_no_events() {
    let (_, played, _) = read(TS_DIFF, 0);
    assert_eq!((played.by_name["sched_switch"], played.events(), played.notes.len()), (59, 59, 0), "{played:?}");
}
