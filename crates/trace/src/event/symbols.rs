// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's functions by address, as `/proc/kallsyms` lists them.
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// The largest assumed size of a function. An address further than this after the start of the last known function has no name,
/// because it may belong to a module that was loaded later.
const FUNCTION_BYTES_MAX: u64 = 1 << 18;

/// A kernel that has only the first of these two functions enables interrupts with an inline instruction.
const TELLING: [&str; 2] = ["_raw_spin_lock_irq", "_raw_spin_unlock_irq"];

/// The functions of one kernel.
#[derive(Default)]
pub struct Symbols {
    /// Sorted by address: address, offset of the name in `text`, length of the name.
    places: Vec<(u64, u32, u16)>,
    text: String,
    unlocks_inline: bool,
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} functions", self.places.len())
    }
}

impl Symbols {
    /// Parses `/proc/kallsyms`: address, type letter, name, perhaps a module. Data symbols and hidden addresses (0) are skipped,
    /// so the result may be empty.
    pub fn parse(text: &str) -> Self {
        let mut symbols = Self::default();
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some(address), Some("t" | "T" | "w" | "W"), Some(name)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Some(address) = u64::from_str_radix(address, 16).ok().filter(|address| *address > 0) else { continue };
            let (Ok(at), Ok(letters)) = (u32::try_from(symbols.text.len()), u16::try_from(name.len())) else {
                continue;
            };
            symbols.text.push_str(name);
            symbols.places.push((address, at, letters));
        }
        // If an address has several names, the first one is kept.
        symbols.places.sort_by_key(|(address, ..)| *address);
        symbols.places.dedup_by_key(|(address, ..)| *address);
        let [locks, unlocks] =
            TELLING.map(|telling| (0..symbols.places.len()).any(|place| symbols.name_at(place) == telling));
        symbols.unlocks_inline = locks && !unlocks;
        symbols
    }

    /// Whether this kernel's unlock functions are inlined (`INLINE_SPIN_UNLOCK_IRQ`, in kernels without preemption), so that an
    /// instruction enables interrupts and no function call shows it. A list of only some functions contains both indicators or
    /// neither.
    pub(crate) fn unlocks_inline(&self) -> bool {
        self.unlocks_inline
    }

    /// The functions that contain these addresses, and the two indicators for inlined unlocks, in the format of
    /// [`Symbols::parse`].
    pub fn listed(&self, addresses: &BTreeSet<u64>) -> String {
        let all = if addresses.is_empty() { 0 } else { self.places.len() };
        let telling = (0..all).filter(|place| TELLING.contains(&self.name_at(*place)));
        let places: BTreeSet<usize> =
            addresses.iter().filter_map(|address| self.place(*address)).chain(telling).collect();
        let mut text = String::new();
        for place in places {
            let _ = writeln!(text, "{:016x} t {}", self.places[place].0, self.name_at(place));
        }
        text
    }

    /// Whether the list has no function.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Name of the function that contains this address.
    pub fn name(&self, address: u64) -> Option<&str> {
        self.place(address).map(|place| self.name_at(place))
    }

    fn place(&self, address: u64) -> Option<usize> {
        let before = self.places.partition_point(|(begin, ..)| *begin <= address).checked_sub(1)?;
        (address - self.places[before].0 < FUNCTION_BYTES_MAX).then_some(before)
    }

    fn name_at(&self, place: usize) -> &str {
        let (_, at, letters) = self.places[place];
        &self.text[at as usize..at as usize + letters as usize]
    }
}

/// Whether the function is an interrupt entry of x86, arm64 (new and old) or riscv64.
pub(crate) fn enters(function: &str) -> bool {
    const WHOLE: [&str; 8] = [
        "asm_common_interrupt",
        "el1h_64_irq",
        "el0t_64_irq",
        "el1_irq",
        "el0_irq",
        "handle_exception",
        "ret_from_exception",
        "do_irq",
    ];
    function.starts_with("asm_sysvec_") || WHOLE.contains(&function)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 T _stext
ffffffff81000100 t rmqueue.isra.0
ffffffff81000100 T rmqueue_alias
ffffffff81000200 D some_data
ffffffff81000300 T asm_sysvec_apic_timer_interrupt
ffffffff81000340 T asm_exc_page_fault
ffffffffc0000000 t poll\t[driver]
nonsense
";

    #[test]
    fn an_address_has_the_name_of_the_function_in_which_it_lies() {
        let symbols = Symbols::parse(TEXT);
        let addresses = [0xffffffff81000100, 0xffffffff810001ff, 0xffffffff81000310, 0xffffffffc0000010];
        let entered = Some("asm_sysvec_apic_timer_interrupt");
        let expected = [Some("rmqueue.isra.0"), Some("rmqueue.isra.0"), entered, Some("poll")];
        assert_eq!(addresses.map(|address| symbols.name(address)), expected);
        let again = Symbols::parse(&symbols.listed(&addresses.into()));
        assert_eq!(addresses.map(|address| again.name(address)), expected);
        assert_eq!(again.places.len(), 3, "no other function is listed");
        assert!(!symbols.unlocks_inline() && !again.unlocks_inline());
        assert_eq!((symbols.name(0x1000), symbols.name(0xffffffffd0000000)), (None, None));
    }

    #[test]
    fn how_a_kernel_lets_interrupts_in_is_told_by_what_it_has_also_in_a_list_of_some_functions() {
        let (locks, unlocks) = ("100 t _raw_spin_lock_irq\n", "200 t _raw_spin_unlock_irq\n");
        for (text, inline) in [(locks.to_string(), true), (format!("{locks}{unlocks}"), false), (String::new(), false)]
        {
            let symbols = Symbols::parse(&format!("{text}300 t walk\n"));
            let listed = Symbols::parse(&symbols.listed(&[0x300].into()));
            assert_eq!((symbols.unlocks_inline(), listed.unlocks_inline()), (inline, inline), "{text}");
        }
    }

    #[test]
    fn hidden_addresses_are_no_functions() {
        assert!(Symbols::parse("0000000000000000 T _stext\n0000000000000000 t rmqueue\n").is_empty());
        assert!(!Symbols::parse(TEXT).is_empty());
    }
}
