// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall watch`: a command that is started, a process by number and by name, a recipe of the user's, and what is not there.
use crate::lacking::skip;
use crate::tool::{self, Begin, Running};
use backwall_model::{Picture, Run, Series};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

// A loop, in a folder with recipes. Its name is unique: parallel tests must not find each other's loops.
fn scene(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("config/backwall/recipes")).unwrap();
    fs::copy("/bin/sh", folder.path().join(name)).unwrap();
    folder
}

fn watch(folder: &TempDir, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("watch").args(words).current_dir(folder.path()).env("XDG_CONFIG_HOME", folder.path().join("config"));
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn skipped(test: &str, output: &Output) -> bool {
    let no_trace = said(output).contains("cannot open the kernel's trace");
    if no_trace {
        skip(test, &said(output));
    }
    no_trace
}

const LOOP: &str = "while :; do sleep 0.002; done";

// One that holds no pipe of the test's: where an assertion fails, its end is not waited for.
fn quiet_loop(folder: &TempDir, name: &str) -> Running {
    let mut command = Command::new(folder.path().join(name));
    command.args(["-c", LOOP]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).begin()
}

fn asked(address: &str, request: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{request}\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_command_is_watched_and_every_look_is_a_sentence() {
    let folder = scene("bw-control");
    let output = watch(
        &folder,
        &["--every", "1s", "--duration", "4s", "--deadline", "1s", "--output", "run", "--", "./bw-control", "-c", LOOP],
    );
    if skipped("a_command_is_watched", &output) {
        return;
    }
    let text = said(&output);
    assert!(text.contains("1 thread is watched: bw-control ("), "{text}");
    assert!(text.contains("no thread has real-time priority"), "{text}");
    let sentences = text.lines().filter(|line| line.contains("bw-control: ") && line.contains(" later than 1.0 s"));
    assert!(sentences.count() >= 1, "{text}");
    let run = backwall_store::read(&folder.path().join("run")).unwrap();
    let due: u64 = run.series.iter().filter_map(|series| series.due).sum();
    assert!(
        due > 0
            && run.series.iter().all(|series| series.due == Some(series.done + series.known_missed() + series.unseen)),
        "{due}"
    );
}

// A process that the command leaves behind runs longer than any test.
#[test]
fn the_end_of_the_command_is_the_end_of_watching_it() {
    let folder = scene("bw-short");
    let script = "i=0; while [ $i -lt 500 ]; do sleep 0.002; i=$((i+1)); done; exit 3";
    let output = watch(&folder, &["--output", "run", "--", "./bw-short", "-c", script]);
    if skipped("the_end_of_the_command", &output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let run = backwall_store::read(&folder.path().join("run")).unwrap();
    assert!(!run.interrupted && run.series.iter().any(|series| series.done > 0));
    assert!(run.warnings.iter().any(|warning| warning.to_string().contains("bw-short ended with exit status: 3")));
}

// The command begins once it is followed. So its first actions are seen, even if it does nothing else.
#[test]
fn a_command_is_followed_from_its_first_instruction() {
    let folder = scene("bw-first");
    let script = "i=0; while [ $i -lt 20 ]; do sleep 0.002; i=$((i+1)); done; echo done >done";
    let output = watch(&folder, &["--output", "run", "--", "./bw-first", "-c", script]);
    if skipped("a_command_is_followed", &output) {
        return;
    }
    assert_eq!(fs::read_to_string(folder.path().join("done")).unwrap(), "done\n");
    let run = backwall_store::read(&folder.path().join("run")).unwrap();
    let due: u64 = run.series.iter().filter_map(|series| series.due).sum();
    // Each end of a child wakes it, and no child ended before.
    assert!(due >= 20, "{due}: {}", said(&output));
}

#[test]
fn what_a_command_starts_later_is_followed_and_said_so() {
    let folder = scene("bw-mother");
    fs::copy("/bin/sh", folder.path().join("bw-child")).unwrap();
    let script = format!("./bw-child -c '{LOOP}'; :");
    let output = watch(&folder, &["--duration", "12s", "--output", "run", "--", "./bw-mother", "-c", &script]);
    if skipped("what_a_command_starts_later", &output) {
        return;
    }
    let text = said(&output);
    assert!(text.lines().any(|line| line.contains("are watched: ") && line.contains("bw-child (")), "{text}");
    assert!(text.contains("backwall follows the new threads from now on; they ran unmeasured for up to "), "{text}");
    let run = backwall_store::read(&folder.path().join("run")).unwrap();
    let due: u64 = run.series.iter().filter_map(|series| series.due).sum();
    assert!(run.valid && due > 0, "{due}: {text}");
}

#[test]
fn chains_of_a_recipe_are_reported_with_their_slowest_instance_and_absent_threads_once() {
    let folder = scene("bw-turns");
    let recipe = "name = 'turns'\nabout = 'a'\nprocess = ['bw-turns']\nthread = ['bw-t*']\ncalled = 'turn'\nlate = 'l'\n\
        [[chain]]\nname = 'turn'\nstart = 'wake bw-turns'\nhops = ['bw-turns']\n\
        [[chain]]\nname = 'gone'\nstart = 'wake bw-nobody'\nhops = ['bw-nobody']\n\
        [[chain]]\nname = 'slow'\nstart = 'wake bw-turns'\nhops = ['bw-turns']\nend = 'call write'\n";
    fs::write(folder.path().join("config/backwall/recipes/turns.toml"), recipe).unwrap();
    let _turns = quiet_loop(&folder, "bw-turns");
    let output = watch(&folder, &["turns", "--every", "1s", "--duration", "4s", "--output", "run"]);
    let text = said(&output);
    if skipped("chains_of_a_recipe", &output) {
        return;
    }
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("turns: chain turn: ")).collect();
    assert!(
        lines.len() >= 2 && lines.iter().any(|line| line.contains(" instances") && line.contains("; worst ")),
        "{text}"
    );
    assert_eq!(text.matches("chain gone: no thread 'bw-nobody' has run so far").count(), 1, "{text}");
    assert_eq!(text.matches("chain slow needs system-call events").count(), 1, "{text}");
    let run: Run = backwall_model::read(&fs::read_to_string(folder.path().join("run/run.json")).unwrap()).unwrap();
    let chains: Vec<&Series> = run.series.iter().filter(|series| series.key.name == "chain").collect();
    let [chain] = &chains[..] else { panic!("{text}") };
    assert_eq!(chain.key.variant.get("name").map(String::as_str), Some("turn"));
    assert!(
        chain.due.is_some_and(|due| due > 20) && chain.due == Some(chain.done + chain.unseen + chain.known_missed())
    );
    assert!(matches!(&run.pictures[..], [Picture::Chain(picture)] if picture.name == "turn"), "{:?}", run.pictures);
}

#[test]
fn a_recipe_of_the_users_finds_its_process_also_when_it_starts_later() {
    let folder = scene("bw-rig");
    let recipe = "name = \"rig\"\nabout = \"the rig\"\nprocess = [\"bw-rig\"]\nthread = [\"bw-r*\"]\n\
                  called = \"control loop\"\nlate = \"overrun\"\nadvice = [\"shorten it\"]\n";
    fs::write(folder.path().join("config/backwall/recipes/rig.toml"), recipe).unwrap();
    assert!(
        said(&watch(&folder, &["--list"])).lines().any(|line| line.starts_with("rig ") && line.ends_with("the rig"))
    );
    let mut tool = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_backwall"), "watch", "rig", "--every", "1s"])
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path().join("config"))
        .stderr(fs::File::create(folder.path().join("said")).unwrap())
        .stdout(Stdio::null())
        .begin();
    let told = || fs::read_to_string(folder.path().join("said")).unwrap();
    let waits = || told().contains("waiting for rig to start");
    tool::wait_until("the waiting, or why it would be in vain", || waits() || tool::ended(tool.id()));
    let mut loops = quiet_loop(&folder, "bw-rig");
    let is_sentence = |line: &str| line.contains("Z rig: ");
    let said_enough = || told().lines().any(is_sentence) && told().contains("rig: shorten it");
    tool::wait_until("a sentence, or none ever", || said_enough() || tool::ended(tool.id()));
    kill_process(Pid::from_child(&tool), Signal::INT).ok();
    let status = tool.wait().unwrap();
    let _ = loops.kill();
    let _ = loops.wait();
    let text = told();
    if text.contains("cannot open the kernel's trace") {
        return skip("a_recipe_of_the_users", &text);
    }
    assert!(text.contains("rig: 1 control loop is watched: bw-rig ("), "{text}");
    assert!(text.lines().any(is_sentence), "{text}");
    assert_eq!(text.matches("rig: shorten it").count(), 1, "once is enough: {text}");
    assert!(status.code().is_some_and(|code| [0, 3].contains(&code)), "{text}");
}

#[test]
fn what_an_application_says_of_itself_is_counted_and_laid_beside_the_kernels() {
    let folder = scene("bw-says");
    let recipe = "name = \"says\"\nabout = \"one that says it\"\nprocess = [\"bw-says\"]\nthread = [\"*\"]\n\
                  called = \"loop\"\nlate = \"overrun\"\n[own]\nlines = [\"overrun!\"]\n";
    fs::write(folder.path().join("config/backwall/recipes/says.toml"), recipe).unwrap();
    let _loops = Command::new(folder.path().join("bw-says"))
        // So few responses that each is among the longest of its report, and printed after it.
        .args(["-c", "while :; do sleep 0.02; echo overrun!; echo fine; done"])
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.path().join("its.log")).unwrap())
        .stderr(Stdio::null())
        .begin();
    let output = watch(&folder, &["says", "--every", "1s", "--duration", "4s", "--output", "run"]);
    if skipped("what_an_application_says", &output) {
        return;
    }
    let text = said(&output);
    assert!(text.lines().any(|line| line.contains("; says itself counted ")), "{text}");
    assert!(text.lines().any(|line| line.contains("Z says said \"overrun!\": ")), "{text}");
    let own = fs::read_to_string(folder.path().join("run/own.log")).unwrap();
    assert!(own.lines().count() > 1 && own.lines().all(|line| line.contains(" says said \"overrun!\": ")), "{own}");
    assert!(own.lines().any(|line| line.contains(" says said \"overrun!\": bw-says-")), "{own}");
    let run = backwall_store::read(&folder.path().join("run")).unwrap();
    let note = run.warnings.iter().map(ToString::to_string).find(|note| note.contains("says itself counted "));
    assert!(note.is_some_and(|note| note.ends_with(" in its log (overrun)")), "{:?}", run.warnings);
}

