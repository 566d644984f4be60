// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a recording in ftrace's text format; prints the late responses of its real-time threads and what delayed each.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found")]
use backwall_trace::account::analysis::Analysis;
use backwall_trace::late::lates::{Late, Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::stored::OpenRecording;
use std::io::Write;

const RECORDING: &str = "# tracer: nop
#
      sh-9     [000] d..2. 1819.846400: sched_switch: prev_comm=sh prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=cc1 next_pid=15360 next_prio=120
     cc1-15360 [000] dN.4. 1819.846477: sched_waking: comm=motor pid=15358 prio=19 target_cpu=000
     cc1-15360 [000] dN.2. 1819.847177: sched_switch: prev_comm=cc1 prev_pid=15360 prev_prio=120 prev_state=R ==> next_comm=motor next_pid=15358 next_prio=19
";

fn told(recording: &str) -> String {
    let mut file = tempfile::tempfile().expect("a place for files");
    file.write_all(recording.as_bytes()).expect("room for a small file");
    let mut stored = OpenRecording::of(file).expect("a recording");
    let (timers, marks) = (stored.about().is_monotonic(), stored.about().marks);
    let (above_ns, whose) = (100_000, Whose::RealTime);
    let mut analysis = Analysis::new(Lates::new(Question { above_ns, whose, timers, marks, to_end: false }));
    stored.play(&mut analysis).expect("whole");
    analysis.finish().1.lates.iter().map(line).collect()
}

fn line(late: &Late) -> String {
    let shares = late.blame.shares.iter().map(|share| format!(" {:?} {} ns", share.cause, share.ns));
    format!("{} {} ns:{}\n", late.thread.name, late.latency_ns, shares.collect::<String>())
}

fn main() {
    print!("{}", told(RECORDING));
}

#[test]
fn who_was_below_and_could_not_be_preempted_is_named() {
    assert_eq!(told(RECORDING), "motor 700000 ns: Blocking 700000 ns\n");
}
