// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of binary formats, built field by field from their specifications.
use backwall_capture::fixture;

pub fn sigrok() -> Vec<Vec<u8>> {
    let metadata = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=2\n\
        samplerate=12.5 MHz\nunitsize=1\nprobe1=D0\nprobe2=D1\n";
    let samples = [0u8, 1, 1, 3, 3, 2, 2, 0, 0, 1, 3];
    let parts: [(&str, &[u8]); 3] = [("version", b"2"), ("metadata", metadata.as_bytes()), ("logic-1-1", &samples)];
    let header =
        "[version]\nversion = 3\n[header]\ndevice mode = 0\ntotal samples = 20\nsamplerate = 1 MHz\nprobe0 = a\n";
    let dsl: [(&str, &[u8]); 3] = [("header", header.as_bytes()), ("L-0/0", &[0x30, 0xFF]), ("L-0/1", &[1])];
    let sessions = [false, true].map(|packed| fixture::sigrok(&parts, |_| packed));
    sessions.into_iter().chain([fixture::sigrok(&dsl, |_| false)]).collect()
}

pub fn saleae_binary() -> Vec<Vec<u8>> {
    let head = |version: i32| [&b"<SALEAE>"[..], &version.to_le_bytes(), &0i32.to_le_bytes()].concat();
    let chunk = |rate: &[u8], begin: f64, end: f64, instants: &[f64]| {
        let numbers = [begin, end].map(f64::to_le_bytes).concat();
        let edges: Vec<u8> = instants.iter().flat_map(|at| at.to_le_bytes()).collect();
        [&0u32.to_le_bytes()[..], rate, &numbers, &(instants.len() as u64).to_le_bytes(), &edges].concat()
    };
    let first = [head(0), chunk(&[], -1e-6, 1e-3, &[0.0, 5e-6])].concat();
    let rate = 1e8f64.to_le_bytes();
    let chunks = [chunk(&rate, 0.0, 1e-3, &[1e-4]), chunk(&rate, 2e-3, 3e-3, &[25e-4])].concat();
    vec![first, [head(1), 2u64.to_le_bytes().to_vec(), chunks].concat()]
}

pub fn agilent() -> Vec<Vec<u8>> {
    vec![fixture::agilent(&[0.0, 0.0, 4.0, 4.0, 0.0])]
}

pub fn tektronix() -> Vec<Vec<u8>> {
    let curve = [0i16, 0, 4_000, 4_000].map(i16::to_be_bytes).concat();
    let preamble = ":WFMPRE:BYT_NR 2;BIT_NR 16;ENCDG BIN;BN_FMT RI;BYT_OR MSB;NR_PT 4;WFID \"Ch1, DC coupling\";\
        PT_FMT Y;XINCR 1.0E-8;PT_OFF 0;XZERO 0;XUNIT \"s\";YMULT 1E-3;YOFF 0;YZERO 0;:CURVE #18";
    vec![[preamble.as_bytes(), &curve].concat()]
}

/// A small 64-bit ELF file with a symbol table of two functions.
pub fn elf() -> Vec<u8> {
    let names = b"\0first\0second\0.symtab\0.strtab\0\0\0";
    let symbol = |name: u32, value: u64| {
        [&name.to_le_bytes()[..], &[0x12, 0], &1u16.to_le_bytes(), &value.to_le_bytes(), &16u64.to_le_bytes()].concat()
    };
    let symbols = [vec![0; 24], symbol(1, 0x40_1000), symbol(7, 0x40_1010)].concat();
    let section = |name: u32, kind: u32, at: u64, bytes: u64, link: u32, info: u32, each: u64| {
        let head = [&name.to_le_bytes()[..], &kind.to_le_bytes(), &[0; 16]].concat();
        let tail = [&link.to_le_bytes()[..], &info.to_le_bytes(), &1u64.to_le_bytes(), &each.to_le_bytes()].concat();
        [head, at.to_le_bytes().to_vec(), bytes.to_le_bytes().to_vec(), tail].concat()
    };
    let (symbols_at, names_at) = (64u64, 64 + symbols.len() as u64);
    let sections_at = names_at + names.len() as u64;
    let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    head.extend([2u16, 62].map(u16::to_le_bytes).concat());
    head.extend(1u32.to_le_bytes());
    head.extend([0x40_1000u64, 0, sections_at].map(u64::to_le_bytes).concat());
    head.extend(0u32.to_le_bytes());
    head.extend([64u16, 0, 0, 64, 3, 2].map(u16::to_le_bytes).concat());
    let sections = [
        section(0, 0, 0, 0, 0, 0, 0),
        section(14, 2, symbols_at, symbols.len() as u64, 2, 1, 24),
        section(22, 3, names_at, names.len() as u64, 0, 0, 0),
    ];
    [head, symbols, names.to_vec(), sections.concat()].concat()
}

/// The beginning of a kernel image, with the text that states its release.
pub fn kernel_image() -> Vec<Vec<u8>> {
    let mut head = vec![0; 0x900];
    head[0x202..0x206].copy_from_slice(b"HdrS");
    head[0x20E..0x210].copy_from_slice(&0x400u16.to_le_bytes());
    let text = b"6.1.0-56-rt-amd64 (builder) #1 SMP PREEMPT_RT Debian\0";
    head[0x600..0x600 + text.len()].copy_from_slice(text);
    vec![head]
}
