// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes each target's seeds into a folder, and prints the names of the targets.
#[path = "../targets/mod.rs"]
mod targets;

use libfuzzer_sys as _; // its library has the functions that the compiler's coverage code calls
use std::path::Path;
use targets::TARGETS;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| "target/fuzz/seeds".into());
    for target in TARGETS.iter() {
        let folder = Path::new(&folder).join(&target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("seed_{number}")), seed)?;
        }
        println!("{}", target.name);
    }
    Ok(())
}
