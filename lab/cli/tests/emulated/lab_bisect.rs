// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab bisect` on a history whose first bad revision is known. Needs QEMU and git.
use crate::common::program::program;
use crate::tool::wait_until;
use backwall_lab::guest;
use backwall_lab::scenario::Scenario;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub const SCENARIO: &str =
    "about = 'test'\nguest = 'image:replaced'\n[generator.a]\nshape = 'periodic'\nperiod = 10_000\ncount = 500\n";

// Builds in `folder` an image of a handler that answers with its `instructions`th instruction.
pub fn image(instructions: u32, folder: &Path) {
    image_of(&format!("bare:answer-irq7-{instructions}"), &folder.join(format!("answers-after-{instructions}")));
}

pub fn image_of(name: &str, file: &Path) {
    let folder = file.parent().unwrap();
    let scenario = Scenario::parse("test", &SCENARIO.replace("image:replaced", name)).unwrap();
    let (kind, rest) = guest::kind_of(name).unwrap();
    let preparing = guest::Preparing { folder, stop: &backwall_os::Stop::default() };
    let machine = (kind.prepare)(rest, &scenario, &preparing).unwrap();
    std::fs::rename(machine.kernel, file).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let status = Command::new("git").args(who).args(arguments).current_dir(folder).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

// A git history with revisions v1 to v8: from v6 on the guest needs 100 instructions instead of 5, and v3 does not build.
fn history(folder: &Path) {
    git(folder, &["init", "--quiet"]);
    for number in 1..=8 {
        let instructions = if number < 6 { 5 } else { 100 };
        let build =
            if number == 3 { "exit 1".to_string() } else { format!("cp \"$1/answers-after-{instructions}\" kernel") };
        std::fs::write(folder.join("build.sh"), format!("# {number}\n{build}\n")).unwrap();
        git(folder, &["add", "."]);
        git(folder, &["commit", "--quiet", "-m", &format!("change {number}")]);
        git(folder, &["tag", &format!("v{number}")]);
    }
}

fn bench() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    image(5, folder.path());
    image(100, folder.path());
    std::fs::write(folder.path().join("test.toml"), SCENARIO).unwrap();
    std::fs::create_dir(folder.path().join("tree")).unwrap();
    history(&folder.path().join("tree"));
    folder
}

fn bisect(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program());
    let image = if words.contains(&"--image") { &[][..] } else { &["--image", "kernel"] };
    command.args(["lab", "bisect"]).args(words).args(["--tree", "tree", "test.toml"]).args(image);
    command.args(["--build", &format!("sh build.sh {}", folder.display())]);
    command.current_dir(folder).output().unwrap()
}

