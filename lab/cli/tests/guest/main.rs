// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool in an emulated machine of four processors, two of them isolated: which processors it measures, what it says
//! about them, and what it notices. Emulating four processors takes minutes, so `make test` skips it and `make soak`
//! does it. `BACKWALL_KERNELS` names the kernels to boot, with blanks between their paths. The test then also counts
//! how many responses the trace shows completely, idle and under load. If the variable is empty, the test boots
//! Debian's newest stock kernel.
//!
//! The test harness does not run this test, because a harness cannot report it as skipped. The same program is the
//! first process of the guest.
mod cases;
mod image;
mod inside;
mod machine;
#[path = "../../../../cli/tests/common/program.rs"]
#[allow(dead_code, reason = "this program uses some of it")]
mod program;

use backwall_lab::emulator::Emulator;
use backwall_lab::guest::BadGuest;
use backwall_lab::guest::debian::{self, Newest};
use backwall_lab::machine::Machine;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::process::id() == 1 {
        inside::run();
    }
    let kernels = match kernels() {
        Ok(kernels) => kernels,
        Err(reason) => {
            println!("SKIP guest: {reason}");
            return ExitCode::SUCCESS;
        }
    };
    let (image, cases) = (image::archive(), cases::wanted(named().is_some()));
    for kernel in &kernels {
        let said = machine::boot(kernel, &image, named().is_some());
        cases::check(kernel, &cases, &said);
    }
    println!("PASS guest: {} cases on {} kernels", cases.len(), kernels.len());
    ExitCode::SUCCESS
}

fn named() -> Option<String> {
    std::env::var("BACKWALL_KERNELS").ok().filter(|paths| !paths.trim().is_empty())
}

// The kernels that are named, or Debian's newest stock kernel; or the reason why none can be booted.
fn kernels() -> Result<Vec<PathBuf>, String> {
    if std::env::var_os("BACKWALL_KERNELS").is_none() {
        return Err("four emulated processors take minutes: make soak boots them".to_string());
    }
    Emulator::find(Machine::usual()).map_err(|error| error.to_string())?;
    if let Some(paths) = named() {
        return Ok(paths.split_whitespace().map(PathBuf::from).collect());
    }
    let linux = Machine::usual().linux;
    let bench = linux.bench(None).expect("one of the bench");
    let stock = match debian::kernel(
        &Newest::named("stock", linux).expect("a kernel of Debian's"),
        bench,
        &backwall_os::Stop::default(),
    ) {
        Ok(kernel) => kernel.image,
        Err(BadGuest::Unable(reason)) => return Err(reason),
        Err(error) => panic!("{error}"),
    };
    Ok(vec![stock])
}
