// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope` from a capture file to a run.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

fn scope(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("scope").args(arguments).current_dir(folder).output().unwrap()
}

// Ten pulses 100 us apart at 1 MHz; the fourth is missed, the sixth answered twice, the eighth after 130 us.
fn capture() -> String {
    let responses = [105, 205, 305, 505, 605, 610, 705, 905, 930, 1005];
    let pulses = (1..=10).map(|n| (n * 100, '!', 20)).chain(responses.map(|at| (at, '"', 2)));
    let mut changes: Vec<(u32, String)> =
        pulses.flat_map(|(at, id, width)| [(at, format!("1{id}")), (at + width, format!("0{id}"))]).collect();
    changes.sort();
    let body: String = changes.iter().map(|(at, change)| format!("#{at} {change}\n")).collect();
    format!(
        "$timescale 1 us $end\n$var wire 1 ! irq $end\n$var wire 1 \" led $end\n$enddefinitions $end\n#0 0! 0\"\n{body}#1200\n"
    )
}

#[test]
fn a_capture_becomes_a_run_with_figures_pictures_and_a_dump() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    let output = scope(folder.path(), &["a.vcd", "--stimulus", "irq", "--response", "led", "--output", "run", "--png"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    let series = &run["series"][0];
    let counts = ["due", "done", "missed", "late", "min", "max"].map(|name| series[name].as_u64().unwrap());
    assert_eq!(counts, [10, 9, 1, 1, 5_000, 130_000]);
    assert_eq!((series["unit"].as_str(), run["origin"].as_str()), (Some("ns"), Some("imported")));
    let warnings = run["warnings"].to_string();
    assert!(warnings.contains("late and missing responses cannot be told apart for 5 of 10 stimuli"), "{warnings}");
    assert!(warnings.contains("duplicate responses, which belong to no stimulus: 1"), "{warnings}");
    for file in ["report.html", "edges.vcd", "single.png", "average.png", "montage.png", "overall.png"] {
        assert!(folder.path().join("run").join(file).metadata().unwrap().len() > 100, "{file}");
    }
    let again = scope(folder.path(), &["run/edges.vcd", "--stimulus", "irq", "--response", "led", "--output", "again"]);
    assert_eq!(again.status.code(), Some(0));
    let same: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("again/run.json")).unwrap()).unwrap();
    assert_eq!(same["series"], run["series"], "the dump of a run gives the same figures");
}

#[test]
fn a_line_that_never_changes_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let silent = "$var wire 1 # quiet $end\n$enddefinitions";
    std::fs::write(folder.path().join("a.vcd"), capture().replace("$enddefinitions", silent)).unwrap();
    let of = |stimulus, response| {
        let output = scope(folder.path(), &["a.vcd", "--stimulus", stimulus, "--response", response]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = of("quiet", "led");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("NO EVIDENCE: the stimulus line quiet never changes; --list "), "{said}");
    let (code, said) = of("irq", "quiet");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("10 of 10 stimuli missed") && said.contains("the line quiet never changes"), "{said}");
}

