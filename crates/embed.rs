// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds C and assembly programs with a crate and embeds them in it: the source of two build scripts.
//!
//! A build script takes the [`Tools`] of an architecture, has [`Tools::make`] build each part by its Makefile, and packs what is
//! large. `runner` embeds the probe, `lab` the guests and the instrument.
#![allow(dead_code, reason = "each build script uses a part of it")]
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a build script reads the environment, starts make and talks to cargo by printing"
)]
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const TOP: &str = "../..";

pub fn out() -> PathBuf {
    PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"))
}

pub fn target() -> String {
    env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it")
}

/// Has the crate built anew where something in `part`, a folder of the repository, has changed.
pub fn depends_on(part: &str) {
    println!("cargo:rerun-if-changed={}", Path::new(TOP).join(part).display());
}

pub fn packed(program: &Path) {
    let status = Command::new("gzip").args(["--best", "--no-name", "--keep", "--force"]).arg(program).status();
    if !status.is_ok_and(|status| status.success()) {
        stop(&format!("gzip {} failed; install gzip", program.display()));
    }
}

pub fn nothing(file: &Path) {
    fs::create_dir_all(file.parent().expect("below OUT_DIR")).expect("OUT_DIR is writable");
    fs::write(file, []).expect("OUT_DIR is writable");
}

#[derive(Debug)]
pub struct Tools {
    /// A PATH whose `gcc`, `cc`, `objcopy`, `nm` and `ar` are the architecture's.
    path: OsString,
    /// Whether the builder is a machine of another architecture. Then a `CC` in the environment is not meant for these programs.
    cross: bool,
}

impl Tools {
    /// The builder's own tools on such a machine; otherwise the cross tools under the same names, so that no Makefile needs to
    /// know the difference. Ends the build if they are missing.
    pub fn of(architecture: &str, out: &Path) -> Self {
        Self::found(architecture, out).unwrap_or_else(|wanted| {
            let package = format!("gcc-{}-linux-gnu", architecture.replace('_', "-"));
            stop(&format!(
                "{wanted} is not on PATH, but backwall contains programs for {architecture}: install {package} and its C library"
            ))
        })
    }

    pub fn found(architecture: &str, out: &Path) -> Result<Self, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let host = env::var("HOST").expect("cargo sets HOST");
        if host.split('-').next() == Some(architecture) {
            return Ok(Self { path, cross: false });
        }
        let folder = out.join("tools").join(architecture);
        fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        for (name, tool) in [("gcc", "gcc"), ("cc", "gcc"), ("objcopy", "objcopy"), ("nm", "nm"), ("ar", "ar")] {
            let wanted = format!("{architecture}-linux-gnu-{tool}");
            let Some(found) = env::split_paths(&path).map(|folder| folder.join(&wanted)).find(|file| file.exists())
            else {
                return Err(wanted);
            };
            let link = folder.join(name);
            let _ = fs::remove_file(&link);
            symlink(found, link).expect("OUT_DIR is writable");
        }
        let folders = std::iter::once(folder).chain(env::split_paths(&path));
        Ok(Self { path: env::join_paths(folders).expect("PATH was split before"), cross: true })
    }

    /// Whether these tools can make a static program: a compiler may be there without its C library.
    #[must_use]
    pub fn link(&self) -> bool {
        let asked = Command::new("gcc").env("PATH", &self.path).arg("-print-file-name=libc.a").output();
        asked.is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_file())
    }

    /// Keeps function names, which the tracker and the scope print.
    pub fn without_debug_information(&self, program: &Path) {
        let status = Command::new("objcopy").env("PATH", &self.path).arg("--strip-debug").arg(program).status();
        if !status.is_ok_and(|status| status.success()) {
            stop(&format!("objcopy --strip-debug {} failed; tools/install.sh run installs it", program.display()));
        }
    }

    /// Runs the Makefile of `part`, a folder of the repository, with its products in `out`.
    pub fn make(&self, part: &str, out: &Path) {
        self.make_with(part, out, &[]);
    }

    pub fn make_with(&self, part: &str, out: &Path, words: &[String]) {
        let folder = Path::new(TOP).join(part);
        depends_on(part);
        let mut command = Command::new("make");
        command
            .args(["-s", "-C"])
            .arg(&folder)
            .arg(format!("OUT={}", out.display()))
            .args(words)
            .env("PATH", &self.path);
        command.env("MAKEFLAGS", env::var("CARGO_MAKEFLAGS").unwrap_or_default());
        if self.cross {
            command.env_remove("CC");
        }
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => stop(&format!("make -C {part} failed ({status}); see its message above")),
            Err(error) => {
                stop(&format!("make cannot be started ({error}); tools/install.sh run installs make and gcc"))
            }
        }
    }
}

/// Ends the build with one line instead of a panic's many.
fn stop(line: &str) -> ! {
    eprintln!("backwall: {line}");
    std::process::exit(1);
}

/// The products that `make list` names, one a line.
pub fn listed(part: &str, words: &[String]) -> String {
    let listed =
        Command::new("make").args(["-s", "-C"]).arg(Path::new(TOP).join(part)).arg("list").args(words).output();
    String::from_utf8(listed.expect("make ran before").stdout).expect("plain names")
}

pub fn table(names: &str, folder: &Path, into: &Path) {
    let mut text = String::from("&[\n");
    for name in names.lines() {
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", folder.join(name)).expect("writing to a string");
    }
    text.push(']');
    fs::write(into, text).expect("OUT_DIR is writable");
}
