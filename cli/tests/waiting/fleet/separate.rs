// SPDX-License-Identifier: MIT OR Apache-2.0
//! Separate devices: each with its own network and cable, one with a full disk, and containers.
use super::server::{SSHD, config, keys};
use super::{device_at, itself, names, place, runs, tool, words};
use crate::lacking::skip;
use crate::tool::{Begin, Running, message, tool_in, wait_until};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub struct Network(Running);

impl Network {
    // Around a program, which begins in it. `None`: this machine does not let us have one.
    pub fn around(program: &str) -> Option<Self> {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--net", "sh", "-c", &format!("ip link set lo up || exit; {program}")]);
        let mut running = command.stdin(Stdio::null()).stderr(Stdio::null()).begin();
        let own = |id: u32| fs::read_link(format!("/proc/{id}/ns/net")).ok();
        let id = running.id();
        wait_until("a network", || crate::tool::ended(id) || own(id) != own(std::process::id()));
        matches!(running.try_wait(), Ok(None)).then_some(Self(running))
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.0.id().to_string(), "-n", "--", program]);
        command
    }

    fn ip(&self, words: &str) {
        assert!(self.command("ip").args(words.split(' ')).status().unwrap().success(), "ip {words}");
    }

    // A cable to another network; the far end has the address 10.0.N.2.
    pub fn cable(&self, number: u8, to: &Network) {
        self.ip(&format!("link add cable{number} type veth peer name cable netns {}", to.0.id()));
        self.ip(&format!("addr add 10.0.{number}.1/30 dev cable{number}"));
        self.ip(&format!("link set cable{number} up"));
        to.ip(&format!("addr add 10.0.{number}.2/30 dev cable"));
        to.ip("link set cable up");
    }

    pub fn listens(&self) -> bool {
        let sockets = fs::read_to_string(format!("/proc/{}/net/tcp", self.0.id())).unwrap_or_default();
        sockets.lines().any(|row| row.contains(":0016 ") && row.contains(" 0A "))
    }
}

// Two machines with a network and an SSH server each, and the one at which the user sits, with a cable to each: they have the
// addresses 10.0.1.2 and 10.0.2.2.
pub struct Machines {
    pub desk: Network,
    pub left: Network,
    pub right: Network,
}

impl Machines {
    // Each server after those words of a shell.
    //
    // # Errors
    // Why this machine has none.
    pub fn start(folder: &Path, before: &str) -> Result<Self, &'static str> {
        if !Path::new(SSHD).exists() {
            return Err("openssh-server is not installed");
        }
        keys(folder);
        fs::write(folder.join("config"), config(folder, "0.0.0.0", 22)).unwrap();
        let here = folder.display();
        let server = format!("mkdir -p /run/sshd; {before} exec {SSHD} -D -f {here}/config -E {here}/log");
        let all = [Network::around("exec sleep 1000"), Network::around(&server), Network::around(&server)];
        let [Some(desk), Some(left), Some(right)] = all else {
            return Err("this machine does not let us have networks of our own");
        };
        desk.cable(1, &left);
        desk.cable(2, &right);
        wait_until("both servers listen", || left.listens() && right.listens());
        Ok(Self { desk, left, right })
    }
}

pub fn meets(folder: &Path, name: &str, other: &str) -> String {
    let at = |name: &str| folder.join(name).display().to_string();
    let does = format!("touch {}.begun\nuntil [ -e {}.begun ]; do sleep 0.05; done\n{}", at(name), at(other), itself());
    tool(folder, &format!("{name}.sh"), &does)
}

