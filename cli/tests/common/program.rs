// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `backwall`, next to which its tests find `backwall-lab`.
use std::path::{Path, PathBuf};

// `cargo test --workspace` builds both programs; of one package alone it builds that package's program.
pub fn program() -> PathBuf {
    if let Some(own) = option_env!("CARGO_BIN_EXE_backwall") {
        return own.into();
    }
    let Some(lab) = option_env!("CARGO_BIN_EXE_backwall-lab") else { panic!("a test of one of the two programs") };
    let beside = Path::new(lab).with_file_name("backwall");
    assert!(beside.exists(), "{} isn't built: cargo build --package backwall", beside.display());
    beside
}

pub fn programs() -> PathBuf {
    program().parent().expect("a program in a folder").to_path_buf()
}

pub fn of_repository(path: &str) -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| folder.join(path)).find(|file| file.exists()).expect(path)
}
