// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet run` on many devices, most of them faulty.
use super::server::Server;
use super::{device, names, place, runs, tool, words};
use crate::lacking::skip;
use crate::tool::{message, tool_in};
use serde_json::Value;
use std::fs::{self, File};
use std::net::TcpListener;

#[test]
fn what_goes_wrong_on_a_device_costs_a_line_and_the_others_are_measured() {
    let top = place();
    let folder = top.path();
    let Some(server) = Server::start(folder) else {
        return skip("devices over SSH", "openssh-server is not installed");
    };
    let tool = |name: &str, does: &str| tool(folder, name, does);
    fs::write(folder.join("garbage"), "\x7fELF of nowhere").unwrap();
    let garbage = format!("tool = \"{}/garbage\"", folder.display());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let hostile = "mkdir -p \"$last\"; echo '{\"schema\": 7}' >\"$last/run.json\"";
    let devices = [
        ("one", server.port, String::new()),
        ("two", server.port, String::new()),
        ("down", closed, String::new()),
        ("reboots", server.port, tool("reboots", "kill -9 $PPID")),
        ("refuses", server.port, tool("refuses", "echo 'no right to do this here' >&2; exit 4")),
        ("hostile", server.port, tool("hostile", hostile)),
        ("foreign", server.port, garbage),
        ("busy", server.port, String::new()),
    ];
    let text: String = devices.iter().map(|(name, port, more)| device(folder, name, *port, more)).collect();
    fs::write(folder.join("fleet.toml"), words() + &text).unwrap();
    fs::create_dir(folder.join("disks/busy")).unwrap();
    let held = File::create(folder.join("disks/busy/lock")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();

    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--output", "fleet", "--json", "--quiet"]);
    let said = message(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["planned"], &told["measured"]), (&8.into(), &2.into()), "{told:#}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "one line each, and no other: {said}");
    for (name, why) in [
        ("down", "no run: not reached: "),
        ("reboots", "no run: "),
        ("refuses", "no run: backwall on the device ended with 4: no right to do this here"),
        ("hostile", "no run: run.json: "),
        ("foreign", "set tool to a static backwall for that architecture"),
        ("busy", "no run: another run is in progress there"),
    ] {
        let line = lines.iter().find(|line| line.starts_with(&format!("backwall: {name}: "))).unwrap();
        assert!(line.contains(why), "{line}");
        assert!(runs(folder, name).is_empty());
    }
    for name in ["one", "two"] {
        let [run] = &runs(folder, name)[..] else { panic!("{name} has one run: {told:#}") };
        assert!(backwall_store::read(run).unwrap().series[0].done > 0);
        let disk = names(&folder.join("disks").join(name));
        assert!(
            disk.len() == 2 && disk.contains(&"lock".to_string()),
            "the tool and the lock stay, the run went: {disk:?}"
        );
    }
    assert!(names(&folder.join("fleet/part")).is_empty(), "nothing half-written is left");

    // The second time nothing is carried there, and what was held is free.
    drop(held);
    let before = fs::metadata(folder.join("disks/one").join(&names(&folder.join("disks/one"))[0])).unwrap().modified();
    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--output", "fleet", "--quiet"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(message(&output).contains("backwall: incomplete: 3 of 8 devices delivered a run"), "{}", message(&output));
    let after = fs::metadata(folder.join("disks/one").join(&names(&folder.join("disks/one"))[0])).unwrap().modified();
    assert_eq!((before.unwrap(), runs(folder, "one").len(), runs(folder, "busy").len()), (after.unwrap(), 2, 1));
}

#[test]
fn this_machine_is_a_device_too_and_a_failed_requirement_is_the_fleets() {
    let top = place();
    let folder = top.path();
    let local = |name: &str| {
        let disk = folder.join("disks").join(name).display().to_string();
        format!("[[device]]\nname = \"{name}\"\nkind = \"local\"\nfolder = \"{disk}\"\n")
    };
    let failing = words().replace("\"1s\"]", "\"1s\", \"--require\", \"wakeup.max < 1ns\"]");
    fs::write(folder.join("fleet.toml"), words() + &local("here") + &local("there") + &failing).unwrap();
    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--output", "fleet"]);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert_eq!((runs(folder, "here").len(), runs(folder, "there").len()), (1, 1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().all(|line| line.contains(" max ") && line.contains("simulated")) && text.lines().count() == 2,
        "{text}"
    );
}

#[test]
fn a_fleet_that_is_none_is_refused_before_anything_is_made() {
    let top = place();
    for (text, why) in [("", "0 devices"), ("x", "line 1: "), ("[[device]]\nname = \"../x\"\n", "a name must have")] {
        fs::write(top.path().join("fleet.toml"), text).unwrap();
        let output = tool_in(top.path(), &["fleet", "run", "fleet.toml", "--output", "fleet"]);
        assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1));
        assert!(message(&output).contains(why), "{}", message(&output));
        assert!(!top.path().join("fleet").exists());
    }
}
