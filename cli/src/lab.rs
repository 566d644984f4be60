// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs `backwall-lab`, a separate program, so that this one builds without the emulator, its guests and their compilers.
use crate::exit::unable;
use crate::invocation;
use backwall_os::program::find;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const PROGRAM: &str = "backwall-lab";
const OTHERS_WRITE: u32 = 0o002;
/// If this is the first word of its command line, `backwall-lab` runs the command of `backwall` that follows, with a guest.
pub const MAIN_TOOL: &str = "backwall";

pub fn words_of(typed: &[OsString]) -> Option<Vec<OsString>> {
    match typed {
        [_, lab, rest @ ..] if lab == "lab" => Some(rest.to_vec()),
        [_, help, lab, rest @ ..] if help == "help" && lab == "lab" => {
            Some([OsString::from("help")].into_iter().chain(rest.iter().cloned()).collect())
        }
        _ => None,
    }
}

/// Runs this command line with a guest: replaces this process with `backwall-lab`.
pub fn hand_on() -> anyhow::Error {
    let typed = invocation::typed().into_iter().skip(1);
    become_lab([OsString::from(MAIN_TOOL)].into_iter().chain(typed).collect())
}

/// Replaces this process with `backwall-lab`; returns only on failure.
pub fn become_lab(words: Vec<OsString>) -> anyhow::Error {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(program) = beside_or_in(std::env::current_exe().ok().as_deref(), &path) else {
        return unable(format!(
            "{PROGRAM} isn't installed: the packages install it next to backwall; from source, `make lab` builds it"
        ));
    };
    // Keep the folder of the program as the user typed it: a run stores the typed words.
    let name = invocation::typed().into_iter().next().map(|typed| Path::new(&typed).with_file_name(PROGRAM));
    let error = Command::new(&program).arg0(name.as_deref().unwrap_or(&program)).args(words).exec();
    unable(format!("cannot start {}: {error}", program.display()))
}

fn beside_or_in(own: Option<&Path>, path: &OsStr) -> Option<PathBuf> {
    let is_there = |(own, program): &(&Path, PathBuf)| {
        find(program.as_os_str(), path).is_ok() && is_of_who_put_us_here(own, program)
    };
    let beside = own.map(|own| (own, own.with_file_name(PROGRAM))).filter(is_there).map(|(_, program)| program);
    beside.or_else(|| find(OsStr::new(PROGRAM), path).ok())
}

/// Whether root, this user, or this program's owner owns the program next to this one: anybody can put a program into /tmp.
fn is_of_who_put_us_here(own: &Path, program: &Path) -> bool {
    let owners = [Some(0), Some(rustix::process::geteuid().as_raw()), fs::metadata(own).ok().map(|own| own.uid())];
    let is_trusted = |found: &fs::Metadata| owners.contains(&Some(found.uid()));
    let is_fixed = |found: &fs::Metadata| found.mode() & OTHERS_WRITE == 0;
    fs::symlink_metadata(program).is_ok_and(|found| is_trusted(&found))
        && fs::metadata(program).is_ok_and(|found| is_trusted(&found) && is_fixed(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn what_follows_lab_is_for_the_other_program() {
        assert_eq!(words_of(&words("backwall lab run x --json")), Some(words("run x --json")));
        assert_eq!(words_of(&words("backwall lab")), Some(Vec::new()));
        assert_eq!(words_of(&words("backwall help lab run")), Some(words("help run")));
        assert_eq!(words_of(&words("backwall run lab")), None);
        assert_eq!(words_of(&words("backwall")), None);
    }

    #[test]
    fn the_program_beside_comes_before_one_in_path() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [own, elsewhere] = ["own", "elsewhere"].map(|name| folder.path().join(name));
        let tool = own.join("backwall");
        assert_eq!(beside_or_in(Some(&tool), elsewhere.as_os_str()), None);
        for place in [&elsewhere, &own] {
            std::fs::create_dir(place).unwrap();
            std::fs::write(place.join(PROGRAM), "").unwrap();
            assert_ne!(beside_or_in(Some(&tool), elsewhere.as_os_str()), Some(place.join(PROGRAM)), "not executable");
            std::fs::set_permissions(place.join(PROGRAM), PermissionsExt::from_mode(0o755)).unwrap();
            assert_eq!(beside_or_in(Some(&tool), elsewhere.as_os_str()), Some(place.join(PROGRAM)));
        }
    }

    // Do not write this with a print macro: a passing test would swallow the text.
    #[allow(clippy::disallowed_methods, reason = "a test that did nothing says why")]
    fn skip(why: &str) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{why}\n").as_bytes());
    }

    // A stranger puts a program, or a link to one, next to a copy of the tool in /tmp.
    #[test]
    fn what_a_stranger_put_beside_the_tool_is_not_run() {
        use std::os::unix::fs::{PermissionsExt, lchown, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [tool, program] = ["backwall", PROGRAM].map(|name| folder.path().join(name));
        let found = || beside_or_in(Some(&tool), OsStr::new(""));
        fs::write(&tool, "").unwrap();
        fs::write(&program, "").unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(found(), Some(program.clone()));
        fs::set_permissions(&program, PermissionsExt::from_mode(0o757)).unwrap();
        assert_eq!(found(), None, "anybody may write it");
        if !rustix::process::geteuid().is_root() {
            return skip("SKIP what_a_stranger_put_beside_the_tool_is_not_run: only root gives files away");
        }
        let stranger = 65_534;
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        lchown(&program, Some(stranger), None).unwrap();
        assert_eq!(found(), None);
        // The same user owns this tool, and the caller trusts that user by starting it.
        lchown(&tool, Some(stranger), None).unwrap();
        assert_eq!(found(), Some(program.clone()));
        lchown(&tool, Some(0), None).unwrap();
        fs::remove_file(&program).unwrap();
        symlink("/bin/sh", &program).unwrap();
        assert_eq!(found(), Some(program.clone()));
        lchown(&program, Some(stranger), None).unwrap();
        assert_eq!(found(), None, "another user's link to root's program");
    }
}