#[test]
fn the_first_bad_revision_is_found_past_one_that_cannot_be_built() {
    let folder = bench();
    let output = bisect(folder.path(), &["v1", "v8", "--require", "isr.max <= 50instructions"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let found = said.lines().last().unwrap();
    assert!(found.starts_with("first bad: ") && found.ends_with("  change 6"), "{said}");
    assert!(
        said.contains("good     ") && said.contains("bad      ") && said.contains("isr.max <= 50instructions"),
        "{said}"
    );
}

#[test]
fn as_json_every_trial_has_its_verdict() {
    let folder = bench();
    let output = bisect(folder.path(), &["v2", "v4", "--require", "isr.min >= 100instructions", "--json"]);
    assert_eq!(output.status.code(), Some(2), "v2 is to be good");
    let output = bisect(folder.path(), &["v1", "v8", "--require", "isr.max <= 50instructions", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials = json["trials"].as_array().unwrap();
    let of = |subject: &str| trials.iter().find(|trial| trial["revision"]["subject"] == subject).unwrap();
    assert_eq!((&of("change 1")["verdict"], &of("change 8")["verdict"]), (&"good".into(), &"bad".into()));
    assert!(trials.iter().all(|trial| trial["revision"]["subject"] != "change 3" || trial["verdict"] == "skip"));
    assert_eq!(json["first_bad_among"][0]["subject"], "change 6");
}

#[test]
fn what_cannot_be_halved_is_one_line() {
    let folder = bench();
    let refused = |words: &[&str], code: i32, text: &str| {
        let output = bisect(folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(text) && said.trim_end().lines().count() == 1, "{said}");
    };
    refused(&["v1", "v8"], 2, "--require");
    let mine = folder.path().join("mine");
    std::fs::write(&mine, "mine").unwrap();
    for outside in [mine.to_str().unwrap(), "../mine", "tree/../../mine", "."] {
        refused(&["v1", "v8", "--image", outside], 2, "inside the build folder");
    }
    assert!(mine.exists());
    refused(&["v1", "v9", "--require", "isr.max <= 50instructions"], 2, "v9: ");
    refused(&["v8", "v1", "--require", "isr.max <= 50instructions"], 2, "name the good revision first");
    refused(
        &["v1", "v8", "--require", "isr.max <= 4instructions"],
        2,
        "must be good, but fails: isr.max <= 4instructions",
    );
    refused(&["v1", "v5", "--require", "isr.max <= 50instructions"], 2, "must be bad, but passes");
    refused(&["v3", "v8", "--require", "isr.max <= 50instructions"], 4, "the build failed");
    refused(&["v1", "v8", "--require", "app.max <= 50instructions"], 2, "app");
}

// Starts a search whose first build reports its start and then never ends.
fn endless(folder: &Path) -> Child {
    let build = "touch \"$BACKWALL_TREE/../begun\"; sleep 613; true";
    let mut command = Command::new(program());
    command.args(["lab", "bisect", "v1", "v8", "test.toml", "--tree", "tree", "--image", "kernel"]);
    command.args(["--require", "isr.max <= 50instructions", "--build", build]);
    command.current_dir(folder).env("TMPDIR", folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_until("the build's begin", || folder.join("begun").exists());
    child
}

fn at_work(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let places = processes.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok());
    places.filter(|place| place.starts_with(folder)).count()
}

fn left(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().starts_with("backwall-lab-")).count()
}

fn state(folder: &Path) -> Vec<u8> {
    let said = |arguments: &[&str]| {
        Command::new("git").args(arguments).current_dir(folder.join("tree")).output().unwrap().stdout
    };
    [said(&["for-each-ref"]), said(&["status", "--porcelain"]), said(&["worktree", "list"])].concat()
}

#[test]
fn ctrl_c_ends_the_build_and_leaves_nothing() {
    let folder = bench();
    let before = state(folder.path());
    let tool = endless(folder.path());
    assert!(Command::new("kill").args(["-INT", &tool.id().to_string()]).status().unwrap().success());
    let output = tool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.trim_end().lines().count()), (Some(4), 1), "{said}");
    assert!(said.contains("interrupted; your repository is unchanged"), "{said}");
    assert_eq!((at_work(folder.path()), left(folder.path())), (0, 0));
    assert_eq!(state(folder.path()), before);
}

#[test]
fn a_kill_ends_the_build_and_the_next_search_removes_what_is_left() {
    let folder = bench();
    let before = state(folder.path());
    let mut tool = endless(folder.path());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the build's end", || at_work(folder.path()) == 0);
    assert_eq!((left(folder.path()), state(folder.path()) == before), (1, true));
    let mut command = Command::new(program());
    command.args(["lab", "bisect", "v1", "v9", "test.toml", "--tree", "tree", "--build", "true"]);
    command.args(["--require", "isr.max <= 50instructions"]).current_dir(folder.path()).env("TMPDIR", folder.path());
    assert_eq!(command.output().unwrap().status.code(), Some(2), "there is no v9");
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn without_the_emulator_the_fix_is_one_line_and_the_code_4() {
    let folder = bench();
    let mut command = Command::new(program());
    command.args(["lab", "bisect", "v1", "v8", "test.toml", "--tree", "tree", "--build", "true"]);
    command.args(["--require", "isr.max <= 50instructions"]).current_dir(folder.path()).env("PATH", "/nonexistent");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.trim_end().lines().count()), (Some(4), 1), "{said}");
    assert!(said.contains("apt-get install qemu-system-x86"), "{said}");
}