fn judged(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = scope(folder, &[&["a.vcd", "--stimulus", "irq", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn largest(run: &serde_json::Value) -> Vec<(String, String, u64)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
    let one =
        |series: &serde_json::Value| (text(&series["name"]), text(&series["to"]), series["max"].as_u64().unwrap());
    run["series"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn a_response_has_a_name_and_an_edge_of_its_own_and_an_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    let run = judged(folder.path(), &["--response", "app=led", "--response", "off=led:fall", "--completion"]);
    let named = |name: &str, to: &str, max| (name.to_string(), to.to_string(), max);
    let starts: Vec<_> = largest(&run).into_iter().filter(|(_, to, _)| to == "led").collect();
    assert_eq!(starts, [named("app", "led", 130_000), named("off", "led", 132_000)]);
    let ends: Vec<_> = largest(&run).into_iter().filter(|(_, to, _)| to != "led").take(2).collect();
    let app = |series, max| named(series, "app completion", max);
    assert_eq!(ends, [app("app_completion", 132_000), app("app_run_time", 2_000)]);
    assert_eq!(run["plan"]["responses"].to_string(), r#"["app=led","off=led:fall"]"#);
    assert_eq!(run["plan"]["completion"], true);
}

#[test]
fn lengths_are_times_or_ticks() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    let late = |deadline: &str| {
        judged(folder.path(), &["--response", "led", "--deadline", deadline])["series"][0]["late"].clone()
    };
    assert_eq!((late("4us"), late("4"), late("6us"), late("200us")), (9.into(), 9.into(), 1.into(), 0.into()));
    let done = |shortest: &str| {
        judged(folder.path(), &["--response", "led", "--min-pulse", shortest])["series"][0]["done"].clone()
    };
    assert_eq!((done("2us"), done("2100ns"), done("3")), (9.into(), 0.into(), 0.into()));
    let lab = capture().replace("$timescale", "$comment one unit of time is one executed instruction $end $timescale");
    std::fs::write(folder.path().join("lab.vcd"), lab).unwrap();
    let words = ["lab.vcd", "--stimulus", "irq", "--response", "led", "--deadline", "4us"];
    let refused = String::from_utf8(scope(folder.path(), &words).stderr).unwrap();
    assert!(refused.contains("this capture counts instructions, not time"), "{refused}");
}

// Twenty pulses per period, answered after 40 us; pulses within 300 us of the last answered one are lost.
fn rising(periods: &[u32]) -> String {
    let (mut body, mut at, mut free) = (String::new(), 1_000, 0);
    for period in periods.iter().flat_map(|period| [*period; 20]) {
        body += &format!("#{at} 1!\n#{} 0!\n", at + 5);
        if at >= free {
            body += &format!("#{} 1\"\n#{} 0\"\n", at + 40, at + 45);
            free = at + 300;
        }
        at += period;
    }
    let head = capture();
    let (head, _) = head.split_once("#100").unwrap();
    format!("{head}{body}#{at}\n")
}

#[test]
fn a_capture_with_a_rising_frequency_shows_which_one_a_line_bears() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), rising(&[1_000, 700, 500, 400, 310, 290])).unwrap();
    let words = ["--response", "app=led", "--saturation"];
    let run = judged(folder.path(), &words);
    let values = [&run["results"]["periods"]["app"]["answered"], &run["results"]["periods"]["app"]["fails_at"]];
    assert_eq!(values.map(serde_json::Value::as_u64), [Some(310_000), Some(290_000)]);
    let said = scope(folder.path(), &[&["a.vcd", "--stimulus", "irq"], &words[..]].concat());
    let said = String::from_utf8(said.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("MF-APP: answers all stimuli up to 3.226 kHz (a period of 310.0 us); misses some at 3.448 kHz"),
        "{said}"
    );
}

#[test]
fn a_requirement_on_a_capture_passes_fails_and_is_undecided() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    std::fs::write(folder.path().join("b.vcd"), rising(&[1_000, 700, 500])).unwrap();
    for (file, rule, code) in [
        ("b.vcd", "led.max < 100us", 0),
        ("b.vcd", "led.max < 30us", 1),
        ("b.vcd", "led.p99.9 < 100us", 3),
        ("a.vcd", "led.max < 200us", 1), // one was never answered
        ("a.vcd", "missed == 0", 1),
    ] {
        let output = scope(folder.path(), &[file, "--stimulus", "irq", "--response", "led", "--require", rule]);
        assert_eq!(output.status.code(), Some(code), "{rule}: {}", String::from_utf8_lossy(&output.stdout));
    }
    let words = [
        "b.vcd",
        "--stimulus",
        "irq",
        "--response",
        "app=led",
        "--completion",
        "--require",
        "app_completion.max < 1ms",
    ];
    assert_eq!(scope(folder.path(), &words).status.code(), Some(0));
}

// Firmware writes to the port long before the first pulse, and the ISR line is not used after that.
#[test]
fn the_lines_of_the_lab_are_found_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let head = "$comment one unit of time is one executed instruction $end $timescale 1 ns $end\n$var wire 1 ! stimulus_a $end\n\
        $var wire 1 \" isr $end\n$var wire 1 # ist $end\n$var wire 1 $ app $end\n$enddefinitions $end\n";
    let body =
        "#0 0! 0\" 0# 0$\n#5 1\" 1#\n#9 0\" 0#\n#100 1!\n#107 1#\n#110 0! 0#\n#200 1!\n#209 1#\n#210 0! 0#\n#300\n";
    std::fs::write(folder.path().join("lab.vcd"), format!("{head}{body}")).unwrap();
    let output = scope(folder.path(), &["lab.vcd", "--json"]);
    let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let series = run["series"].as_array().unwrap();
    assert_eq!(series.len(), 1);
    let figures = ["name", "unit", "min", "max"].map(|name| series[0][name].to_string());
    assert_eq!(figures, ["\"ist\"", "\"instructions\"", "7", "9"]);
    assert_eq!(run["origin"], "emulated");
}

