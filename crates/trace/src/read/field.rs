// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts of other people's traces, with the right values, which were derived without backwall (`tests/data/README.md`).
use crate::account::analysis::Analysis;
use crate::blame::Cause;
use crate::late::lates::{Lates, Question};
use crate::late::whose::Whose;
use crate::read::played::Played;
use crate::read::stored::OpenRecording;
use std::io::Write;

const WAKEUP_RT: &str = include_str!("../../tests/data/field/wakeup_rt-latency-format.txt");
const TS_DIFF: &str = include_str!("../../tests/data/field/trace-cmd-report-ts-diff.txt");

fn recorded(text: &str, above_ns: u64) -> (OpenRecording, Played, Lates) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut stored = OpenRecording::of(file).unwrap();
    let question = Question { above_ns, whose: Whose::All, timers: false, marks: stored.about().marks, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question));
    let played = stored.play(&mut analysis).unwrap();
    (stored, played, analysis.finish().1)
}

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
        let (stored, played, lates) = recorded(&text, 100_000);
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
    let (_, played, _) = recorded(TS_DIFF, 0);
    assert_eq!((played.by_name["sched_switch"], played.events(), played.notes.len()), (59, 59, 0), "{played:?}");
}

fn shares(lates: &Lates) -> Vec<(Cause, String, u64)> {
    let shares = &lates.worst.as_ref().unwrap().blame.shares;
    shares.iter().map(|share| (share.cause, format!("{:?}", share.told_culprit()), share.ns)).collect()
}

#[test]
fn timerlats_own_answer_is_read() {
    let text = include_str!("../../tests/data/field/rtla-timerlat-trace.txt");
    for text in [text.to_string(), mailed(text)] {
        let (_, _, lates) = recorded(&text, 20_000);
        assert_eq!((lates.responses, lates.late, lates.unseen), (2, 1, 0));
        let late = lates.worst.as_ref().unwrap();
        assert_eq!((late.latency_ns, late.cpu, late.thread.id, late.blame.total()), (30_328, 6, 79_756, 30_328));
        assert_eq!(late.thread.name.to_string(), "timerlat/6");
        let found = shares(&lates);
        let expected = [
            (Cause::Interference, "local_timer", 12_553),
            (Cause::Masked, "try_to_wake_up", 12_505),
            (Cause::Blocking, "sh", 4_769),
            (Cause::Unexplained, "None", 501),
        ];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((cause, who, ns), (expected, name, expected_ns)) in found.iter().zip(expected) {
            assert_eq!((*cause, *ns), (expected, expected_ns), "{found:?}");
            assert!(who.contains(name), "{who}");
        }
    }
}

#[test]
fn timerlats_answer_holds_beside_switches() {
    let (_, _, lates) = recorded(include_str!("../../tests/data/field/timerlat-and-sched-trace.txt"), 20_000);
    assert_eq!((lates.responses, lates.late, lates.unseen), (2, 1, 0));
    let late = lates.worst.as_ref().unwrap();
    assert_eq!((late.latency_ns, late.cpu, late.thread.id, late.thread.priority), (41_931, 6, 852, 4));
    let found: Vec<(Cause, u64)> = shares(&lates).into_iter().map(|(cause, _, ns)| (cause, ns)).collect();
    let expected = [
        (Cause::IdleExit, 34_689),
        (Cause::Dispatch, 4_339),
        (Cause::Interference, 2_391),
        (Cause::Unexplained, 426),
        (Cause::Interference, 86),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_response_ends_where_the_file_says_it_ended() {
    let (_, _, lates) = recorded(include_str!("../../tests/data/field/late-after-switch.txt"), 30_000);
    assert_eq!((lates.responses, lates.late), (1, 1));
    let late = lates.worst.as_ref().unwrap();
    assert_eq!((late.latency_ns, late.thread.id, late.blame.total()), (72_000, 2_866_344, 72_000));
    let found = shares(&lates);
    assert_eq!((found[0].0, found[0].2), (Cause::Dispatch, 64_000), "{found:?}");
}

#[test]
fn a_recording_that_perf_wrote_into_a_pipe_is_the_one_that_it_writes_into_a_file() {
    let read = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut stored = OpenRecording::of(file)?;
        let mut analysis = Analysis::new(());
        let played = stored.play(&mut analysis)?;
        let events = (played.events(), played.by_name, analysis.finish().0.wakings);
        Ok::<_, crate::read::error::ReadError>((stored.about().form.clone(), events))
    };
    let file = read(include_bytes!("../../../../fuzz/seeds/perf.data")).unwrap();
    let piped = include_bytes!("../../../../fuzz/seeds/perf_pipe.data");
    let pipe = read(piped).unwrap();
    assert_eq!((pipe.0.as_str(), &pipe.1), ("perf.data of a pipe", &file.1));
    assert!(pipe.1.0 > 0);
    let packed = include_bytes!("../../../../fuzz/seeds/perf_packed.data");
    assert_eq!(read(packed).unwrap(), ("perf.data".to_string(), file.1.clone()), "the records of the first, packed");
    for tenth in (0..packed.len() - 1).step_by(10) {
        if let Err(error) = read(&packed[..tenth]) {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }
    for tenth in (0..piped.len() - 1).step_by(10) {
        if let Err(error) = read(&piped[..tenth]) {
            assert_eq!(error.to_string().lines().count(), 1, "{tenth}: {error}");
        }
    }
}

fn survives(text: &str, what: &str) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let question = Question { above_ns: 0, whose: Whose::All, timers: true, marks: true, to_end: true };
    let mut analysis = Analysis::new(Lates::new(question));
    let played = OpenRecording::of(file).and_then(|mut stored| stored.play(&mut analysis));
    match played {
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{what}: {error}"),
        Ok(_) => {
            let (_, lates) = analysis.finish();
            for late in &lates.lates {
                assert_eq!(late.blame.total(), late.latency_ns, "{what}: {late:?}");
            }
        }
    }
}

#[test]
fn damaged_texts_are_read_or_refused_in_one_line() {
    let files = [
        WAKEUP_RT,
        TS_DIFF,
        include_str!("../../tests/data/field/rtla-timerlat-trace.txt"),
        include_str!("../../tests/data/field/timerlat-and-sched-trace.txt"),
        include_str!("../../tests/data/field/late-after-switch.txt"),
    ];
    for (number, text) in files.iter().enumerate() {
        for at in (0..text.len()).step_by(10) {
            survives(&text[..at], &format!("{number} cut at {at}"));
        }
        let rows: Vec<&str> = text.lines().collect();
        for at in 1..rows.len() {
            let mut swapped = rows.clone();
            swapped.swap(at - 1, at);
            survives(&swapped.join("\n"), &format!("{number} swapped at {at}"));
        }
        survives(&[*text, *text].concat(), "doubled, and the clock steps back");
        survives(&[*text, files[(number + 1) % files.len()]].concat(), "two files");
        for figure in ["30328", "12505", "34689", "41931", "72", "1676us", "1689", "217", "4769", "12553"] {
            let huge = figure.trim_end_matches("us");
            let text = text.replace(figure, &figure.replace(huge, "18446744073709551615"));
            survives(&text, &format!("{number} with 2^64-1 for {figure}"));
        }
    }
}
