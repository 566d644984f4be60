// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong input gets one line that says what and where, the right exit code, and leaves no files.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

const CASES: &[(&str, i32, &str)] = &[
    ("run --quik", 2, "unknown option '--quik'; did you mean '--quick'?"),
    ("run extra", 2, "unexpected argument 'extra'; backwall run --help lists its options and arguments"),
    ("runn", 2, "unknown command 'runn'; did you mean 'run'?"),
    ("run --for 30x", 2, "invalid value '30x' for '--for <TIME>': \"30x\" is not a duration"),
    ("run --for 0", 2, "--for must be at least one --period"),
    ("run --for 100000000h", 2, "\"100000000h\" is too long; the limit is"),
    ("run -D 1ms -i 10000", 2, "--duration is too short: each phase must have at least one --period"),
    ("run -D 8761h", 2, "--duration must be at most 8760h (one year)"),
    ("run -D 10 --for 10", 2, "the argument '--duration <TIME>' cannot be used with"),
    ("run --durations 10", 2, "unknown option '--durations'; did you mean '--duration'?"),
    (
        "run --policy fair",
        2,
        "invalid value 'fair' for '--policy <POLICY>'; [possible values: fifo, rr, deadline, other]",
    ),
    ("run --policy deadline --cpu 0", 2, "leave out --cpu with --policy deadline"),
    ("run --policy other -p 5", 2, "--policy other does not take a --priority"),
    ("run --policy rr -p 0", 2, "--policy rr needs --priority 1 to 99, got 0"),
    ("run --load spin@100", 2, "--load spin@100: priority must be 0 to 99"),
    ("run --load spin@", 2, "--load: spin@: priority must be 0 to"),
    ("run --load spin*513", 2, "--load: spin*513: expected 1 to 512 copies"),
    ("run --load spin*", 2, "--load: spin*: expected 1 to 512 copies"),
    (
        "run --load spin@20-60",
        2,
        "--load: spin@20-60: a range of priorities needs several copies, as in spin*200@20-60",
    ),
    ("run --load spin*9@0-5", 2, "--load spin*9@0-5: a real-time priority must be at least 1"),
    ("run --load spin*9@60-100", 2, "--load spin*9@60-100: priority must be 0 to 99"),
    ("run --load memory*2", 2, "--load memory*2: at most one copy on a CPU: this load has memory or files of its own"),
    ("run --load all*2", 2, "--load all*2: at most one copy on a CPU"),
    ("run --load handoff*65", 2, "--load handoff*65: at most 64 copies on a CPU"),
    ("run --load-cmd=", 2, "--load-cmd must not be empty"),
    ("run -t 257", 2, "invalid value '257' for '--threads [<N>]'"),
    ("run -h 0", 2, "invalid value '0' for '--histogram <N>'"),
    ("run --for -1s", 2, "unknown option '-1'"),
    ("run --for 1ms --period 10ms", 2, "--for must be at least one --period"),
    ("run --for 8761h", 2, "--for must be at most 8760h (one year)"),
    ("run --for 5000000h", 2, "--for must be at most 8760h (one year)"),
    ("run --period 0", 2, "--period must be 1us to 1h"),
    ("run --period 1e3", 2, "invalid value '1e3' for '--period <TIME>'"),
    ("run --deadline 0", 2, "--deadline must be 1ns to 8760h; without it, the deadline is one period"),
    ("run --stop-above 0", 2, "--stop-above must be at least 1ns"),
    ("run --snapshot-above 0us", 2, "--snapshot-above must be at least 1ns"),
    ("run --stop-above -5", 2, "unknown option '-5'"),
    ("run --stop-above 5 --snapshot-above 5", 2, "the argument '--stop-above <TIME>' cannot be used with"),
    ("run --priority 100", 2, "invalid value '100' for '--priority <P>': 100 is not in 0..=99"),
    ("run --cpu 4000", 4, "CPU 4000 cannot be used: it is absent, offline or outside this process's cpuset"),
    ("run --cpu x", 2, "\"x\" names no CPUs; expected numbers and ranges joined by commas, all, or isolated"),
    ("run --cpu 5-2", 2, "\"5-2\" names no CPUs"),
    ("run --cpu 0,0-300", 2, "--cpu names 301 CPUs; the limit is 256"),
    ("run --load nothing", 2, "--load nothing: unknown; expected none, all, polygons"),
    ("run --load polygon", 2, "; did you mean polygons?"),
    (
        "run --load SPIN",
        2,
        "--load: \"SPIN\": expected NAME or NAME@PRIORITY, several joined by +, or 'none' alone; did you mean spin?",
    ),
    ("watch 1 --every 0", 2, "--every must be greater than 0"),
    ("watch 1 --duration 0s", 2, "--duration must be greater than 0"),
    ("watch 1 --deadline 0", 2, "--deadline must be greater than 0"),
    ("watch 4194304000", 2, "4194304000: no such process"),
    ("run --load spin --load spin", 2, "duplicate --load spin"),
    ("run --measure nothing", 2, "--measure nothing: unknown; expected wakeup"),
    ("run --overrun drop", 2, "invalid value 'drop' for '--overrun <OVERRUN>'; [possible values: skip, queue]"),
    ("run --idle on", 2, "invalid value 'on' for '--idle <IDLE>'; [possible values: as-is, off]"),
    ("run --seed -1", 2, "unknown option '-1'"),
    ("run --require wakeup", 2, "requirement \"wakeup\", column "),
    ("run --require wakeup.p99<5kg", 2, "requirement \"wakeup.p99<5kg\", column "),
    ("run --output /proc/x", 4, "/proc/x: No such file or directory; name another folder with --output"),
    ("run --output /dev/null/x", 4, "/dev/null/x: Not a directory"),
    ("run --probe /nonexistent", 4, "cannot start the probe /nonexistent"),
    ("run --probe /bin/false", 4, "the probe does not list its abilities: exit status: 1"),
    ("bench iltiming -x", 2, "unknown option '-x'"),
    ("bench iltiming -p", 2, "--priority <N>: the value is missing; backwall bench iltiming --help"),
    ("bench iltiming -p 256", 2, "256 is not in 0..=255"),
    ("bench iltiming -p -1", 2, "unknown option '-1'"),
    ("bench iltiming -n 0", 2, "0 is not in 1..=1000000"),
    ("bench iltiming -t many", 2, "invalid value 'many' for '--ticks <N>'"),
    ("bench iltiming -i0 -i3", 2, "--idle-thread takes either 0 (none) or numbers from 1 to 5"),
    ("bench iltiming 5", 2, "unexpected argument '5'; backwall bench iltiming --help"),
    (
        "run --require wakup.missed==0",
        2,
        "no such series; expected wakeup[load=none,idle=as-is], wakeup[load=none,idle=off], \
         wakeup[load=all,idle=as-is]; did you mean wakeup?",
    ),
    ("run --load none --require [load=all].missed==0", 2, "no such series; expected wakeup[load=none,idle=as-is]"),
    (
        "run --require wakeup.max<5instructions",
        2,
        "wakeup[load=none,idle=as-is] is in time, but the limit is in instructions",
    ),
    ("bench iltiming --require wakeup.missed==0", 2, "no such series; expected isr[load=idle1,idle=as-is], ist["),
    ("track --for 1s", 2, "`backwall track` is now `backwall trace record`"),
    ("read x", 2, "`backwall read` is now `backwall import`"),
    (
        "bench iltiming --verbose",
        2,
        "unknown option '--verbose'; backwall bench iltiming --help lists its options and arguments",
    ),
    (
        "tasks run x --verbose",
        2,
        "unknown option '--verbose'; backwall tasks run --help lists its options and arguments",
    ),
    ("report x --seed 1", 2, "unknown option '--seed'; backwall report --help lists its options and arguments"),
    ("bench events --quick", 2, "missing --paper; for example: backwall bench events --paper"),
    ("import", 2, "missing <FILE>; for example: backwall import "),
    ("run --duration", 2, "--duration <TIME>: the value is missing; backwall run --help explains it"),
    ("compare a", 2, "one run has nothing to be compared with: put -- between"),
    ("compare a b c", 2, "it is not clear which runs are from before the change: put -- between"),
    (
        "tasks predict x --seed 7",
        2,
        "unknown option '--seed'; backwall tasks predict --help lists its options and arguments",
    ),
    (
        "tasks predict x --output y",
        2,
        "unknown option '--output'; backwall tasks predict --help lists its options and arguments",
    ),
    ("check --output x", 2, "unknown option '--output'; backwall check --help lists its options and arguments"),
    (
        "export csv x --require a.missed==0",
        2,
        "unknown option '--require'; backwall export --help lists its options and arguments",
    ),
    (
        "blame x --require a.missed==0",
        2,
        "unknown option '--require'; backwall blame --help lists its options and arguments",
    ),
    (
        "bench interfere --verbose",
        2,
        "unknown option '--verbose'; backwall bench interfere --help lists its options and arguments",
    ),
    (
        "trace record --require a.missed==0 -- true",
        2,
        "unknown option '--require'; backwall trace record --help lists its options and arguments",
    ),
    (
        "trace report x --output y",
        2,
        "unknown option '--output'; backwall trace report --help lists its options and arguments",
    ),
    ("trace export csv x -o y --out z", 2, "unknown option '--out'; did you mean '--output'?"),
    ("trace export chrome x -o y --from 2s --to 1s", 2, "--to must be later than --from"),
    ("trace report x --page y --from 2s --to 2s", 2, "--to must be later than --from"),
    ("generate completions tcsh", 2, "invalid value 'tcsh' for '<SHELL>'"),
];

