// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export site` into repositories and folders where somebody else worked: their files stay as they are, and none of
//! their programs runs.
use crate::lacking::skip;
use crate::sample;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// A folder with a run in `run` and another one in `more`, and a repository `table`.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let mut run = sample::tour();
        for (name, seconds) in [("run", 1.0), ("more", 2.0)] {
            run.seconds = seconds;
            fs::create_dir(desk.at(name)).unwrap();
            fs::write(desk.at(name).join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
        }
        desk.git(&["init", "-q", "-b", "main"]);
        desk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn publish(&self, run: &str) -> Output {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
        tool.args(["export", "site", run, "-o", "table"])
            .current_dir(self.0.path())
            .env("HOME", self.0.path())
            .env_remove("XDG_CACHE_HOME");
        tool.env_remove("XDG_CONFIG_HOME").output().unwrap()
    }

    fn git(&self, words: &[&str]) -> String {
        fs::create_dir_all(self.at("table")).unwrap();
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "safe.directory=*"]).args(words);
        let output = git.current_dir(self.at("table")).env("HOME", self.0.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at("table").join(name), text).unwrap();
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[track_caller]
fn done(output: &Output) -> String {
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{}", said(output));
    said(output)
}

#[track_caller]
fn refused(output: &Output, why: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), told.lines().count()), (Some(4), 1), "{told}");
    assert!(told.contains(why) && told.ends_with("; the files were written, but not committed\n"), "{told}");
}

#[test]
fn what_the_user_has_staged_stays_staged_and_is_in_no_commit() {
    let desk = Desk::new();
    desk.write("mine", "a");
    desk.git(&["add", "mine"]);
    assert!(done(&desk.publish("run")).contains(" of table on main\n"));
    assert_eq!(desk.git(&["status", "--short"]), "A  mine\n");
    assert!(!desk.git(&["show", "--stat", "HEAD"]).contains("mine"));
    assert!(done(&desk.publish("run")).starts_with("0 new, 1 already present"), "nothing is new");
    assert_eq!(desk.git(&["rev-list", "--count", "HEAD"]), "1\n");
}

#[test]
fn a_rule_of_the_users_leaves_no_hole_in_a_bundle() {
    let desk = Desk::new();
    desk.write(".gitignore", "bundles\n*.html\n");
    fs::create_dir_all(desk.at(".config/git")).unwrap();
    fs::write(desk.at(".config/git/ignore"), "run.json\n").unwrap();
    done(&desk.publish("run"));
    let files = desk.git(&["ls-files"]);
    assert!(["index.html", "run.json", "report.html"].iter().all(|name| files.contains(name)), "{files}");
    fs::write(desk.at("table/bundles/notes.txt"), "mine").unwrap();
    let output = desk.publish("more");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told, "backwall: not in the commit: table/bundles/notes.txt: not a folder\n");
    assert_eq!(output.status.code(), Some(3));
    assert!(!desk.git(&["ls-files"]).contains("notes.txt"));
    desk.git(&["add", "-f", "bundles/notes.txt"]);
    desk.git(&["commit", "-qm", "mine"]);
    done(&desk.publish("more"));
}

#[test]
fn a_commit_that_no_branch_has_is_told() {
    let desk = Desk::new();
    done(&desk.publish("run"));
    desk.git(&["checkout", "-q", "--detach"]);
    assert!(done(&desk.publish("more")).contains(" of table on no branch (detached HEAD"));
}

#[test]
fn a_refusal_of_gits_is_one_line_that_says_why_and_the_next_call_commits() {
    let desk = Desk::new();
    desk.write(".git/index.lock", "");
    refused(&desk.publish("run"), "git update-index failed: fatal: Unable to create");
    fs::remove_file(desk.at("table/.git/index.lock")).unwrap();
    assert!(done(&desk.publish("run")).contains("commit "));
    fs::write(desk.at("table/.git/MERGE_HEAD"), desk.git(&["rev-parse", "HEAD"])).unwrap();
    refused(&desk.publish("more"), "a merge is in progress: finish it first");
}

