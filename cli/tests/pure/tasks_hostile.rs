// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict` on sets that are meant to hang it, fill its memory, or command a terminal: each ends in time with a
//! figure, with the reason why there is none, or with one line that refuses it.
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

// A process that takes longer hangs: the slowest needs some ten seconds in a release build.
const SECONDS: &str = "300";
// Kilobytes of address space: a set of 16 MiB has no reason for more.
const MEMORY_KB: u32 = 3 << 20;

enum Ends {
    Answered(usize),
    Listed(usize),
    Refused(&'static str),
}
use Ends::{Answered, Listed, Refused};

fn predict(set: &Path, words: &[&str]) -> Output {
    let limited = format!("ulimit -v {MEMORY_KB}; exec timeout -k 1 {SECONDS} \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_backwall"), "tasks", "predict"]).arg(set).args(words);
    command.output().unwrap()
}

fn one(name: &str, period: &str, computation: &str, more: &str) -> String {
    let name = serde_json::to_string(name).unwrap();
    format!("[[series]]\nname = {name}\nperiod = \"{period}\"\ncomputation = \"{computation}\"\n{more}\n")
}

fn many(count: usize, series: impl Fn(usize) -> (String, String, String)) -> String {
    let each = |number: usize| {
        let (period, computation, more) = series(number);
        one(&format!("t{number}"), &period, &computation, &more)
    };
    (0..count).map(each).collect()
}

fn light(count: usize, more: &str) -> String {
    many(count, |number| (format!("{}us", 1_000_000 + 7 * number), "10ns".into(), more.to_string()))
}

// Periods without a common divisor: the hyperperiod exceeds the age of the world.
fn huge_hyperperiods() -> String {
    const PRIMES: [u64; 12] = [
        999_983, 1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099, 1_000_117, 1_000_121, 1_000_133,
        1_000_151, 1_000_159,
    ];
    many(PRIMES.len(), |number| {
        (format!("{}ns", PRIMES[number]), "80000ns".into(), format!("jitter = \"1ms\"\npriority = {number}"))
    })
}

fn sections(count: usize) -> String {
    let locks: String = (0..5_000).map(|number| format!("[[lock]]\nname = \"l{number}\"\n")).collect();
    let each: Vec<String> =
        (0..count).map(|number| format!("{{ lock = \"l{}\", length = \"1ns\" }}", number % 5_000)).collect();
    one("a", "1s", "1ms", &format!("priority = 2\nsection = [{}]", each.join(", ")))
        + &one("b", "2s", "1ms", &format!("priority = 1\nsection = [{}]", each[..each.len().min(10)].join(", ")))
        + &locks
}

fn poisson(mean: &str, computation: &str, more: &str) -> String {
    one("p", "1s", computation, &format!("deadline = \"10ms\"\npriority = 1\n{more}"))
        .replace("period = \"1s\"", &format!("mean = \"{mean}\""))
}