#[test]
fn every_wrong_input_is_one_line_with_the_right_code_and_leaves_nothing() {
    for (arguments, code, expected) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        let output = command.args(arguments.split(' ')).current_dir(folder.path()).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(*code), "{arguments}: {line}");
        assert_eq!(line.lines().count(), 1, "{arguments}: {line}");
        assert!(line.starts_with("backwall: ") && line.contains(expected), "{arguments}: {line}");
        assert!(output.stdout.is_empty(), "{arguments}");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 0, "{arguments} left something behind");
    }
}

#[test]
fn a_folder_with_a_run_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.json"), "mine").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let output = command.args(["run", "--quick", "--output"]).arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("it holds a run already; name another folder"));
    assert_eq!(std::fs::read(folder.path().join("run.json")).unwrap(), b"mine");
}

#[test]
fn help_version_completions_and_man_pages_are_results_not_errors() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in
        ["--help", "run --help", "bench iltiming -h", "--version", "generate completions bash", "generate man pages"]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        let output = command.args(arguments.split(' ')).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        assert!(output.stderr.is_empty(), "{arguments}");
    }
    let pages = std::fs::read_dir(folder.path().join("pages")).unwrap().count();
    assert!(pages >= 7, "one page per command, {pages} found");
}

#[test]
fn a_path_that_is_no_text_is_a_path_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join(OsStr::from_bytes(b"run-\xff"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["run", "--load", "none", "--for", "600ms", "--quiet", "--probe"]);
    let output = command.arg(backwall_runner::device::built::FAKE).arg("--output").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.join("run.json").exists());
}