#[test]
fn two_devices_with_networks_of_their_own_are_measured_at_once_and_a_full_disk_costs_a_line() {
    let top = place();
    let folder = top.path();
    fs::create_dir(folder.join("disks/full")).unwrap();
    let disk = format!("mount -t tmpfs -o size=64k none {}/disks/full || exit;", folder.display());
    let machines = match Machines::start(folder, &disk) {
        Ok(machines) => machines,
        Err(why) => return skip("devices in networks of their own", why),
    };
    let large = format!("# {}\n{}", "x".repeat(200_000), itself());
    let devices = device_at(folder, "left", ("10.0.1.2", 22), &meets(folder, "left", "right"))
        + &device_at(folder, "right", ("10.0.2.2", 22), &meets(folder, "right", "left"))
        + &device_at(folder, "full", ("10.0.2.2", 22), &tool(folder, "large", &large));
    fs::write(folder.join("fleet.toml"), words() + &devices).unwrap();
    let mut command = machines.desk.command(env!("CARGO_BIN_EXE_backwall"));
    let output = command
        .args(["fleet", "run", "fleet.toml", "--output", "fleet", "--quiet"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = message(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 2), "{said}");
    assert!(said.contains("full: no run: cannot copy backwall there: ") && said.contains("No space left"), "{said}");
    assert_eq!(["left", "right", "full"].map(|name| runs(folder, name).len()), [1, 1, 0]);
    assert_eq!(names(&folder.join("disks/full")), [] as [&str; 0], "the disk of another machine is not ours");
}

fn podman(words: &[&str]) -> Output {
    Command::new("podman").args(words).stdin(Stdio::null()).output().unwrap()
}

struct Container(String);

impl Container {
    // From a folder whose programs are those of this machine, without a network. `None` with a reason: none can be had.
    fn start(folder: &Path, name: &str) -> Result<Self, String> {
        let root = folder.join(format!("root-{name}"));
        for made in ["usr", "tmp", "proc", "sys", "dev", "etc", "run", "root"] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        for linked in ["bin", "lib", "lib64", "sbin"] {
            std::os::unix::fs::symlink(format!("usr/{linked}"), root.join(linked)).unwrap();
        }
        let (place, tool) = (folder.display().to_string(), Path::new(env!("CARGO_BIN_EXE_backwall")).parent().unwrap());
        let (tool, fake) = (tool.display().to_string(), Path::new(super::FAKE).parent().unwrap().display().to_string());
        let volumes = [("/usr", "ro"), (&place, "rw"), (&tool, "ro"), (&fake, "ro")];
        let volumes: Vec<String> = volumes.iter().map(|(path, how)| format!("--volume={path}:{path}:{how}")).collect();
        let own = format!("backwall-test-{}-{name}", std::process::id());
        let root = root.display().to_string();
        let mut words = vec![
            "run",
            "--detach",
            "--rm",
            "--network=none",
            "--ulimit=nofile=1024:1024",
            "--ulimit=nproc=1024:1024",
            "--name",
            &own,
        ];
        words.extend(volumes.iter().map(String::as_str));
        words.extend(["--rootfs", &root, "sleep", "1000"]);
        let output = podman(&words);
        match output.status.success() {
            true => Ok(Self(own)),
            false => Err(format!("podman: {}", message(&output).lines().last().unwrap_or_default())),
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        podman(&["kill", &self.0]);
        podman(&["rm", "--force", &self.0]);
    }
}

#[test]
fn two_containers_are_measured_at_once_and_one_that_does_not_run_costs_a_line() {
    let test = "devices that are containers";
    if Command::new("podman").arg("--version").output().is_err() {
        return skip(test, "podman is not installed");
    }
    let top = place();
    let folder = top.path();
    let (one, other) = match (Container::start(folder, "one"), Container::start(folder, "other")) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(why), _) | (_, Err(why)) => return skip(test, &why),
    };
    let device = |name: &str, container: &str, more: &str| {
        let disk = folder.join("disks").join(name).display().to_string();
        format!(
            "[[device]]\nname = \"{name}\"\nkind = \"container\"\ncontainer = \"{container}\"\nfolder = \"{disk}\"\n{more}\n"
        )
    };
    let devices = device("one", &one.0, &meets(folder, "one", "other"))
        + &device("other", &other.0, &meets(folder, "other", "one"))
        + &device("none", "backwall-no-such-container", "");
    fs::write(folder.join("fleet.toml"), words() + &devices).unwrap();
    let output = tool_in(folder, &["fleet", "run", "fleet.toml", "--output", "fleet", "--quiet"]);
    let said = message(&output);
    assert_eq!(["one", "other", "none"].map(|name| runs(folder, name).len()), [1, 1, 0], "{said}");
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 2), "{said}");
    assert!(said.contains("none: no run: ") && said.contains("backwall-no-such-container"), "{said}");
}