// Hooks and monitors of a repository are programs of the author of its settings.
#[test]
fn no_program_of_the_repository_is_run() {
    let desk = Desk::new();
    let program = |name: &str| {
        let text = format!("#!/bin/sh\ntouch {}\n", desk.at("ran").display());
        fs::write(desk.at(name), text).unwrap();
        fs::set_permissions(desk.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    ["table/.git/hooks/pre-commit", "table/.git/hooks/post-commit", "monitor"].into_iter().for_each(program);
    desk.git(&["config", "core.fsmonitor", desk.at("monitor").to_str().unwrap()]);
    done(&desk.publish("run"));
    done(&desk.publish("more"));
    assert!(!desk.at("ran").exists());
}

#[test]
fn a_repository_of_another_user_is_worked_in_only_where_the_user_trusts_it() {
    let desk = Desk::new();
    let table = desk.at("table");
    if chown(&table, Some(65_534), None).and_then(|()| chown(table.join(".git"), Some(65_534), None)).is_err() {
        return skip("a_repository_of_another_user", "only root can give a folder away");
    }
    refused(&desk.publish("run"), "git rev-parse failed: fatal: detected dubious ownership");
    fs::write(desk.at(".gitconfig"), format!("[safe]\ndirectory = {}\n", table.canonicalize().unwrap().display()))
        .unwrap();
    assert!(done(&desk.publish("run")).contains("commit "));
}

fn index(table: &Path) -> String {
    fs::read_to_string(table.join("index.html")).unwrap()
}

#[test]
fn a_damaged_bundle_costs_a_line_and_the_others_are_in_the_index() {
    let desk = Desk::new();
    done(&desk.publish("run"));
    let bundles = desk.at("table/bundles");
    for (name, text) in [("damaged", "{"), ("<b>theirs", "{}")] {
        fs::create_dir(bundles.join(name)).unwrap();
        fs::write(bundles.join(name).join("run.json"), text).unwrap();
    }
    let output = desk.publish("more");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), told.lines().count()), (Some(3), 2), "{told}");
    assert!(told.lines().all(|line| line.starts_with("backwall: not in the index: table/bundles/")), "{told}");
    let index = index(&desk.at("table"));
    assert_eq!((index.matches("/report.html").count() >= 2, index.contains("<b>theirs")), (true, false));
    assert!(!desk.at("table/.part").exists());
}

#[test]
fn no_name_of_a_run_that_lies_among_the_bundles_comes_into_the_index() {
    let desk = Desk::new();
    let mut run = sample::tour();
    run.series[0].key.name = "annas-secret".to_string();
    run.series.truncate(1);
    for place in ["theirs", "table/bundles/copied"] {
        fs::create_dir_all(desk.at(place)).unwrap();
        fs::write(desk.at(place).join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
    }
    symlink(desk.at("theirs"), desk.at("table/bundles/linked")).unwrap();
    let output = desk.publish("run");
    let told = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(3), 2), "{told}");
    assert!(lines[0].starts_with(
        "backwall: not in the commit: table/bundles/copied: report.html differs from the output of backwall export site; remove it"
    ));
    assert!(lines[1].ends_with("table/bundles/linked: not a folder"), "{told}");
    let index = index(&desk.at("table"));
    assert!(!index.contains("annas-secret") && index.contains("bundles/copied/") && !index.contains("bundles/linked"));
    let committed = desk.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(
        !committed.contains("copied") && !committed.contains("linked") && committed.contains("/run.json"),
        "{committed}"
    );
}

// A cloned repository may contain a symbolic link in place of our folder; its target was once emptied.
#[test]
fn a_link_in_the_place_of_a_folder_of_ours_is_refused_and_what_it_leads_to_stays() {
    let desk = Desk::new();
    let thesis = desk.at("home/thesis");
    fs::create_dir_all(thesis.join("1-0")).unwrap();
    fs::create_dir_all(desk.at("home/1-0")).unwrap();
    let absolute = desk.at("home");
    let links = [(".part", Path::new("..")), (".part", &absolute), (".part", Path::new(".")), ("bundles", &absolute)];
    for (name, to) in links {
        symlink(to, desk.at("table").join(name)).unwrap();
        let output = desk.publish("run");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{told}");
        assert!(
            told.contains(&format!("table/{name} is a symbolic link, which backwall does not follow; remove it")),
            "{told}"
        );
        assert!(thesis.join("1-0").is_dir() && desk.at("home/1-0").is_dir() && desk.at("table/.git").is_dir());
        assert_eq!(fs::read_dir(&absolute).unwrap().count(), 2, "nothing comes there");
        fs::remove_file(desk.at("table").join(name)).unwrap();
    }
    done(&desk.publish("run"));
}

#[test]
fn a_folder_of_parts_keeps_what_is_not_ours_by_name_and_that_of_another_user_is_refused() {
    let desk = Desk::new();
    for kept in ["thesis", "17", "17-0.d"] {
        fs::create_dir_all(desk.at("table/.part").join(kept)).unwrap();
    }
    fs::create_dir_all(desk.at("table/.part/17-0")).unwrap();
    done(&desk.publish("run"));
    assert!(["thesis", "17", "17-0.d"].iter().all(|kept| desk.at("table/.part").join(kept).is_dir()));
    assert!(!desk.at("table/.part/17-0").exists());
    if chown(desk.at("table/.part"), Some(65_534), None).is_err() {
        return skip("a folder of parts of another user", "only root can give a folder away");
    }
    let output = desk.publish("more");
    assert!(said(&output).contains("table/.part belongs to another user; remove it"), "{}", said(&output));
}