#[test]
fn what_is_wrong_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    named("a.vcd", &capture());
    named("cut.vcd", "$timescale 1 us $end");
    named("wrong.vcd", &capture().replace("#1200", "#1100x"));
    named("other.sr", "PK");
    named("twice.csv", "Time [s],irq,led,led\n0.0,0,0,0\n1e-6,1,0,0\n2e-6,1,1,0\n");
    let cases: &[(&[&str], &str)] = &[
        (
            &["a.vcd"],
            "a.vcd: no default stimulus; choose one with --stimulus: it has irq, led; --list prints the lines and their changes",
        ),
        (&["a.vcd", "--stimulus", "irq"], "a.vcd: name a response with --response: it has irq, led"),
        (&["a.vcd", "--stimulus", "x", "--response", "led"], "a.vcd: unknown line x; it has irq, led"),
        (&["cut.vcd"], "$enddefinitions is missing"),
        (&["wrong.vcd"], "\"#1100x\" is not a time"),
        (&["other.sr"], "other.sr: unknown capture format"),
        (&["none.vcd"], "none.vcd: No such file or directory"),
        (&["a.vcd", "--stimulus-edge", "up"], "invalid value 'up'"),
        (&["a.vcd", "--stimulus", "irq", "--response", "app=x"], "a.vcd: unknown line x; it has irq, led"),
        (&["a.vcd", "--stimulus", "irq", "--response", "=led"], "--response =led: the name must be one word"),
        (
            &["a.vcd", "--stimulus", "irq", "--response", "led", "--response", "led:fall"],
            "a.vcd: two responses are named led; rename one, for example start=led",
        ),
        (
            &["twice.csv", "--stimulus", "irq", "--response", "led"],
            "twice.csv: 2 lines of the capture have the name led",
        ),
        (
            &["twice.csv", "--stimulus", "led", "--response", "irq"],
            "twice.csv: 2 lines of the capture have the name led",
        ),
        (&["a.vcd", "--min-pulse", "2x"], "\"2x\" is not a duration"),
        (&["a.vcd", "--require", "led"], "requirement \"led\""),
    ];
    for (arguments, expected) in cases {
        let output = scope(folder.path(), arguments);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {line}");
        assert!(line.starts_with("backwall: ") && line.contains(expected), "{arguments:?}: {line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
}

#[test]
fn a_capture_whose_name_is_not_utf_8_is_read_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"a\xff.vcd");
    std::fs::write(folder.path().join(name), capture()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("scope").arg(name).args(["--stimulus", "irq", "--response", "led", "--json"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["command"][2], "a\u{fffd}.vcd");
}

// U+009B is the start of an escape sequence for many terminals, U+202E turns the direction of the text round.
#[test]
fn a_line_s_name_reaches_no_terminal_as_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "irq\u{9b}31m\u{202e}";
    std::fs::write(folder.path().join("a.vcd"), capture().replace("irq", hostile)).unwrap();
    let acts = |text: &str| text.contains(['\u{9b}', '\u{202e}', '\u{1b}']);
    let refused = String::from_utf8(scope(folder.path(), &["a.vcd"]).stderr).unwrap();
    assert!(refused.contains("irq\\u009b31m\\u202e") && !acts(&refused), "{refused}");
    let asked = ["a.vcd", "--stimulus", hostile, "--response", "led"];
    let table = String::from_utf8(scope(folder.path(), &asked).stdout).unwrap();
    assert!(table.contains("led") && !acts(&table), "{table}");
    let json = String::from_utf8(scope(folder.path(), &[&asked[..], &["--json"]].concat()).stdout).unwrap();
    assert!(!acts(&json), "{json}");
    let run: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(run["plan"]["stimulus"], hostile);
}

// As after Ctrl-C in a pipe: only standard error can say where the run is.
#[test]
fn a_reader_that_is_gone_does_not_take_the_place_of_the_run_with_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    for json in [&[][..], &["--json"]] {
        let out = if json.is_empty() { "run" } else { "json" };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(["scope", "a.vcd", "--stimulus", "irq", "--response", "led", "--output", out]).args(json);
        let output = command.current_dir(folder.path()).stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), &*format!("run saved: {out}\n")));
        assert!(folder.path().join(out).join("run.json").exists());
    }
}

#[test]
fn ten_lines_without_colour_are_printed_where_there_is_no_terminal_and_the_table_on_request() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.vcd"), capture()).unwrap();
    let words = ["a.vcd", "--stimulus", "irq", "--response", "led"];
    let printed = |more: &[&str]| String::from_utf8(scope(folder.path(), &[&words[..], more].concat()).stdout).unwrap();
    let brief = printed(&[]);
    assert!(brief.lines().count() <= 18 && !brief.contains('\u{1b}'), "{brief}");
    assert!(brief.lines().all(|line| line.starts_with("page  ") || line.chars().count() <= 80), "{brief}");
    assert!(brief.starts_with("maximum ") && brief.contains("\nimported from another tool's file"), "{brief}");
    assert!(brief.contains("report.html"), "{brief}");
    assert!(printed(&["--verbose"]).contains("\nverdict: "));
}
