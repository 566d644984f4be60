// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the C and assembly parts that the tool carries inside itself, with their own Makefiles.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=../wire");
    make("probe", &out.join("probe"));
    make("lab/instrument", &out.join("instrument"));
    make("lab/guests/bare", &out.join("bare"));
    make("lab/guests/linux", &out.join("linux"));
    make("kernel", &out.join("kernel"));
    println!("cargo:rerun-if-changed=../lab/guests/bench");
    make("lab/guests/detent", &out.join("detent-probe"));
    table("lab/guests/bare", &out.join("bare"), &out.join("bare.rs"));
    CARRIED_WITH_NAMES.iter().for_each(|program| without_debug_information(&out.join(program)));
    PACKED.iter().for_each(|program| packed(&out.join(program)));
}

/// Programs that the tool carries and whose functions have names: a debugger reads the ones that a `make` of their own builds.
const CARRIED_WITH_NAMES: [&str; 4] =
    ["probe/probe", "kernel/detent.elf", "detent-probe/detent-probe.elf", "detent-probe/detent-osbench.elf"];

/// Static programs of Linux, mostly its C library: the tool unpacks them where it starts them.
const PACKED: [&str; 2] = ["probe/probe", "linux/init"];

/// Writes the program packed by gzip beside itself.
fn packed(program: &Path) {
    let status = Command::new("gzip").args(["--best", "--no-name", "--keep", "--force"]).arg(program).status();
    if !status.is_ok_and(|status| status.success()) {
        stop(&format!("gzip {} failed; install gzip", program.display()));
    }
}

/// Leaves the names of the functions: the tracker and the scope tell them.
fn without_debug_information(program: &Path) {
    let status = Command::new("objcopy").arg("--strip-debug").arg(program).status();
    if !status.is_ok_and(|status| status.success()) {
        stop(&format!("objcopy --strip-debug {} failed; tools/install.sh run installs it", program.display()));
    }
}

/// Runs the Makefile of `part`, a folder of the repository, with its products in `out`.
fn make(part: &str, out: &Path) {
    let folder = Path::new("..").join(part);
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut command = Command::new("make");
    command.args(["-s", "-C"]).arg(&folder).arg(format!("OUT={}", out.display()));
    command.env("MAKEFLAGS", env::var("CARGO_MAKEFLAGS").unwrap_or_default());
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => stop(&format!("make -C {part} failed ({status}); its message stands above")),
        Err(error) => stop(&format!("make cannot be started ({error}); tools/install.sh run installs make and gcc")),
    }
}

/// Ends the build with one line instead of a panic's many.
fn stop(line: &str) -> ! {
    eprintln!("backwall: {line}");
    std::process::exit(1);
}

/// Writes a Rust table of the products that `make list` names: name and contents.
fn table(part: &str, folder: &Path, into: &Path) {
    let listed = Command::new("make").args(["-s", "-C"]).arg(Path::new("..").join(part)).arg("list").output();
    let names = String::from_utf8(listed.expect("make ran before").stdout).expect("plain names");
    let mut text = String::from("&[\n");
    for name in names.lines() {
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", folder.join(name)).expect("writing to a string");
    }
    text.push(']');
    fs::write(into, text).expect("OUT_DIR is writable");
}