#[test]
fn what_is_wrong_is_one_line() {
    let folder = scene("bw-wrong");
    fs::write(folder.path().join("config/backwall/recipes/rig.toml"), "name = \"rig\"\nperod = 1\n").unwrap();
    for (words, code, says) in [
        (&["jack"][..], 2, "recipes/rig.toml: line 2: unknown field `perod`"),
        (&["generic"], 2, "recipes/rig.toml: line 2"),
        (&[], 2, "missing <APP>; for example: backwall watch"),
    ] {
        let output = watch(&folder, words);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(code), 1), "{line}");
        assert!(line.contains(says), "{line}");
    }
    fs::remove_file(folder.path().join("config/backwall/recipes/rig.toml")).unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = watch(&folder, &["bw-none", "--page", &port, "--output", "run"]);
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && line.lines().count() == 1 && line.contains("name another port"),
        "{line}"
    );
    assert!(!folder.path().join("run").exists(), "nothing is half done");
    for (words, code, says) in [
        (&[""][..], 2, "expected a recipe, a process"),
        (&["--", ""], 2, "expected a recipe, a process"),
        (&["--", "./no-such-command"], 2, "./no-such-command: no such program; a command comes after --"),
        (&["--", "no-such-command-of-ours", "-x"], 2, "no-such-command-of-ours: no such program"),
        (&["--", "./config"], 2, "./config: not executable"),
        (&["4194303"], 2, "4194303: no such process; ps -e lists them"),
        (&["generic"], 2, "add the number or name of a process"),
        (&["bw-none", "--output", "config"], 2, "config: "),
        (&["bw-none", "--quiet", "--duration", "1s"], 4, "bw-none: the application did not start"),
    ] {
        let output = watch(&folder, words);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(code), 1), "{line}");
        let in_vain = says.contains("did not start") && skipped("what_is_wrong_is_one_line", &output);
        assert!(line.contains(says) || in_vain, "{line}");
    }
    assert!(!folder.path().join("backwall-runs").exists(), "nothing was watched");
}

