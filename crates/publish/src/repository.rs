// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was written as a commit, without a name of whoever made it: git would write the user's own.
use super::site::{BUNDLES, INDEX};
use exit::unable;
use std::path::Path;
use std::process::{Command, Output};

/// Who makes every commit.
const NAME: &str = "backwall";
const ADDRESS: &str = "backwall@localhost";

/// Commits bundles and index where the folder is a work tree's own; the commit's number. `None`: it is no work tree, or nothing is new.
///
/// # Errors
/// Where git is not there or refuses.
pub fn commit(folder: &Path, new: usize) -> anyhow::Result<Option<String>> {
    if !folder.join(".git").exists() {
        return Ok(None);
    }
    let told = |words: &[&str]| -> anyhow::Result<Output> {
        let output = git(folder, words).map_err(|error| unable(format!("git: {error}; install it")))?;
        match output.status.success() {
            true => Ok(output),
            false => Err(unable(format!(
                "{}: git {} failed: {}; the files are written",
                folder.display(),
                words[0],
                String::from_utf8_lossy(&output.stderr).trim().lines().last().unwrap_or_default()
            ))),
        }
    };
    told(&["add", "--", BUNDLES, INDEX])?;
    let changed = git(folder, &["diff", "--cached", "--quiet"]).is_ok_and(|output| output.status.code() == Some(1));
    if !changed {
        return Ok(None);
    }
    let what = format!("bundles: {new} more");
    told(&["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", &what, "--", BUNDLES, INDEX])?;
    let number = told(&["rev-parse", "HEAD"])?;
    Ok(Some(String::from_utf8_lossy(&number.stdout).trim().to_string()))
}

/// The user's own settings would bring names, hooks and signatures.
fn git(folder: &Path, words: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new("git");
    for of in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{of}_NAME"), NAME).env(format!("GIT_{of}_EMAIL"), ADDRESS);
    }
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command.env("TZ", "UTC").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"])
        .args(words)
        .output()
}
