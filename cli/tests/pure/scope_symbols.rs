// SPDX-License-Identifier: MIT OR Apache-2.0
//! The symbol reader against binutils' nm, on this test's own program.
use backwall_capture::symbols::Symbols;
use std::process::Command;

#[test]
fn every_function_nm_sizes_is_found_from_its_first_to_its_last_byte() {
    let program = std::env::current_exe().unwrap();
    let output = Command::new("nm").args(["--defined-only", "--print-size"]).arg(&program).output();
    let output = output.expect("nm of binutils, which comes with the C compiler");
    let symbols = Symbols::from_elf(&std::fs::read(&program).unwrap()).unwrap();
    let mut checked = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [address, bytes, "t" | "T", name] = fields[..] else { continue };
        let [address, bytes] = [address, bytes].map(|field| u64::from_str_radix(field, 16).unwrap());
        if !name.contains("every_function_nm_sizes") || bytes == 0 {
            continue;
        }
        assert_eq!(symbols.name_of(address), Some(name));
        assert_eq!(symbols.name_of(address + bytes - 1), Some(name));
        assert_ne!(symbols.name_of(address + bytes), Some(name));
        checked += 1;
    }
    assert!(checked > 0, "nm lists this test's own function");
}
