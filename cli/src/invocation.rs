// SPDX-License-Identifier: MIT OR Apache-2.0
use crate::lab::{MAIN_TOOL, PROGRAM};
use backwall_model::shell;
use std::ffi::OsString;
use std::path::Path;

pub fn typed() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The command line as a run keeps it, with U+FFFD for what is not UTF-8. `backwall-lab` becomes `backwall lab`, which users
/// type.
pub fn words() -> Vec<String> {
    kept(typed()).into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The command line, quoted for a shell. A program that was started by its path keeps the path.
pub fn line() -> String {
    shell::line(&words())
}

fn kept(mut typed: Vec<OsString>) -> Vec<OsString> {
    let program =
        typed.first().map(Path::new).filter(|program| program.file_name().is_some_and(|name| name == PROGRAM));
    let Some(main) = program.map(|program| program.with_file_name(MAIN_TOOL)) else { return typed };
    let own = match typed.get(1) {
        Some(word) if word == MAIN_TOOL => 2,
        _ => 1,
    };
    let lab = (own == 1).then(|| OsString::from("lab"));
    typed.splice(..own, [main.into_os_string()].into_iter().chain(lab));
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_lab_are_kept_as_a_user_types_them() {
        let kept = |line: &str| kept(line.split(' ').map(OsString::from).collect()).join(&OsString::from(" "));
        assert_eq!(kept("a/backwall-lab run x"), "a/backwall lab run x");
        assert_eq!(kept("backwall-lab backwall tasks run x"), "backwall tasks run x");
        assert_eq!(kept("a/backwall run x"), "a/backwall run x");
    }
}
