// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commits what was written, without the user's name, which git would add by itself.
//!
//! A cloned repository brings attributes, and a copied one also brings settings: filters, hooks, monitors, programs that fetch.
//! So git reads no file of the work tree. backwall passes the bytes of each file to git, which commits only these.
use super::site::{BUNDLES, FILES, INDEX, Site};
use backwall_os::refusal::{Refusal, Result, unable};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const NAME: &str = "backwall";
const ADDRESS: &str = "backwall@localhost";
/// The setting with the folders that git trusts. git accepts it only from the user's and the system's settings.
const TRUSTED: &str = "safe.directory";
// The exact time would reveal when the user was at work.
const DAY_SECONDS: i64 = 24 * 3600;
// Operations in progress that a commit would disturb.
const UNDER_WAY: [(&str, &str); 3] =
    [("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert")];

pub struct Commit {
    pub number: String,
    /// The branch with the commit; `None` for a detached HEAD.
    pub branch: Option<String>,
}

struct Repository<'a> {
    folder: &'a Path,
    site: &'a Site,
    trusted: Vec<String>,
    day: i64,
}

/// If the folder is a work tree, commits the bundles and the index, and nothing else that is in the folder or staged. `new`
/// bundles were written until `now`. `bundles` gets the names of the bundles that are already committed, and chooses those to
/// commit. Returns `None` without a work tree, or if nothing is new.
///
/// # Errors
/// git is not installed, or refuses.
pub fn commit(
    folder: &Path,
    site: &Site,
    (new, now): (usize, Timestamp),
    bundles: impl FnOnce(&BTreeSet<String>) -> Result<Vec<String>>,
) -> Result<Option<Commit>> {
    if !folder.join(".git").exists() {
        return Ok(None);
    }
    let git =
        Repository { folder, site, trusted: trusted(), day: now.as_second().div_euclid(DAY_SECONDS) * DAY_SECONDS };
    git.told(&["rev-parse", "--git-dir"])?;
    for (name, what) in UNDER_WAY {
        if git.found(&["rev-parse", "--quiet", "--verify", name])?.is_some() {
            return Err(git.failed(&format!("{what} is in progress: finish it first")));
        }
    }
    let head = git.found(&["rev-parse", "--quiet", "--verify", "HEAD"])?;
    let bundles = bundles(&git.bundles(head.as_deref())?)?;
    let path = |(bundle, file): (&String, &str)| format!("{BUNDLES}/{bundle}/{file}");
    let mut files: Vec<String> = bundles.iter().flat_map(|bundle| FILES.map(|file| path((bundle, file)))).collect();
    if git.is_other(head.as_deref(), INDEX)? {
        files.push(INDEX.to_string());
    }
    if files.is_empty() {
        return Ok(None);
    }
    let number = git.made(&format!("bundles: {new} more"), head.as_deref(), &files)?;
    let branch = git.found(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    Ok(Some(Commit { number, branch }))
}

impl Repository<'_> {
    fn bundles(&self, head: Option<&str>) -> Result<BTreeSet<String>> {
        let Some(head) = head else { return Ok(BTreeSet::new()) };
        let rows = self.told(&["ls-tree", "-z", "--name-only", head, &format!("{BUNDLES}/")])?;
        let name = |path: &str| Some(path.strip_prefix(BUNDLES)?.strip_prefix('/')?.to_string());
        Ok(rows.split('\0').filter_map(name).collect())
    }

    fn is_other(&self, head: Option<&str>, path: &str) -> Result<bool> {
        let Some(head) = head else { return Ok(true) };
        let before = self.run(&["cat-file", "blob", &format!("{head}:{path}")], |_| Ok(()))?;
        Ok(!before.status.success() || before.stdout != self.contents(path)?)
    }

    fn contents(&self, path: &str) -> Result<Vec<u8>> {
        self.site.contents(path).map_err(|error| unable(format!("{}: {error}", self.folder.join(path).display())))
    }

    /// Makes the commit, then updates HEAD and the user's index to it.
    fn made(&self, what: &str, head: Option<&str>, files: &[String]) -> Result<String> {
        let name = format!("refs/backwall/publish-{}", std::process::id());
        let import = ["fast-import", "--quiet", "--done", "--date-format=raw"];
        self.checked(&import, self.run(&import, |git| self.stream(git, (&name, what, head), files))?)?;
        let number = self.taken(&name, head, files);
        self.run(&["update-ref", "-d", &name], |_| Ok(()))?;
        number
    }

    fn taken(&self, name: &str, head: Option<&str>, files: &[String]) -> Result<String> {
        let number = self.told(&["rev-parse", "--verify", name])?;
        let ours: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        let rows = self.told(&["ls-tree", "-r", "-z", &number])?;
        let is_ours = |row: &&str| row.split_once('\t').is_some_and(|(_, path)| ours.contains(path));
        let rows: String = rows.split('\0').filter(is_ours).map(|row| format!("{row}\0")).collect();
        let index = ["update-index", "-z", "--index-info"];
        self.checked(&index, self.run(&index, |git| Ok(git.write_all(rows.as_bytes())?))?)?;
        self.told(&["update-ref", "-m", "backwall export site", "HEAD", &number, head.unwrap_or_default()])?;
        Ok(number)
    }

    /// Writes a commit as git-fast-import(1) reads it.
    fn stream(
        &self,
        git: &mut dyn Write,
        (name, what, head): (&str, &str, Option<&str>),
        files: &[String],
    ) -> std::result::Result<(), Unsaid> {
        let (day, length) = (self.day, what.len() + 1);
        write!(git, "commit {name}\ncommitter {NAME} <{ADDRESS}> {day} +0000\ndata {length}\n{what}\n")?;
        if let Some(head) = head {
            writeln!(git, "from {head}")?;
        }
        for path in files {
            let contents = self.contents(path)?;
            write!(git, "M 100644 inline {path}\ndata {}\n", contents.len())?;
            git.write_all(&contents)?;
            writeln!(git)?;
        }
        Ok(writeln!(git, "done")?)
    }

    fn told(&self, words: &[&str]) -> Result<String> {
        self.checked(words, self.run(words, |_| Ok(()))?)
    }

    fn found(&self, words: &[&str]) -> Result<Option<String>> {
        let output = self.run(words, |_| Ok(()))?;
        if !output.status.success() && output.stderr.is_empty() {
            return Ok(None);
        }
        self.checked(words, output).map(Some)
    }

    fn checked(&self, words: &[&str], output: Output) -> Result<String> {
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
            false => Err(self.failed(&format!("git {} failed: {}", words[0], why(&output)))),
        }
    }

    fn failed(&self, why: &str) -> Refusal {
        unable(format!("{}: {why}; the files were written, but not committed", self.folder.display()))
    }

    /// Runs git without the user's and the system's settings, which would bring names, hooks and signatures, and without the
    /// repository's hooks and monitor.
    fn run(
        &self,
        words: &[&str],
        says: impl FnOnce(&mut dyn Write) -> std::result::Result<(), Unsaid>,
    ) -> Result<Output> {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
            command.env_remove(name);
        }
        // The reflog contains a name too.
        for of in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{of}_NAME"), NAME).env(format!("GIT_{of}_EMAIL"), ADDRESS);
            command.env(format!("GIT_{of}_DATE"), format!("{} +0000", self.day));
        }
        command
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        // If parts of the repository are stored elsewhere, git must not run the programs that would fetch them.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none").env("GIT_TERMINAL_PROMPT", "0");
        command.arg("-C").arg(self.folder).args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
        for folder in &self.trusted {
            command.arg("-c").arg(format!("{TRUSTED}={folder}"));
        }
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let missing = |error: std::io::Error| unable(format!("git: {error}; install it"));
        let mut git = command.spawn().map_err(missing)?;
        let pipe = git.stdin.take();
        std::thread::scope(|scope| {
            let hears = scope.spawn(|| git.wait_with_output());
            let said = pipe.map_or(Ok(()), |pipe| {
                let mut pipe = BufWriter::new(pipe);
                says(&mut pipe)?;
                Ok(pipe.flush()?)
            });
            let output = hears.join().map_err(|_| unable("cannot read git's output"))?.map_err(missing)?;
            match said {
                // git's own output says why it stopped reading.
                Err(Unsaid::Closed) if !output.status.success() => Ok(output),
                Err(Unsaid::Closed) => Err(unable("git: it stopped reading")),
                Err(Unsaid::Refused(refusal)) => Err(refusal),
                Ok(()) => Ok(output),
            }
        })
    }
}

fn why(output: &Output) -> String {
    let said = [&output.stderr[..], &output.stdout[..]].concat();
    let said = String::from_utf8_lossy(&said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let why = lines.clone().find(|line| line.starts_with("fatal:")).or_else(|| lines.next()).unwrap_or_default();
    let remedy = match why.contains("dubious ownership") {
        true => "; another user owns it; if you trust it, run git config --global --add safe.directory with its path",
        false => "",
    };
    format!("{why}{remedy}")
}

/// Folders of other users that the user or the system lets git work in.
fn trusted() -> Vec<String> {
    let of = |scope: &str| {
        let output = Command::new("git").args(["config", scope, "--get-all", TRUSTED]).output();
        let said = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&said).lines().map(str::to_string).collect::<Vec<_>>()
    };
    ["--system", "--global"].into_iter().flat_map(of).collect()
}

enum Unsaid {
    Closed,
    Refused(Refusal),
}

impl From<Refusal> for Unsaid {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<std::io::Error> for Unsaid {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(error.into()),
        }
    }
}
