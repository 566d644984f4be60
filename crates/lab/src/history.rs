// SPDX-License-Identifier: MIT OR Apache-2.0
//! The history between a good and a bad revision of a guest's sources. git bisects it in a separate clone.
//!
//! Nothing is written to the user's repository. The clone borrows its objects, and backwall checks out and builds revisions in
//! the clone. All builds use the same folder, so each compiles only what changed since the previous one.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use super::work_folder::WorkFolder;
use backwall_os::complaint;
use backwall_runner::device::supervised::Supervised;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variable with the path of the user's own source tree, for builds that need a file which is not in git.
pub const TREE: &str = "BACKWALL_TREE";

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Revision {
    pub id: String,
    pub subject: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Good,
    Bad,
    /// Untestable: the build failed, the guest did not run, or its samples do not decide.
    Skip,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::Skip => "skipped",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stand {
    Next(Revision),
    Found(Revision),
    /// One of these is the first bad revision; all but the last could not be tested.
    Among(Vec<Revision>),
}

#[derive(Debug, thiserror::Error)]
pub enum BadHistory {
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Unable(String),
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadBuild(String);

#[derive(Debug)]
pub struct History {
    folder: WorkFolder,
    tree: PathBuf,
}

impl History {
    pub fn open(tree: &Path) -> Result<History, BadHistory> {
        let top = git(tree, ["rev-parse", "--show-toplevel"]).map_err(|fault| {
            BadHistory::Input(format!("{}: {fault}; name a repository with --tree", tree.display()))
        })?;
        let folder = WorkFolder::create().map_err(|error| BadHistory::Unable(format!("temporary folder: {error}")))?;
        let history = History { folder, tree: PathBuf::from(top) };
        let clone = ["clone", "--quiet", "--shared", "--no-checkout", "--template="].map(OsStr::new);
        git(&history.tree, clone.into_iter().chain([history.tree.as_os_str(), history.sources().as_os_str()]))
            .map_err(unable)?;
        Ok(history)
    }

    pub fn revision(&self, name: &str) -> Result<Revision, BadHistory> {
        let commit = format!("{name}^{{commit}}");
        let id = git(&self.tree, ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| BadHistory::Input(format!("{name}: {} has no such revision", self.tree.display())))?;
        self.described(id)
    }

    pub fn begin(&self, good: &Revision, bad: &Revision) -> Result<(), BadHistory> {
        if git(&self.sources(), ["merge-base", "--is-ancestor", &good.id, &bad.id]).is_err() || good == bad {
            let (good, bad) = (short(good), short(bad));
            return Err(BadHistory::Input(format!("{good} is not an ancestor of {bad}: name the good revision first")));
        }
        git(&self.sources(), ["bisect", "start", "--no-checkout", &bad.id, &good.id]).map_err(unable).map(|_| ())
    }

    /// Reports a revision's verdict to git. If only skipped revisions are left, git exits with an error although it accepts the
    /// verdict, so check the ref that it sets.
    pub fn tell(&self, revision: &Revision, verdict: Verdict) -> Result<(), BadHistory> {
        let (word, mark) = match verdict {
            Verdict::Good => ("good", format!("refs/bisect/good-{}", revision.id)),
            Verdict::Bad => ("bad", "refs/bisect/bad".to_string()),
            Verdict::Skip => ("skip", format!("refs/bisect/skip-{}", revision.id)),
        };
        let said = git(&self.sources(), ["bisect", word, &revision.id]);
        let marked = git(&self.sources(), ["rev-parse", "--verify", "--quiet", &mark]);
        if marked.is_ok_and(|id| id == revision.id) {
            return Ok(());
        }
        Err(unable(said.err().unwrap_or_else(|| format!("git rejects {word} in {}", short(revision)))))
    }

    pub fn stand(&self) -> Result<Stand, BadHistory> {
        let suspects = self.listed(["rev-list", "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*"])?;
        let skipped = self.listed(["for-each-ref", "--format=%(objectname)", "refs/bisect/skip-*"])?;
        let (first, others) =
            suspects.split_first().ok_or_else(|| BadHistory::Unable("git lists no revision".into()))?;
        if others.is_empty() {
            return self.described(first.clone()).map(Stand::Found);
        }
        if others.iter().all(|suspect| skipped.contains(suspect)) {
            let suspects: Result<_, _> = suspects.iter().rev().map(|id| self.described(id.clone())).collect();
            return suspects.map(Stand::Among);
        }
        let next = git(&self.sources(), ["rev-parse", "--verify", "BISECT_HEAD"]).map_err(unable)?;
        self.described(next).map(Stand::Next)
    }

    /// Builds `image` of the revision with the user's command; `None` if the user stopped it. It first removes the
    /// image of an earlier revision, so that an old image is not mistaken for the new one.
    pub fn build(
        &self,
        revision: &Revision,
        command: &str,
        image: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Result<PathBuf, BadBuild>>, BadHistory> {
        let sources = self.sources();
        git(&sources, ["checkout", "--quiet", "--force", "--detach", &revision.id]).map_err(unable)?;
        let built = sources.join(image);
        remove_below(&built, &sources)?;
        let said = self.folder.path().join("build.txt");
        // A build has no time limit; the user can stop it.
        let ended = Supervised::run(command, &sources, (TREE, &self.tree), &said, stop);
        let ended = ended.map_err(|error| BadHistory::Unable(format!("sh: {error}")))?;
        let Some(status) = ended else { return Ok(None) };
        Ok(Some(match (status, built.is_file()) {
            (0, true) => Ok(built),
            (0, false) => {
                Err(BadBuild(format!("the build left no file {}; name another with --image", image.display())))
            }
            (_, _) => Err(BadBuild(format!("the build failed (exit status: {status}): {}", last_line(&said)))),
        }))
    }

    fn sources(&self) -> PathBuf {
        self.folder.path().join("sources")
    }

    fn listed<const N: usize>(&self, arguments: [&str; N]) -> Result<Vec<String>, BadHistory> {
        let text = git(&self.sources(), arguments).map_err(unable)?;
        Ok(text.lines().map(str::to_string).collect())
    }

    fn described(&self, id: String) -> Result<Revision, BadHistory> {
        let subject = git(&self.tree, ["show", "--no-patch", "--format=%s", &id]).map_err(unable)?;
        Ok(Revision { id, subject })
    }
}

pub fn short(revision: &Revision) -> &str {
    revision.id.get(..12).unwrap_or(&revision.id)
}

fn unable(text: String) -> BadHistory {
    BadHistory::Unable(text)
}

/// Removes a file inside `folder`, if it exists. A revision may contain symbolic links, so the path is checked.
fn remove_below(file: &Path, folder: &Path) -> Result<(), BadHistory> {
    let Some(place) = file.parent().and_then(|parent| parent.canonicalize().ok()) else { return Ok(()) };
    if !folder.canonicalize().is_ok_and(|folder| place.starts_with(folder)) {
        let fault = format!("{}: the link leads out of the build folder {}", file.display(), place.display());
        return Err(BadHistory::Input(fault));
    }
    let _ = fs::remove_file(file); // does not exist before the first build
    Ok(())
}

/// git's output without its last line end, or its error.
fn git<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Result<String, String> {
    let mut command = Command::new("git");
    // Run no hooks of the repository, and ignore the repository of the shell that started backwall.
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"]).args(arguments);
    // Ctrl-C must reach backwall only, which checks for it between two steps.
    command.process_group(0);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(variable);
    }
    let output = command.current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start git ({error}); install it"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_string());
    }
    Err(complaint::last_line(&output.stderr).unwrap_or_else(|| "git failed without an error message".into()))
}

fn last_line(path: &Path) -> String {
    complaint::last_line(&fs::read(path).unwrap_or_default()).unwrap_or_else(|| "no error message".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| git(folder.path(), arguments.iter().copied()).unwrap();
        run(&["init", "--quiet"]);
        for number in 1..=10 {
            fs::write(folder.path().join("number"), number.to_string()).unwrap();
            run(&["add", "number"]);
            run(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", &format!("number {number}")]);
            run(&["tag", &format!("v{number}")]);
        }
        folder
    }

    fn halved(judge: impl Fn(u32) -> Verdict) -> (Vec<u32>, Stand) {
        let repository = repository();
        let history = History::open(repository.path()).unwrap();
        history.begin(&history.revision("v1").unwrap(), &history.revision("v10").unwrap()).unwrap();
        let mut tried = Vec::new();
        loop {
            let Stand::Next(revision) = history.stand().unwrap() else { return (tried, history.stand().unwrap()) };
            let built = history.build(&revision, "cp number image", Path::new("image"), &|| false).unwrap().unwrap();
            let number = fs::read_to_string(built.unwrap()).unwrap().parse().unwrap();
            tried.push(number);
            history.tell(&revision, judge(number)).unwrap();
        }
    }

    #[test]
    fn the_first_bad_revision_is_found_wherever_it_is() {
        for first in [2, 5, 7, 10] {
            let (tried, end) = halved(|number| if number < first { Verdict::Good } else { Verdict::Bad });
            let Stand::Found(found) = end else { panic!("{end:?}") };
            assert_eq!(found.subject, format!("number {first}"));
            assert!(tried.len() <= 4, "{tried:?}");
        }
    }

    #[test]
    fn revisions_that_cannot_be_told_are_passed_over_or_named() {
        let judge = |number| match number {
            4..=6 => Verdict::Skip,
            1..=3 => Verdict::Good,
            _ => Verdict::Bad,
        };
        let (_, Stand::Among(suspects)) = halved(judge) else { panic!("only skipped ones are left") };
        let subjects: Vec<_> = suspects.iter().map(|revision| revision.subject.as_str()).collect();
        assert_eq!(subjects, ["number 4", "number 5", "number 6", "number 7"]);
    }

    #[test]
    fn what_is_no_history_is_refused_and_the_users_repository_is_not_touched() {
        let repository = repository();
        let state = || git(repository.path(), ["for-each-ref"]).unwrap() + &git(repository.path(), ["status"]).unwrap();
        let before = state();
        let history = History::open(repository.path()).unwrap();
        let named = |name: &str| history.revision(name);
        assert!(named("v11").unwrap_err().to_string().ends_with("has no such revision"));
        assert!(named("--all").is_err());
        let (first, last) = (named("v1").unwrap(), named("v10").unwrap());
        assert!(history.begin(&last, &first).unwrap_err().to_string().contains("name the good revision first"));
        assert!(history.begin(&last, &last).is_err());
        assert!(matches!(History::open(Path::new("/")), Err(BadHistory::Input(_))));
        history.begin(&first, &last).unwrap();
        let build = |command: &str| history.build(&last, command, Path::new("image"), &|| false).unwrap();
        assert!(build("cp number image").unwrap().is_ok());
        assert!(build("true").unwrap().unwrap_err().to_string().contains("left no file image"), "a stale image");
        let failed = build("echo no compiler; exit 3").unwrap().unwrap_err().to_string();
        assert!(failed.contains("exit status: 3") && failed.ends_with("no compiler"), "{failed}");
        let outside = repository.path().join("outside");
        fs::write(&outside, "mine").unwrap();
        build(&format!("ln -sf {} link", repository.path().display())).unwrap().unwrap_err();
        let fault = history.build(&last, "true", Path::new("link/outside"), &|| false).unwrap_err().to_string();
        assert!(fault.contains("the link leads out") && outside.exists(), "{fault}");
        fs::remove_file(outside).unwrap();
        assert!(history.build(&last, "sleep 600", Path::new("image"), &|| true).unwrap().is_none());
        assert_eq!(state(), before);
    }
}