// Killed at any time it leaves what was measured up to the last sentence, and a line of each late response.
#[test]
fn what_was_watched_and_who_was_late_outlives_a_kill() {
    let folder = scene("bw-line");
    let mut loops = quiet_loop(&folder, "bw-line");
    let words = ["watch", "bw-line", "--every", "1s", "--deadline", "1us", "--quiet", "--page", "0", "--output", "run"];
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"))
        .args(words)
        .current_dir(folder.path())
        .stderr(fs::File::create(folder.path().join("said")).unwrap())
        .stdout(Stdio::null())
        .begin();
    let run = folder.path().join("run");
    let log = || fs::read_to_string(run.join("late.log")).unwrap_or_default();
    let late = |run: &Run| run.series.iter().filter_map(|series| series.late).sum::<u64>();
    let kept = || log().contains('\n') && tool::so_far(&run).is_some_and(|run| late(&run) > 0);
    tool::wait_until("a sentence, or none ever", || kept() || tool::ended(tool.id()));
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    if let Some(address) = said.split_once("http://").and_then(|(_, rest)| rest.split_once('/')).filter(|_| kept()) {
        let page = asked(address.0, "GET / HTTP/1.1", address.0);
        assert!(
            page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("bw-line") && page.contains("</html>"),
            "{page}"
        );
        assert!(asked(address.0, "GET / HTTP/1.1", "example.org").starts_with("HTTP/1.1 403 "));
        assert!(asked(address.0, "GET /run.json HTTP/1.1", address.0).starts_with("HTTP/1.1 404 "));
    }
    let _ = kill_process(Pid::from_child(&tool), Signal::KILL);
    let _ = tool.wait();
    let _ = loops.kill();
    let _ = loops.wait();
    if said.contains("cannot open the kernel's trace") {
        return skip("what_was_watched_outlives_a_kill", &said);
    }
    assert!(said.contains("live page: http://127.0.0.1:"), "{said}");
    let kept = tool::so_far(&run).unwrap();
    let late = late(&kept);
    let text = log();
    let told = text.lines().filter(|line| line.contains(" bw-line-") && line.contains(": of "));
    let count =
        |line: &str| line.split_once("Z ")?.1.split_once(" more were late")?.0.replace(',', "").parse::<u64>().ok();
    let rest = text.lines().filter_map(count);
    // The log is written first, so a kill between the two leaves more in it.
    assert!(told.count() as u64 + rest.sum::<u64>() >= late, "{late}: {text}");
}

