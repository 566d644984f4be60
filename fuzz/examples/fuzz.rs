// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs libFuzzer on the target named in BACKWALL_FUZZ. Further arguments are libFuzzer's.
#![no_main]
#[path = "../targets/mod.rs"]
mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use targets::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    // libFuzzer's panic hook ends the program at the first panic of any thread. One reader catches panics of a library,
    // so this removes the hook.
    drop(std::panic::take_hook());
    let name = std::env::var("BACKWALL_FUZZ").unwrap_or_default();
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("BACKWALL_FUZZ names no target"))
});

fuzz_target!(|bytes: &[u8]| {
    (TARGET.read)(bytes);
});
