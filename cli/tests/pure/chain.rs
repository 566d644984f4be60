// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall chain` of a made recording with a known answer, and of one that lacks what the chain needs.
use crate::common::program::program;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

const CHAIN: &str = "wake servo > servo > worker > act";
const IDLE: (&str, i32) = ("swapper", 0);
const SERVO: (&str, i32) = ("servo", 101);
const ACT: (&str, i32) = ("act", 103);

// Rows of ftrace.
#[derive(Default)]
struct Rows(String);

impl Rows {
    fn row(&mut self, cpu: u32, us: u64, (name, id): (&str, i32), event: &str) {
        let flags = if id == 0 { "d.h2." } else { "d..2." };
        let (whole, part) = (100 + us / 1_000_000, us % 1_000_000);
        writeln!(self.0, "{name}-{id} [{cpu:03}] {flags} {whole}.{part:06}: {event}").unwrap();
    }

    fn switch(&mut self, cpu: u32, us: u64, from: (&str, i32), to: (&str, i32)) {
        let priority = |id: i32| if id == 0 { 120 } else { 19 };
        let event = format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state=S ==> next_comm={} next_pid={} next_prio={}",
            from.0,
            from.1,
            priority(from.1),
            to.0,
            to.1,
            priority(to.1)
        );
        self.row(cpu, us, from, &event);
    }

    fn waking(&mut self, cpu: u32, us: u64, by: (&str, i32), who: (&str, i32)) {
        self.row(cpu, us, by, &format!("sched_waking: comm={} pid={} prio=19 target_cpu=000", who.0, who.1));
    }

    // Another thread wakes the worker and act, which are awake when the hop before goes to sleep.
    fn period_of_others(&mut self, us: u64) {
        let (worker, other) = (("worker", 102), ("other", 109));
        self.waking(0, us, IDLE, SERVO);
        self.switch(0, us + 10, IDLE, SERVO);
        self.waking(2, us + 20, other, worker);
        self.switch(1, us + 25, IDLE, worker);
        self.switch(0, us + 40, SERVO, IDLE);
        self.waking(1, us + 90, worker, ACT);
        self.switch(1, us + 100, worker, IDLE);
        self.switch(0, us + 110, IDLE, ACT);
        self.switch(0, us + 130, ACT, IDLE);
    }

    // An interrupt wakes servo, servo wakes the worker, the worker wakes act: 130 us in all.
    // With `by`, another thread wakes the worker, once servo sleeps.
    fn period(&mut self, us: u64, worker: (&str, i32), by: Option<(&str, i32)>) {
        self.waking(0, us, IDLE, SERVO);
        self.switch(0, us + 10, IDLE, SERVO);
        self.row(0, us + 12, SERVO, "tracing_mark_write: frame begins");
        if by.is_none() {
            self.waking(0, us + 30, SERVO, worker);
        }
        self.switch(0, us + 40, SERVO, IDLE);
        by.into_iter().for_each(|by| self.waking(2, us + 45, by, worker));
        self.switch(1, us + 50, IDLE, worker);
        self.waking(1, us + 90, worker, ACT);
        self.switch(1, us + 100, worker, IDLE);
        self.switch(0, us + 110, IDLE, ACT);
        self.switch(0, us + 130, ACT, IDLE);
    }
}