type Case = (&'static str, String, &'static [&'static str], Ends);

fn answered() -> [Case; 19] {
    let by_deadline = "policy = \"deadline\"";
    let text = "priority = 1";
    [
        ("hyperperiods without end", huge_hyperperiods(), &[], Answered(12)),
        (
            "the same by deadlines",
            huge_hyperperiods().replace("priority = ", "policy = \"deadline\"\n# "),
            &[],
            Answered(12),
        ),
        ("all of the processor", one("a", "1ms", "1ms", text), &[], Answered(1)),
        ("all of it, and jitter", one("a", "1ms", "1ms", "jitter = \"1ns\"\npriority = 1"), &[], Answered(1)),
        (
            "all of it by deadlines, and a kernel that blocks",
            one("a", "3ms", "1ms", by_deadline)
                + &one("b", "7ms", "4666666ns", by_deadline)
                + "[constants]\nkernel = \"1ns\"\n",
            &[],
            Answered(2),
        ),
        ("the least of all times", one("a", "1ns", "1ns", text), &[], Answered(1)),
        ("the longest of all times", one("a", "800d", "800d", "jitter = \"800d\"\npriority = 1"), &[], Answered(1)),
        (
            "more work than can be counted",
            many(1_000, |number| ("1ns".into(), "800d".into(), format!("priority = {number}"))),
            &[],
            Answered(1_000),
        ),
        ("thousands of series", light(2_001, text), &[], Listed(2_001)),
        ("thousands by deadlines", light(2_001, by_deadline), &[], Listed(2_001)),
        (
            "thousands that share two processors",
            format!("processors = 2\n{}", light(2_001, by_deadline)),
            &[],
            Answered(2_001),
        ),
        (
            "a hundred on as many processors",
            format!("processors = 100\n{}", light(100, text)),
            &["--assign", "worst-fit"],
            Answered(100),
        ),
        ("ten thousand sections", sections(9_990), &[], Answered(2)),
        ("all of it without memory", poisson("1ns", "1ns", ""), &[], Answered(1)),
        ("nearly all of it without memory", poisson("1us", "999ns", ""), &[], Answered(1)),
        ("without memory, and seldom", poisson("800d", "1ns", "jitter = \"800d\""), &[], Answered(1)),
        (
            "without memory, and others below",
            poisson("1us", "900ns", "") + &light(20, "priority = 0"),
            &[],
            Answered(21),
        ),
        ("a name that clears the screen", one("\u{1b}[2J\u{9b}1m\u{202e}\n\tx", "1s", "1ms", text), &[], Answered(1)),
        ("a name of spaces", one(" ", "1s", "1ms", text), &[], Answered(1)),
    ]
}

fn refused() -> [Case; 20] {
    let one = |period: &str, computation: &str, more: &str| one("a", period, computation, more);
    let good = one("1s", "1ms", "priority = 1");
    let locks = |count: usize| (0..count).map(|number| format!("[[lock]]\nname = \"l{number}\"\n")).collect::<String>();
    [
        ("a hundred thousand series", light(100_000, "priority = 1"), &[], Refused("more than 10000 series")),
        ("more sections", sections(10_001), &[], Refused("more than 10000 series, locks, sections")),
        (
            "locks on each of many",
            format!("processors = 4096\n{good}{}", locks(1_000)),
            &["--assign", "first-fit"],
            Refused("processors: too many CPUs for"),
        ),
        ("no time", one("0s", "1ms", "priority = 1"), &[], Refused("series a: period: expected a time above 0")),
        ("less than none", one("-1s", "1ms", "priority = 1"), &[], Refused("\"-1s\" is not a duration")),
        ("a power", one("1e400s", "1ms", "priority = 1"), &[], Refused("\"1e400s\" is not a duration")),
        (
            "longer than counted",
            one("99999999999999999999h", "1ms", "priority = 1"),
            &[],
            Refused("is too long; the limit is"),
        ),
        (
            "longer than analysed",
            one("18446744073709551615ns", "1ms", "priority = 1"),
            &[],
            Refused("series a: period: expected a time"),
        ),
        ("a priority below all", one("1s", "1ms", "priority = -1"), &[], Refused("priority: invalid value")),
        ("a priority above all", one("1s", "1ms", "priority = 99999999999999999999"), &[], Refused("line 5")),
        (
            "a processor above all",
            one("1s", "1ms", "priority = 1\ncpu = 4294967295"),
            &[],
            Refused("series a: cpu: the set has fewer CPUs"),
        ),
        ("no processor", format!("processors = 0\n{good}"), &[], Refused("processors: expected 1 to 4096")),
        ("no probability", format!("exceeded = nan\n{good}"), &[], Refused("exceeded: expected a probability")),
        ("a certainty", format!("exceeded = inf\n{good}"), &[], Refused("exceeded: expected a probability")),
        (
            "a constant of years",
            good.clone(),
            &["--constants", "wakeup=100d"],
            Refused("expected a time below 10 days"),
        ),
        (
            "a lock's name of 4 MiB",
            good.replace(
                "priority",
                &format!("section = [{{ lock = \"{}\", length = \"1ns\" }}]\npriority", "x".repeat(4 << 20)),
            ) + &locks(1_000),
            &[],
            Refused("no [[lock]] has this name"),
        ),
        (
            "a field that clears the screen",
            good.replace("priority", "\"\\u001b[2J\\n\" = 1\npriority"),
            &[],
            Refused("unknown field"),
        ),
        ("nested without end", format!("a = {}", "[".repeat(100_000)), &[], Refused("line 1")),
        ("longer than a set", "#".repeat(17 << 20), &[], Refused("longer than 16 MiB")),
        ("nothing", String::new(), &[], Refused("the file is empty")),
    ]
}

#[test]
#[ignore = "make long"]
fn a_hostile_set_ends_in_time_with_a_figure_or_with_why_there_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("set.toml");
    let (mut sets, mut bounded) = ([0, 0], 0);
    for (name, set, words, ends) in answered().into_iter().chain(refused()) {
        std::fs::write(&place, &set).unwrap();
        let form: &[&str] = if matches!(ends, Listed(_)) { &[] } else { &["--json"] };
        let output = predict(&place, &[words, form].concat());
        assert!(no_command(&output.stdout) && no_command(&output.stderr), "{name}");
        let said = String::from_utf8_lossy(&output.stderr);
        if let Refused(says) = ends {
            assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{name}: {said}");
            assert!(said.contains(says) && output.stdout.is_empty(), "{name}: {said}");
            sets[1] += 1;
            continue;
        }
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{name}: {:?} {said}", output.status);
        bounded += match ends {
            Answered(count) => answers(name, &serde_json::from_slice(&output.stdout).unwrap(), count),
            Listed(count) => listed(name, &output.stdout, count),
            Refused(_) => 0,
        };
        sets[0] += 1;
    }
    assert_eq!((sets, bounded > 100), ([19, 20], true), "sets, and series with a figure: {bounded}");
}

// None of them misses a deadline, whether or not its response is known.
fn listed(name: &str, said: &[u8], count: usize) -> usize {
    let said = String::from_utf8_lossy(said);
    assert!(said.starts_with(&format!("every deadline is met: {count} series")), "{name}: {said:.200}");
    let is_row = |line: &&str| line.trim_start().starts_with('t') && line.contains(" met");
    assert_eq!(said.lines().filter(is_row).count(), count, "{name}");
    0
}

fn no_command(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    said.chars().all(|letter| letter == '\n' || !(letter.is_control() || letter == '\u{202e}'))
}

fn answers(name: &str, json: &Value, count: usize) -> usize {
    if let Some(shared) = json.get("shared") {
        assert_eq!(shared["series"].as_array().unwrap().len(), count, "{name}");
        assert!(["met", "missed", "unknown"].contains(&json["verdict"].as_str().unwrap()), "{name}");
        return 0;
    }
    let processors = json["processors"].as_array().unwrap().iter();
    let series: Vec<&Value> = processors.flat_map(|processor| processor["series"].as_array().unwrap()).collect();
    assert_eq!(series.len(), count, "{name}");
    for one in &series {
        let why = one["no_bound"].as_str().unwrap_or("");
        let said = why.starts_with("unbounded: ") || why.starts_with("not analysable");
        assert!(one["from_nominal_ns"].is_u64() != said, "{name}: {one}");
        assert!(one["terms"].as_array().unwrap().len() <= 100, "{name}");
    }
    series.iter().filter(|one| one["from_nominal_ns"].is_u64()).count()
}

#[test]
fn a_hostile_name_commands_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("set.toml");
    std::fs::write(&place, one("\u{1b}[2J\u{9b}1m\u{202e}\n\tx", "1s", "2s", "priority = 1")).unwrap();
    let output = predict(&place, &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(no_command(said.as_bytes()) && said.lines().all(|line| line.chars().count() <= 80), "{said}");
}