#[test]
fn the_live_view_draws_the_threads_and_leaves_the_terminal_as_it_was() {
    const TEST: &str = "the_live_view";
    if Command::new("script").arg("--version").output().is_err() {
        return skip(TEST, "script is not here, which makes a terminal");
    }
    let folder = scene("bw-live");
    let _loops = quiet_loop(&folder, "bw-live");
    let inside = format!(
        "trap : INT; stty rows 30 cols 90; stty -g >before; sh -c 'echo $$ >id; exec {} watch bw-live --live --every 1h \
         --deadline 1ns --output run-$0' $1; echo $? >code; stty -g >after",
        env!("CARGO_BIN_EXE_backwall")
    );
    for end in ["q", "int", "kill"] {
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        for name in ["before", "after", "id", "code", "screen"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        let command = inside.replace("$1", end);
        let mut terminal = Command::new("script")
            .args(["--quiet", "--flush", "--return", "--command", &command, "screen"])
            .current_dir(folder.path())
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .begin();
        let drawn = || fs::read(folder.path().join("screen")).unwrap_or_default();
        let screen = || String::from_utf8_lossy(&drawn()).into_owned();
        let is_drawn = || screen().contains("-- deadline 0.0 us: ") && screen().contains("q and Enter");
        tool::wait_until("a view, or none ever", || is_drawn() || !read("code").is_empty());
        if !is_drawn() {
            // What the tool said last is in the file only once `script`, which writes it, has ended too.
            terminal.wait().unwrap();
            if screen().contains("cannot open the kernel's trace") {
                return skip(TEST, &screen());
            }
        }
        let id: u32 = read("id").trim().parse().unwrap();
        match end {
            "q" => terminal.stdin.as_mut().unwrap().write_all(b"q\n").unwrap(),
            "int" => terminal.stdin.as_mut().unwrap().write_all(b"\x03").unwrap(),
            _ => tool::signal(id, "KILL"),
        }
        tool::wait_until("its end", || !read("after").is_empty());
        assert_eq!(read("before"), read("after"), "{end}");
        let code = read("code").trim().to_string();
        assert!(
            if end == "kill" { code == "137" } else { ["0", "3"].contains(&code.as_str()) },
            "{end}: {code}: {}",
            screen()
        );
        assert!(screen().contains("bw-live: ") && screen().contains("responses, worst "), "{}", screen());
        assert_eq!(folder.path().join(format!("run-{end}/run.json")).exists(), end != "kill");
        terminal.wait().unwrap();
    }
}