// 100 periods, the worker of each named and numbered by its period.
fn periods(worker: impl Fn(u64) -> (&'static str, i32)) -> String {
    let mut rows = Rows::default();
    (0..100).for_each(|number| rows.period(1_000 + number * 10_000, worker(number), None));
    rows.0
}

fn usual() -> String {
    periods(|_| ("worker", 102))
}

fn chain_in(folder: &Path, rows: &str, words: &[&str]) -> Output {
    std::fs::write(folder.join("trace"), format!("# tracer: nop\n#\n{rows}")).unwrap();
    let mut command = Command::new(program());
    command.arg("chain").args(words).current_dir(folder).env("XDG_CONFIG_HOME", folder).env("COLUMNS", "200");
    command.output().unwrap()
}

// What it printed, in one line, and its exit code.
fn said(rows: &str, words: &[&str]) -> (String, Option<i32>) {
    let place = tempfile::tempdir().unwrap();
    let output = chain_in(place.path(), rows, words);
    let text = [output.stdout, output.stderr].concat();
    let words: Vec<String> = String::from_utf8_lossy(&text).split_whitespace().map(String::from).collect();
    (words.join(" "), output.status.code())
}

#[test]
fn a_made_chain_has_the_latency_and_the_hops_that_it_was_made_with() {
    let (text, code) = said(&usual(), &[CHAIN, "trace"]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "worst 130.0 us, mostly at worker",
        // Before the first switch nobody knows its thread.
        "99 due = 99 done + 0 missed + 0 unseen",
        "worker 60.0 us 60.0 us 60.0 us",
        "whole 130.0 us - 130.0 us",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (text, code) = said(&usual(), &["mark frame* > servo > worker > act", "trace"]);
    assert!(code == Some(0) && text.contains("worst 118.0 us"), "{text}");
    let (text, code) = said(&usual(), &[CHAIN, "trace", "--require", "chain.max < 131us"]);
    assert_eq!(code, Some(0), "{text}");
    let (text, code) = said(&usual(), &[CHAIN, "trace", "--require", "chain.max < 130us"]);
    assert_eq!(code, Some(1), "{text}");
}

#[test]
fn a_chain_that_cannot_be_followed_is_one_line_that_says_why() {
    let without = |event: &str| {
        usual().lines().filter(|row| !row.contains(event)).fold(String::new(), |all, row| all + row + "\n")
    };
    let twice = periods(|number| ("worker", 102 + 10 * (number % 2) as i32));
    let cases: [(&str, &str, &str, i32); 9] = [
        (
            &usual(),
            "wake servo > servo > wrker > act",
            "no thread 'wrker' in this recording; did you mean 'worker'?",
            3,
        ),
        (&usual(), "wake 7 > 7 > worker", "no thread '7' in this recording", 3),
        (&twice, CHAIN, "'worker' is the name of 2 threads: 102, 112; name one by its number", 3),
        (&without("sched_waking"), CHAIN, "no sched_waking events, so the chain", 3),
        (&without("sched_waking"), CHAIN, "record with: backwall chain 'wake servo > servo > worker > act'", 3),
        (&without("tracing_mark"), "mark frame* > servo > act", "no print (trace_marker) events", 3),
        (&usual(), "mark frame > servo > act", "'mark frame' never occurred: no instance started", 3),
        (
            &usual(),
            "wake servo > servo > 812/worker",
            "the trace does not say which threads belong to process 812; name the thread by its number",
            3,
        ),
        (&usual(), "wake servo > servo > servo > act", "two successive hops are servo; remove one of them", 2),
    ];
    for (rows, spec, why, code) in cases {
        let (text, exit) = said(rows, &[spec, "trace"]);
        assert_eq!(exit, Some(code), "{spec}: {text}");
        assert!(text.contains(why), "{why}: {text}");
    }
}

#[test]
fn a_hop_that_changes_its_name_ends_or_is_woken_by_others_is_told() {
    let renamed = periods(|number| (if number < 50 { "worker" } else { "w2" }, 102));
    let ended: String = usual()
        .lines()
        .filter(|row| !(row.contains("worker") && row.split_once(" 100.").is_some_and(|(_, us)| us > "500000")))
        .fold(String::new(), |all, row| all + row + "\n");
    let mut by_others = Rows::default();
    (0..100).for_each(|number| by_others.period(1_000 + number * 10_000, ("worker", 102), Some(("other", 109))));
    let mut awake = Rows::default();
    (0..100).for_each(|number| awake.period_of_others(1_000 + number * 10_000));
    for (rows, parts) in [
        (&awake.0, vec!["99 due = 99 done", "worker is never woken by servo: 99 wakeups came from other threads"]),
        (
            &renamed,
            vec![
                "worker (102) was renamed to w2, and backwall has not followed it since; name the thread by its number, 102",
            ],
        ),
        (&ended, vec!["worker (102) did nothing in the last 499.9 ms before the last start", "49 not handed on"]),
        (&by_others.0, vec!["worker is never woken by servo: 99 wakeups came from other threads"]),
    ] {
        let (text, code) = said(rows, &[CHAIN, "trace"]);
        assert_eq!(code, Some(0), "{text}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    }
}

#[test]
fn a_recipe_may_have_32_chains_with_joins_and_marks() {
    let place = tempfile::tempdir().unwrap();
    let recipes = place.path().join("backwall/recipes");
    std::fs::create_dir_all(&recipes).unwrap();
    let chain = |number: usize| {
        format!(
            "[[chain]]\nname = \"c{number}\"\nstart = \"mark frame*\"\nhops = [\"servo\", {{ join = [\"worker\", \"act\"] }}]\n"
        )
    };
    let head = "name = \"many\"\nabout = \"a\"\ncalled = \"c\"\nlate = \"l\"\nprocess = [\"p\"]\n";
    for (count, code) in [(32, 0), (33, 2)] {
        let chains: String = (0..count).map(chain).collect();
        std::fs::write(recipes.join("many.toml"), format!("{head}{chains}")).unwrap();
        let output = chain_in(place.path(), &usual(), &["many", "trace"]);
        let text = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(code), "{text}");
        if code == 0 {
            assert_eq!(String::from_utf8_lossy(&output.stdout).matches("100 due").count(), 32);
        } else {
            assert!(text.contains("recipe many has 33 chains; backwall follows 32 at a time"), "{text}");
        }
    }
}

#[test]
fn find_proposes_nothing_where_no_interrupt_or_timer_is_recorded() {
    let (text, code) = said(&usual(), &["--find", "trace"]);
    assert!(code == Some(0) && text.starts_with("no chain:"), "{text}");
}
