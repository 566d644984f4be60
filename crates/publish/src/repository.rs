// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was written as a commit, without a name of whoever made it: git would write the user's own.
use super::site::{BUNDLES, FILES, INDEX};
use exit::unable;
use std::path::Path;
use std::process::{Command, Output};

/// Who makes every commit.
const NAME: &str = "backwall";
const ADDRESS: &str = "backwall@localhost";
/// The setting that says in whose folders git may work; git takes it from the user and the system alone.
const TRUSTED: &str = "safe.directory";

/// A commit.
pub struct Commit {
    /// Its number.
    pub number: String,
    /// The branch that has it; `None` where none has: what is checked out then is a commit.
    pub branch: Option<String>,
}

/// Commits bundles and index where the folder is a work tree's own, and nothing else that lies there or is staged. `None`: it is no work
/// tree, or nothing is new.
///
/// # Errors
/// Where git is not there or refuses.
pub fn commit(folder: &Path, new: usize) -> anyhow::Result<Option<Commit>> {
    if !folder.join(".git").exists() {
        return Ok(None);
    }
    let trusted = trusted();
    let git =
        |words: &[&str]| git(folder, &trusted, words).map_err(|error| unable(format!("git: {error}; install it")));
    let told = |words: &[&str]| -> anyhow::Result<String> {
        let output = git(words)?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
            false => Err(unable(format!(
                "{}: git {} failed: {}; the files are written",
                folder.display(),
                words[0],
                why(&output)
            ))),
        }
    };
    let ours: Vec<String> = FILES.iter().map(|file| format!(":(glob){BUNDLES}/*/{file}")).collect();
    let ours: Vec<&str> = ["--"].into_iter().chain(ours.iter().map(String::as_str)).chain([INDEX]).collect();
    // A rule of the user's that leaves such files out would leave a hole in what is published.
    told(&[&["add", "--force"], &ours[..]].concat())?;
    if git(&[&["diff", "--cached", "--quiet"], &ours[..]].concat())?.status.code() == Some(0) {
        return Ok(None);
    }
    let what = format!("bundles: {new} more");
    told(&[&["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", &what], &ours[..]].concat())?;
    let branch = git(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    let branch = branch.status.success().then(|| String::from_utf8_lossy(&branch.stdout).trim().to_string());
    Ok(Some(Commit { number: told(&["rev-parse", "HEAD"])?, branch }))
}

/// The line of git's that says why, without its advice.
fn why(output: &Output) -> String {
    let said = [&output.stderr[..], &output.stdout[..]].concat();
    let said = String::from_utf8_lossy(&said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let why = lines.clone().find(|line| line.starts_with("fatal:")).or_else(|| lines.next()).unwrap_or_default();
    let remedy = match why.contains("dubious ownership") {
        true => {
            "; it belongs to another user: git config --global --add safe.directory with its path, where you trust it"
        }
        false => "",
    };
    format!("{why}{remedy}")
}

/// The folders of others that the user, or the system, lets git work in.
fn trusted() -> Vec<String> {
    let of = |scope: &str| {
        let output = Command::new("git").args(["config", scope, "--get-all", TRUSTED]).output();
        let said = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&said).lines().map(str::to_string).collect::<Vec<_>>()
    };
    ["--system", "--global"].into_iter().flat_map(of).collect()
}

/// The user's own settings would bring names, hooks and signatures.
fn git(folder: &Path, trusted: &[String], words: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new("git");
    for of in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{of}_NAME"), NAME).env(format!("GIT_{of}_EMAIL"), ADDRESS);
    }
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command.env("TZ", "UTC").env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.arg("-C").arg(folder).args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
    for folder in trusted {
        command.arg("-c").arg(format!("{TRUSTED}={folder}"));
    }
    command.args(words).output()
}
