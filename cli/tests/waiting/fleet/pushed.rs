// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that pushes when it can, by the script that its timer calls.
use super::server::Server;
use super::{FAKE, names, place};
use crate::copied::script;
use crate::lacking::skip;
use crate::tool::tool_in;
use std::fs;
use std::path::Path;
use std::process::Command;

fn push(folder: &Path, to: &str) -> Option<i32> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contrib/fleet/backwall-push.sh");
    let tool = Path::new(env!("CARGO_BIN_EXE_backwall")).parent().unwrap();
    let path = format!("{}/bin:{}:{}", folder.display(), tool.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg(script).args([to, "run", "--probe", FAKE, "--load", "none", "--for", "1s"]);
    let output = command.env("PATH", path).env("STATE_DIRECTORY", folder.join("state")).output().unwrap();
    output.status.code()
}

// Leftovers of a killed script are removed by the next one: only this user's unused folders.
#[test]
fn what_a_killed_push_has_left_is_swept_and_nothing_else() {
    let top = place();
    let spool = top.path().join("state/spool");
    let elsewhere = top.path().join("elsewhere");
    let living = format!(".20260101T000000Z-{}", std::process::id());
    let all = [".20260101T000000Z-4194999", ".20260101T000001Z-4194998", &living, ".mine", ".20260101-1"];
    for name in all {
        fs::create_dir_all(spool.join(name).join("deep")).unwrap();
    }
    fs::create_dir_all(elsewhere.join("deep")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, spool.join(".20260101T000002Z-4194997")).unwrap();
    let held = backwall_os::folder::Folder::claim_used(&spool.join(all[1])).unwrap();
    let to = top.path().join("spool/a");
    fs::create_dir_all(&to).unwrap();
    assert_eq!(push(top.path(), &to.display().to_string()), Some(0));
    assert_eq!(all.map(|name| spool.join(name).is_dir()), [false, true, true, true, true]);
    assert!(elsewhere.join("deep").is_dir() && spool.join(".20260101T000002Z-4194997").is_symlink());
    drop(held);
    assert_eq!(push(top.path(), &to.display().to_string()), Some(0));
    assert!(!spool.join(all[1]).exists() && names(&to).len() == 2);
}

#[test]
#[ignore = "make long"]
fn a_device_that_cannot_push_keeps_its_runs_until_it_can_and_each_comes_once() {
    let top = place();
    let folder = top.path();
    let shared = folder.join("spool/a");
    for waiting in 1..=2 {
        assert_eq!(push(folder, &shared.display().to_string()), Some(1));
        assert_eq!(names(&folder.join("state/spool")).len(), waiting);
    }
    fs::create_dir_all(&shared).unwrap();
    assert_eq!(push(folder, &shared.display().to_string()), Some(0));
    assert_eq!((names(&folder.join("state/spool")).len(), names(&shared).len()), (0, 3));
    let output = tool_in(folder, &["fleet", "import", "spool", "--output", "fleet"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3 new, 0 already present, 0 refused, 0 still arriving\n");

    let Some(server) = Server::start(folder) else {
        return skip("a device that pushes over SSH", "openssh-server is not installed");
    };
    let place = folder.display();
    let config = format!(
        "Host box\nHostName 127.0.0.1\nPort {}\nIdentityFile {place}/user\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
        server.port
    );
    fs::write(folder.join("client"), config).unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    for name in ["ssh", "scp"] {
        let text = format!("#!/bin/sh\nexec /usr/bin/{name} -F {place}/client \"$@\"\n");
        script(&text, &folder.join("bin").join(name));
    }
    assert_eq!(push(folder, &format!("nowhere:{place}/spool/b")), Some(1));
    assert_eq!(push(folder, &format!("box:{place}/spool/b")), Some(0));
    assert_eq!((names(&folder.join("state/spool")).len(), names(&folder.join("spool/b")).len()), (0, 2));
}