// With a repository's attributes and settings, its programs would see, and change, each file of the work tree that becomes part
// of a commit.
#[test]
fn no_filter_of_the_repository_is_run_and_the_commit_has_our_bytes() {
    let desk = Desk::new();
    let program = desk.at("filter");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", desk.at("ran").display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    desk.write(".gitattributes", "* filter=evil text eol=crlf working-tree-encoding=UTF-16 ident\n");
    for (name, value) in [
        ("filter.evil.clean", program.to_str().unwrap()),
        ("filter.evil.process", program.to_str().unwrap()),
        ("filter.evil.required", "true"),
        ("core.autocrlf", "true"),
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("core.sshCommand", program.to_str().unwrap()),
        ("gpg.program", program.to_str().unwrap()),
        ("commit.gpgSign", "true"),
    ] {
        desk.git(&["config", name, value]);
    }
    done(&desk.publish("run"));
    done(&desk.publish("more"));
    assert!(!desk.at("ran").exists());
    for path in desk.git(&["ls-tree", "-r", "--name-only", "HEAD"]).lines() {
        let committed = desk.git(&["cat-file", "blob", &format!("HEAD:{path}")]);
        assert!(committed.as_bytes() == fs::read(desk.at("table").join(path)).unwrap(), "{path}");
    }
    let commit = desk.git(&["cat-file", "commit", "HEAD"]);
    assert!(!commit.contains("encoding") && !commit.contains("gpgsig"), "{commit}");
}

// The exact time would reveal when the user was at work.
#[test]
fn a_commit_tells_the_day_alone_and_nothing_of_its_maker_is_left() {
    let desk = Desk::new();
    done(&desk.publish("run"));
    for of in ["%at %ai", "%ct %ci"] {
        let told = desk.git(&["log", "-1", &format!("--format={of}")]);
        let second: u64 = told.split(' ').next().unwrap().parse().unwrap();
        assert!(second % (24 * 3_600) == 0 && told.ends_with(" 00:00:00 +0000\n"), "{told}");
    }
    assert_eq!(desk.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main\n");
}

// In a folder from another person, the index shows the runs themselves.
#[test]
fn rows_that_somebody_has_written_beside_a_run_are_not_in_the_index() {
    let desk = Desk::new();
    done(&desk.publish("run"));
    let bundle = fs::read_dir(desk.at("table/bundles")).unwrap().next().unwrap().unwrap().path();
    fs::write(
        bundle.join("listed.json"),
        r#"{"form":1,"board":"FORGED","kernel":"x","emulated":false,"day":"x","settings":"x","rows":[]}"#,
    )
    .unwrap();
    done(&desk.publish("more"));
    assert!(
        !index(&desk.at("table")).contains("FORGED") && index(&desk.at("table")).matches("/report.html").count() >= 2
    );
    // Nor from what was kept of a run that is another one by now.
    let run = fs::read_to_string(bundle.join("run.json")).unwrap();
    let kernel = sample::tour().device.linux_release().unwrap().to_string();
    assert!(run.contains(&kernel));
    fs::write(bundle.join("run.json"), run.replace(&kernel, "9.9.9-changed")).unwrap();
    done(&desk.publish("run"));
    assert!(index(&desk.at("table")).contains("9.9.9-changed"));
}

// A bundle that an earlier call could not commit is committed by the next, also for ordinary threads.
#[test]
fn a_bundle_of_a_bundle_is_the_same() {
    let mut run = sample::tour();
    run.refused_priority =
        Some(serde_json::from_value(serde_json::json!({ "priority": 80, "error": "x", "remedy": "y" })).unwrap());
    run.spoil("a reason");
    let known = backwall_runner::request::names::LOADS.map(String::from).into();
    let once = backwall_formats::anonymize::bundle(&run, &mut backwall_formats::anonymize::Words::new(&known));
    let read = backwall_model::read(&serde_json::to_string(&once).unwrap()).unwrap();
    let twice = backwall_formats::anonymize::bundle(&read, &mut backwall_formats::anonymize::Words::new(&known));
    assert_eq!(serde_json::to_string(&once).unwrap(), serde_json::to_string(&twice).unwrap());
    assert!(!once.warnings.is_empty());
}
