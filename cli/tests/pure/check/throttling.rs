// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may take the CPU from a busy real-time thread: throttling, and the fair server of Linux 6.12.
use super::{PERIOD, RELEASE, RUNTIME, SERVER, SERVER_PERIOD, machine, reading};
use backwall_model::CheckVerdict;
use backwall_tuning::check;

#[test]
fn minus_one_on_linux_6_12_leaves_the_fair_server_and_the_reading_says_so() {
    let files = [
        (RELEASE, "6.12.3-amd64\n"),
        (RUNTIME, "-1\n"),
        (PERIOD, "1000000\n"),
        (SERVER, "50000000\n"),
        (SERVER_PERIOD, "1000000000\n"),
    ];
    let server = reading("fair server", &files);
    assert_eq!(server.verdict, CheckVerdict::Bad);
    assert_eq!(server.value, format!("{SERVER}: 50000000 of 1000000000 ns"));
    assert!(
        server.why.contains("50 ms in each 1000 ms") && server.why.contains("is -1, but that no longer prevents this"),
        "{}",
        server.why
    );
    assert_eq!(server.fix, format!("switch the fair server off on this CPU\necho 0 > {SERVER}"));
    let throttling = reading("throttling", &files);
    assert_eq!(throttling.verdict, CheckVerdict::Note);
    assert!(throttling.why.contains("-1 has no effect"), "{}", throttling.why);
    assert!(check::throttled(&machine(&files).1));
}

#[test]
fn a_fair_server_at_zero_takes_nothing() {
    let files =
        [(RELEASE, "6.18.0"), (RUNTIME, "950000"), (PERIOD, "1000000"), (SERVER, "0"), (SERVER_PERIOD, "1000000000")];
    assert_eq!(reading("fair server", &files).verdict, CheckVerdict::Good);
    assert!(!check::throttled(&machine(&files).1));
}

#[test]
fn before_linux_6_12_throttling_decides() {
    let old = |runtime| [(RELEASE, "6.1.0-37-amd64"), (RUNTIME, runtime), (PERIOD, "1000000")];
    assert_eq!(reading("throttling", &old("950000")).verdict, CheckVerdict::Note);
    assert!(reading("throttling", &old("950000")).why.contains("stopped for 50000 us"));
    assert_eq!(reading("throttling", &old("-1")).verdict, CheckVerdict::Good);
    assert_eq!(reading("fair server", &old("-1")).verdict, CheckVerdict::Good);
    for (runtime, throttled) in [("950000", true), ("-1", false), ("1000000", false), ("what", true)] {
        assert_eq!(check::throttled(&machine(&old(runtime)).1), throttled, "{runtime}");
    }
}

#[test]
fn a_fair_server_in_an_older_kernel_is_found_by_its_file() {
    let files = [
        (RELEASE, "5.14.0-570.el9"),
        (RUNTIME, "-1"),
        (PERIOD, "1000000"),
        (SERVER, "50000000"),
        (SERVER_PERIOD, "1000000000"),
    ];
    assert_eq!(reading("fair server", &files).verdict, CheckVerdict::Bad);
}

#[test]
fn on_linux_6_12_without_debugfs_the_fair_server_is_unknown_counts_as_on_and_says_how_to_read_it() {
    let files = [(RELEASE, "6.12.3"), (RUNTIME, "-1"), (PERIOD, "1000000")];
    let server = reading("fair server", &files);
    assert_eq!(server.verdict, CheckVerdict::Unknown);
    assert_eq!(server.value, format!("{SERVER}: no such file"));
    assert!(server.fix.contains("mount -t debugfs"), "{}", server.fix);
    assert!(check::throttled(&machine(&files).1));
}
