// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet run`: devices over a real SSH server of the test's own. What goes wrong on one costs a line, the others go on, and
//! nothing is half-written.
use crate::copied::script;
use crate::lacking::skip;
use crate::tool::{message, tool_in, wait_until};
use serde_json::Value;
use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

const FAKE: &str = device::built::FAKE;
const SSHD: &str = "/usr/sbin/sshd";
/// Where a server of the superuser's wants an empty folder.
const PRIVILEGES: &str = "/run/sshd";

/// A server on this machine's own address, with keys of its own.
struct Server {
    child: Child,
    port: u16,
    made: bool,
    _alone: MutexGuard<'static, ()>,
}

/// One server at a time, for they share that folder.
static ALONE: Mutex<()> = Mutex::new(());

impl Server {
    /// `None`: no server is installed.
    fn start(folder: &Path) -> Option<Self> {
        if !Path::new(SSHD).exists() {
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        for key in ["host", "user"] {
            let words = ["-q", "-t", "ed25519", "-N", "", "-f"];
            assert!(Command::new("ssh-keygen").args(words).arg(folder.join(key)).status().unwrap().success());
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let place = folder.display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/user.pub\nStrictModes no\n\
             PasswordAuthentication no\nSubsystem sftp internal-sftp\nUsePAM no\nPidFile none\nMaxStartups 100\n"
        );
        fs::write(folder.join("config"), config).unwrap();
        let made = !Path::new(PRIVILEGES).exists() && fs::create_dir(PRIVILEGES).is_ok();
        let mut server = Command::new(SSHD);
        server.args(["-D", "-f"]).arg(folder.join("config")).arg("-E").arg(folder.join("log"));
        let child = server.stdin(Stdio::null()).spawn().unwrap();
        let server = Self { child, port, made, _alone: alone };
        wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.made {
            let _ = fs::remove_dir(PRIVILEGES);
        }
    }
}

/// A device of the file: reached by the server, with a folder of its own that stands for its disk.
fn device(folder: &Path, name: &str, port: u16, more: &str) -> String {
    let (place, user) = (folder.display(), rustix::process::geteuid().as_raw());
    let user = Command::new("id").args(["-nu", &user.to_string()]).output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    format!(
        "[[device]]\nname = \"{name}\"\naddress = \"{}@127.0.0.1\"\nport = {port}\nfolder = \"{place}/disks/{name}\"\n\
         options = [\"-F\", \"none\", \"-i\", \"{place}/user\", \"-oStrictHostKeyChecking=no\", \"-oUserKnownHostsFile=/dev/null\", \"-oLogLevel=ERROR\"]\n{more}\n",
        user.trim()
    )
}

fn words() -> String {
    format!("run = [\"run\", \"--probe\", \"{FAKE}\", \"--load\", \"none\", \"--for\", \"1s\"]\n")
}

fn place() -> TempDir {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir(top.path().join("disks")).unwrap();
    top
}

/// Folders of runs of a device.
fn runs(folder: &Path, device: &str) -> Vec<PathBuf> {
    let mut level = vec![folder.join("fleet/runs").join(device)];
    for _ in 0..3 {
        level = level.iter().flat_map(|folder| crate::tool::files(folder)).collect();
    }
    level
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = crate::tool::files(folder)
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn what_goes_wrong_on_a_device_costs_a_line_and_the_others_are_measured() {
    let top = place();
    let folder = top.path();
    let Some(server) = Server::start(folder) else {
        return skip("devices over SSH", "openssh-server is not installed");
    };
    let tool = |name: &str, does: &str| {
        let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nfor last; do :; done\n{does}\n");
        script(&text, &folder.join(name));
        format!("tool = \"{}/{name}\"", folder.display())
    };
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

    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--out", "fleet", "--json"]);
    let said = message(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["planned"], &told["measured"]), (&8.into(), &2.into()), "{told:#}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "one line each, and no other: {said}");
    for (name, why) in [
        ("down", "no run: not reached: "),
        ("reboots", "no run: "),
        ("refuses", "no run: the tool ended with 4 there: no right to do this here"),
        ("hostile", "no run: its run.json: "),
        ("foreign", "name the static file of that architecture"),
        ("busy", "no run: another run is being made there"),
    ] {
        let line = lines.iter().find(|line| line.starts_with(&format!("backwall: {name}: "))).unwrap();
        assert!(line.contains(why), "{line}");
        assert!(runs(folder, name).is_empty());
    }
    for name in ["one", "two"] {
        let [run] = &runs(folder, name)[..] else { panic!("{name} has one run: {told:#}") };
        assert!(backwall::store::read(run).unwrap().series[0].done > 0);
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
    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--out", "fleet", "--quiet"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(message(&output).contains("backwall: incomplete: 3 of 8 devices gave a run"), "{}", message(&output));
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
    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--out", "fleet"]);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert_eq!((runs(folder, "here").len(), runs(folder, "there").len()), (1, 1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().all(|line| line.contains(" max ") && line.contains("simulated")) && text.lines().count() == 2,
        "{text}"
    );
}

/// The script of a device that pushes, as its timer calls it.
fn push(folder: &Path, to: &str) -> Option<i32> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contrib/fleet/backwall-push.sh");
    let tool = Path::new(env!("CARGO_BIN_EXE_backwall")).parent().unwrap();
    let path = format!("{}/bin:{}:{}", folder.display(), tool.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg(script).args([to, "run", "--probe", FAKE, "--load", "none", "--for", "1s"]);
    let output = command.env("PATH", path).env("STATE_DIRECTORY", folder.join("state")).output().unwrap();
    output.status.code()
}

#[test]
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
    let output = tool_in(folder, &["fleet", "import", "spool", "--out", "fleet"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3 new, 0 there already, 0 refused, 0 still being pushed\n");

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

#[test]
fn a_fleet_that_is_none_is_refused_before_anything_is_made() {
    let top = place();
    for (text, why) in [("", "0 devices"), ("x", "line 1: "), ("[[device]]\nname = \"../x\"\n", "a name has")] {
        fs::write(top.path().join("fleet.toml"), text).unwrap();
        let output = tool_in(top.path(), &["fleet", "run", "fleet.toml", "--out", "fleet"]);
        assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1));
        assert!(message(&output).contains(why), "{}", message(&output));
        assert!(!top.path().join("fleet").exists());
    }
}
