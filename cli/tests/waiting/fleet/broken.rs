// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run whose connection breaks: the device continues, and a repeated request fetches it, once. Also old files there.
use super::server::Server;
use super::{device, itself, names, place, runs, tool, words};
use crate::copied::copied;
use crate::lacking::skip;
use crate::tool::{Begin, message, tool_in, wait_until};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const RUN: [&str; 5] = ["fleet", "run", "fleet.toml", "--output", "fleet"];

fn measured(folder: &Path) -> (Output, Vec<Value>) {
    let output = tool_in(folder, &[&RUN[..], &["--json"]].concat());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output, told["devices"].as_array().unwrap().clone())
}

fn waits(folder: &Path) -> Vec<String> {
    names(&folder.join("disks/a")).into_iter().filter(|name| name.starts_with("done-")).collect()
}

#[test]
fn a_run_whose_connection_broke_goes_on_and_a_later_call_fetches_it_once() {
    let top = place();
    let folder = top.path();
    let Some(server) = Server::start(folder) else {
        return skip("a connection that breaks", "openssh-server is not installed");
    };
    let at = |name: &str| folder.join(name).display().to_string();
    let does = format!("touch {}\nwhile [ ! -e {} ]; do sleep 0.05; done\n{}", at("begun"), at("go"), itself());
    let named = tool(folder, "slow", &does);
    fs::write(folder.join("fleet.toml"), words() + &device(folder, "a", server.port, &named)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(RUN).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = command.begin();
    wait_until("the device measures", || folder.join("begun").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    drop(killed);

    let (output, _) = measured(folder);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        message(&output).contains("a: no run: a run of an earlier call is still in progress there"),
        "{}",
        message(&output)
    );
    fs::write(folder.join("go"), "").unwrap();
    wait_until("the run is made", || !waits(folder).is_empty());
    let [name] = &waits(folder)[..] else { panic!("one run waits") };
    let (there, elsewhere) = (folder.join("disks/a").join(name), folder.join("copy"));
    assert!(Command::new("cp").arg("-r").args([&there, &elsewhere]).status().unwrap().success());

    // Anyone who asks for something else leaves it there.
    let others = words().replace("\"1s\"", "\"2s\"") + &device(folder, "a", server.port, &named);
    fs::write(folder.join("others.toml"), others).unwrap();
    let output = tool_in(folder, &["fleet", "run", "others.toml", "--output", "others", "--quiet"]);
    assert_eq!((output.status.code(), waits(folder).len()), (Some(0), 1), "{}", message(&output));

    let (output, told) = measured(folder);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let earlier: Vec<&Value> = told.iter().map(|row| &row["earlier"]).collect();
    assert_eq!((earlier, runs(folder, "a").len()), (vec![&Value::Bool(true), &Value::Bool(false)], 2), "{told:#?}");
    assert_eq!(waits(folder), [] as [&str; 0], "what arrived is taken away there");

    // It comes once more, as where the connection broke after the run had come, and is known again.
    assert!(Command::new("cp").arg("-r").args([&elsewhere, &there]).status().unwrap().success());
    let (_, told) = measured(folder);
    assert_eq!((&told[0]["again"], runs(folder, "a").len()), (&Value::Bool(true), 3), "{told:#?}");

    // Half of one, as after a loss of power: a line, it is taken away, and the device is measured.
    fs::create_dir_all(there.join("run")).unwrap();
    fs::write(there.join("run/run.json"), "{\"sch").unwrap();
    let (output, told) = measured(folder);
    assert_eq!((output.status.code(), told.len(), runs(folder, "a").len()), (Some(3), 2, 4));
    assert!(message(&output).contains("a (from an earlier call): no run: run.json: "), "{}", message(&output));
    assert_eq!(waits(folder), [] as [&str; 0]);
}

#[test]
fn old_files_of_the_tool_go_once_a_newer_is_there_but_none_that_is_in_use() {
    let top = place();
    let folder = top.path();
    let Some(server) = Server::start(folder) else {
        return skip("old files of the tool on a device", "openssh-server is not installed");
    };
    let disk = folder.join("disks/a");
    fs::create_dir(&disk).unwrap();
    for name in ["backwall-old", "backwall-used", "part.17"] {
        copied("/bin/sleep", &disk.join(name));
    }
    let mut using = Command::new(disk.join("backwall-used")).arg("1000").begin();
    let measure = |version: &str| {
        let named = tool(folder, "versions", &format!("# {version}\n{}", itself()));
        fs::write(folder.join("fleet.toml"), words() + &device(folder, "a", server.port, &named)).unwrap();
        let (output, _) = measured(folder);
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
        names(&disk).into_iter().filter(|name| name != "lock").collect::<Vec<String>>()
    };
    let there = measure("1");
    assert!(there.len() == 2 && there.contains(&"backwall-used".to_string()), "{there:?}");
    using.kill().unwrap();
    using.wait().unwrap();
    assert_eq!(measure("1"), there, "nothing newer was carried there");
    let newer = measure("2");
    assert!(newer.len() == 1 && !there.contains(&newer[0]), "{newer:?}");
}

#[test]
fn a_clock_that_is_off_is_told_and_the_run_is_kept() {
    let top = place();
    let folder = top.path();
    let sets = |name: &str, year: &str| {
        let does = format!(
            "{} \"$@\" || exit\nsed -i 's/\"started\": *\"20[0-9][0-9]/\"started\": \"{year}/' \"$last/run.json\"",
            env!("CARGO_BIN_EXE_backwall")
        );
        let disk = folder.join("disks").join(name).display().to_string();
        format!("[[device]]\nname = \"{name}\"\nkind = \"local\"\nfolder = \"{disk}\"\n{}\n", tool(folder, name, &does))
    };
    fs::write(folder.join("fleet.toml"), words() + &sets("past", "2001") + &sets("future", "2098")).unwrap();
    let output = tool_in(folder, &RUN);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let [past, future] = &text.lines().collect::<Vec<_>>()[..] else { panic!("{text}{}", message(&output)) };
    assert!(past.contains("its clock is behind by ") && future.contains("its clock is ahead by "), "{text}");
    assert_eq!((output.status.code(), runs(folder, "past").len(), runs(folder, "future").len()), (Some(0), 1, 1));
}
