// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places that labgrid shares out: its coordinator, its exporter and its SSH driver, started by the test.
use super::separate::meets;
use super::server::Server;
use super::{place, runs, user, words};
use crate::lacking::skip;
use crate::tool::{Begin, Running, message, wait_until};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn programs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/bin");
    folder.join("labgrid-client").exists().then_some(folder)
}

// A laboratory: its programs, its coordinator, and an agent with the key of its devices.
struct Laboratory {
    path: String,
    coordinator: String,
    agent: String,
    _running: Vec<Running>,
}

impl Laboratory {
    fn start(folder: &Path, programs: &Path, server: &Server) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let own = std::env::var("PATH").unwrap_or_default();
        let mut laboratory = Self {
            path: format!("{}:{own}", programs.display()),
            coordinator: format!("127.0.0.1:{port}"),
            agent: folder.join("agent").display().to_string(),
            _running: Vec::new(),
        };
        let begin = |laboratory: &Laboratory, program: &str, words: &[&str]| {
            laboratory.command(program, folder).args(words).stdout(Stdio::null()).stderr(Stdio::null()).begin()
        };
        let agent = begin(&laboratory, "ssh-agent", &["-D", "-a", &laboratory.agent]);
        let coordinator = begin(&laboratory, "labgrid-coordinator", &["-l", &laboratory.coordinator]);
        wait_until("the agent listens", || Path::new(&laboratory.agent).exists());
        wait_until("the coordinator listens", || TcpStream::connect(&laboratory.coordinator).is_ok());
        let added = laboratory.command("ssh-add", folder).args(["-q"]).arg(folder.join("user")).output().unwrap();
        assert!(added.status.success(), "{}", message(&added));
        let service = |name: &str| {
            let (user, port) = (user(), server.port);
            format!("{name}:\n  NetworkService:\n    address: 127.0.0.1\n    port: {port}\n    username: {user}\n")
        };
        fs::write(folder.join("exporter.yaml"), PLACES.map(service).concat()).unwrap();
        let words = ["-c", &laboratory.coordinator, "--name", "bench", "exporter.yaml"];
        let exporter = begin(&laboratory, "labgrid-exporter", &words);
        wait_until("the exporter tells what it has", || {
            let said = laboratory.client(folder, &["resources"]);
            PLACES.iter().all(|name| String::from_utf8_lossy(&said.stdout).contains(&format!("bench/{name}/")))
        });
        for name in PLACES {
            let pattern = format!("bench/{name}/NetworkService");
            for words in [&["-p", name, "create"][..], &["-p", name, "add-match", &pattern]] {
                let said = laboratory.client(folder, words);
                assert!(said.status.success(), "{words:?}: {}", message(&said));
            }
        }
        laboratory._running = vec![agent, coordinator, exporter];
        laboratory
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env("PATH", &self.path).env("SSH_AUTH_SOCK", &self.agent);
        command.env("LG_COORDINATOR", &self.coordinator).env("LG_HOSTNAME", "desk").env("LG_USERNAME", "ours");
        command.env_remove("LG_ENV").env_remove("LG_PLACE").stdin(Stdio::null());
        command
    }

    fn client(&self, folder: &Path, words: &[&str]) -> Output {
        self.command("labgrid-client", folder).args(words).output().unwrap()
    }

    fn holder(&self, folder: &Path, place: &str) -> String {
        let shown = String::from_utf8(self.client(folder, &["-p", place, "show"]).stdout).unwrap();
        let row = shown.lines().find_map(|row| row.trim().strip_prefix("acquired: ")).unwrap_or_default();
        row.to_string()
    }
}

const PLACES: [&str; 3] = ["left", "right", "taken"];

#[test]
#[ignore = "make long"]
fn two_places_of_labgrid_are_locked_and_measured_at_once_and_one_that_another_has_costs_a_line() {
    let test = "places of labgrid";
    let Some(programs) = programs() else {
        return skip(test, "labgrid is not installed; tools/install.sh test gets it from Python's package index");
    };
    let top = place();
    let folder = top.path();
    let Some(server) = Server::start(folder) else { return skip(test, "openssh-server is not installed") };
    let laboratory = Laboratory::start(folder, &programs, &server);
    let mut other = laboratory.command("labgrid-client", folder);
    let taken = other.env("LG_USERNAME", "colleague").args(["-p", "taken", "acquire"]).output().unwrap();
    assert!(taken.status.success(), "{}", message(&taken));

    let device = |place: &str, more: &str| {
        let disk = folder.join("disks").join(place).display().to_string();
        format!(
            "[[device]]\nname = \"{place}\"\nkind = \"labgrid\"\nplace = \"{place}\"\nfolder = \"{disk}\"\n{more}\n"
        )
    };
    let devices = device("left", &meets(folder, "left", "right"))
        + &device("right", &meets(folder, "right", "left"))
        + &device("taken", "");
    fs::write(folder.join("fleet.toml"), words() + &devices).unwrap();
    let mut command = laboratory.command(env!("CARGO_BIN_EXE_backwall"), folder);
    let output = command.args(["fleet", "run", "fleet.toml", "--output", "fleet", "--quiet"]).output().unwrap();
    let said = message(&output);
    assert_eq!(PLACES.map(|name| runs(folder, name).len()), [1, 1, 0], "{said}");
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 2), "{said}");
    assert!(said.contains("taken: no run: ") && said.contains("already acquired by desk/colleague"), "{said}");
    let holders = PLACES.map(|name| laboratory.holder(folder, name));
    assert_eq!(holders, ["None", "None", "desk/colleague"], "each is given back, and nobody's is taken");
}
