// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of functions by address, from an ELF file's symbol table or a kernel's `System.map`.
use object::{Object, ObjectSymbol, SymbolKind};
use std::cmp::Reverse;

/// Functions by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    functions: Vec<Function>, // sorted by address, one function per address
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    address: u64,
    bytes: u64, // 0: unknown; then it extends to the next function
    name: String,
}

/// Why a file contains no usable names.
#[derive(Debug, thiserror::Error)]
pub enum BadSymbols {
    /// The file is not an ELF file, or is damaged.
    #[error("the file has no readable symbol table: {0}")]
    Elf(#[from] object::Error),
    /// A line that is not `address type name`.
    #[error("symbol map: line {line}: expected \"address type name\", found {text:?}")]
    Map {
        /// The line's number, from 1.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// A map without a function.
    #[error("symbol map: no function")]
    NoFunctions,
}

/// Prefix of labels within a function, which kernels of riscv64 list among their functions.
const LOCAL: &str = ".L";

impl Symbols {
    /// Reads the names from an ELF file. Code without a type (assembly) counts as a function.
    pub fn from_elf(bytes: &[u8]) -> Result<Symbols, BadSymbols> {
        let file = object::File::parse(bytes)?;
        let is_code = |symbol: &object::Symbol| {
            let assembly = symbol.kind() == SymbolKind::Label || symbol.kind() == SymbolKind::Unknown;
            symbol.is_definition() && (symbol.kind() == SymbolKind::Text || assembly)
        };
        let function = |symbol: object::Symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_string();
            Some(Function { address: symbol.address(), bytes: symbol.size(), name })
        };
        Ok(Symbols::sorted(file.symbols().filter(is_code).filter_map(function).collect()))
    }

    /// Reads the names from the lines of a `System.map`: address in hexadecimal, type, name. Types `t`, `T`, `w` and `W` are
    /// functions.
    pub fn from_map(text: &str) -> Result<Symbols, BadSymbols> {
        let mut functions = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let fields: Vec<&str> = text.split_ascii_whitespace().collect();
            let address = fields.first().and_then(|field| u64::from_str_radix(field, 16).ok());
            let (Some(address), [_, kind, name, ..]) = (address, &fields[..]) else {
                return Err(BadSymbols::Map { line: index + 1, text: text.chars().take(60).collect() });
            };
            if matches!(*kind, "t" | "T" | "w" | "W") && !name.starts_with(LOCAL) {
                functions.push(Function { address, bytes: 0, name: name.to_string() });
            }
        }
        if functions.is_empty() { Err(BadSymbols::NoFunctions) } else { Ok(Symbols::sorted(functions)) }
    }

    fn sorted(mut functions: Vec<Function>) -> Symbols {
        let rank = |function: &Function| (function.address, Reverse(function.bytes), is_mark(&function.name));
        functions.sort_by(|a, b| (rank(a), &a.name).cmp(&(rank(b), &b.name)));
        functions.dedup_by_key(|function| function.address);
        Symbols { functions }
    }

    /// The function that contains an address.
    pub fn name_of(&self, address: u64) -> Option<&str> {
        let after = self.functions.partition_point(|function| function.address <= address);
        let function = &self.functions[after.checked_sub(1)?];
        let inside = function.bytes == 0 || address - function.address < function.bytes;
        inside.then_some(function.name.as_str())
    }
}

/// Whether a name is a linker script's marker for the start or end of a section. Any other name at that address is better.
fn is_mark(name: &str) -> bool {
    name.starts_with('_') && ["_start", "_begin", "_end"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAP: &str = "ffffffff81000000 T _text\nffffffff81000100 t cpu_idle\nffffffff81000140 D jiffies\n\
        ffffffff81000200 W weak_one [module]\n";

    #[test]
    fn an_address_belongs_to_the_function_before_it() {
        let symbols = Symbols::from_map(MAP).unwrap();
        assert_eq!(symbols.name_of(0xffff_ffff_8100_0100), Some("cpu_idle"));
        assert_eq!(symbols.name_of(0xffff_ffff_8100_01ff), Some("cpu_idle"));
        assert_eq!(symbols.name_of(0xffff_ffff_8100_0200), Some("weak_one"));
        assert_eq!(symbols.name_of(0x40_0000), None);
        assert_eq!(Symbols::default().name_of(0), None);
    }

    #[test]
    fn the_beginning_of_a_section_takes_no_function_its_name() {
        let symbols = Symbols::from_map("100 T __lock_text_start\n100 T _raw_spin_lock\n200 T __only_start\n").unwrap();
        assert_eq!((symbols.name_of(0x100), symbols.name_of(0x200)), (Some("_raw_spin_lock"), Some("__only_start")));
    }

    #[test]
    fn a_label_within_a_function_takes_nothing_of_it() {
        let symbols = Symbols::from_map("100 T schedule\n140 t .L0 \n200 T yield\n").unwrap();
        assert_eq!(symbols.name_of(0x150), Some("schedule"));
    }

    #[test]
    fn a_map_line_without_its_fields_is_named() {
        let error = Symbols::from_map("0 T a\nzz T b\n").unwrap_err();
        assert_eq!(error.to_string(), "symbol map: line 2: expected \"address type name\", found \"zz T b\"");
        for empty in ["", "100 D data\n"] {
            assert_eq!(Symbols::from_map(empty).unwrap_err().to_string(), "symbol map: no function");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_elf_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), magic in any::<bool>()) {
            let mut file = if magic { b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec() } else { Vec::new() };
            file.extend(bytes);
            let _ = Symbols::from_elf(&file);
        }

        #[test]
        fn no_text_makes_the_map_reader_panic(text in "\\PC{0,200}") {
            let _ = Symbols::from_map(&text);
        }
    }
}