#[test]
fn where_nobody_reads_standard_error_the_exit_code_is_still_right() {
    for arguments in [&[][..], &["runn"]] {
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        assert_eq!(command.args(arguments).stderr(write).status().unwrap().code(), Some(2), "{arguments:?}");
    }
}

// The judgement of requirements on a scripted run (see `known_answer.rs`), in words and as an exit code.
fn judged(arguments: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["run", "--probe", backwall_runner::device::built::FAKE, "--load", "none", "--for", "600ms"]);
    let output =
        command.arg("--quiet").args(arguments).arg("--output").arg(folder.path().join("run")).output().unwrap();
    assert!(output.stdout.is_empty(), "{arguments:?}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_did_not_pass_is_said_even_when_quiet() {
    assert_eq!(
        judged(&["--require", "max < 100ms"]),
        (0, String::new()),
        "three releases were skipped, none was that late"
    );
    let (code, line) = judged(&["--require", "max < 1ms", "--require", "p50 < 1ms"]);
    assert_eq!((code, line.lines().count()), (1, 1), "{line}");
    assert!(line.starts_with("FAIL 'max < 1ms': wakeup[load=none,idle=as-is]: largest 3500 us in "), "{line}");
    let (code, line) = judged(&["--require", "p99.99 < 10ms"]);
    assert_eq!((code, line.starts_with("UNDECIDED 'p99.99 < 10ms': ")), (3, true), "{line}");
}

#[test]
fn a_deadline_says_what_is_late() {
    for (deadline, late) in [("10ms", 0), ("1ms", 1), ("100us", 6)] {
        let require = format!("late == {late}");
        assert_eq!(judged(&["--deadline", deadline, "--require", &require]), (0, String::new()), "{deadline}");
    }
}
