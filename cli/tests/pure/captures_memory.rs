// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory while a capture is read: it grows with the edges, and not with the file.
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PERIOD: usize = 1 << 14;
const CHUNK_SAMPLES: usize = 4 << 20;
// Extra memory allowed for the larger of two captures, which is larger by many times that.
const ROOM_KIB: i64 = 8 << 10;

fn peak_kib(folder: &Path, words: &[&str]) -> i64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("scope").args(words).arg("--quiet").current_dir(folder).stdout(Stdio::null());
    waited(command.spawn().unwrap())
}

fn waited(child: Child) -> i64 {
    let (mut status, mut used) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: a child of ours that nobody else waits for, and two places to write to; wait4(2) alone tells what one child used.
    let found = unsafe { libc::wait4(child.id() as i32, &mut status, 0, used.as_mut_ptr()) };
    assert_eq!((found, libc::WEXITSTATUS(status)), (child.id() as i32, 0), "the tool ends well");
    // SAFETY: all zeros are a rusage, and wait4 has filled it in.
    unsafe { used.assume_init() }.ru_maxrss
}

fn session(path: &Path, chunks: usize) {
    let sample = |at: usize| u8::from(at % PERIOD < 100) | u8::from((40..90).contains(&(at % PERIOD))) << 1;
    let data: Vec<u8> = (0..CHUNK_SAMPLES).map(sample).collect();
    let metadata =
        b"[device 1]\ncapturefile=logic-1\ntotal probes=2\nsamplerate=1 MHz\nunitsize=1\nprobe1=a\nprobe2=b\n";
    let mut file = BufWriter::new(File::create(path).unwrap());
    let mut archive = ZipArchiveWriter::new(&mut file);
    let numbered = (1..=chunks).map(|number| (format!("logic-1-{number}"), &data[..]));
    let texts = [("version".to_string(), &b"2"[..]), ("metadata".to_string(), &metadata[..])];
    for (name, content) in texts.into_iter().chain(numbered) {
        let (mut entry, config) = archive.new_file(&name).compression_method(CompressionMethod::STORE).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
}

// Changes of a bus (not a one-bit line), with a pulse and its answer in every thousand.
fn dump(path: &Path, changes: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let head =
        "$timescale 1 us $end $var wire 1 a a $end $var wire 1 b b $end $var wire 64 c c $end $enddefinitions $end";
    writeln!(file, "{head}\n#0 0a 0b").unwrap();
    for number in 1..=changes {
        writeln!(file, "#{} b{number:064b} c", number * 10).unwrap();
        if number % 1_000 == 0 {
            let at = number * 10;
            writeln!(file, "#{} 1a\n#{} 1b\n#{} 0a 0b", at + 1, at + 4, at + 8).unwrap();
        }
    }
}

#[test]
fn a_session_of_many_samples_is_read_in_the_memory_of_one_of_few() {
    let home = tempfile::tempdir().unwrap();
    session(&home.path().join("few.sr"), 1);
    session(&home.path().join("many.sr"), 16);
    let words = |file| [file, "--stimulus", "a", "--response", "b"];
    let [few, many] = ["few.sr", "many.sr"].map(|file| peak_kib(home.path(), &words(file)));
    println!("4 Mi samples: {few} KiB, 64 Mi samples: {many} KiB");
    assert!(many < few + ROOM_KIB, "{many} KiB for 64 MiB of samples, {few} KiB for 4 MiB");
}

#[test]
fn a_long_dump_is_read_in_the_memory_of_a_short_one() {
    let home = tempfile::tempdir().unwrap();
    dump(&home.path().join("short.vcd"), 2_000);
    dump(&home.path().join("long.vcd"), 400_000);
    let words = |file| [file, "--stimulus", "a", "--response", "b"];
    let [short, long] = ["short.vcd", "long.vcd"].map(|file| peak_kib(home.path(), &words(file)));
    println!("0.2 MB: {short} KiB, 32 MB: {long} KiB");
    assert!(long < short + ROOM_KIB, "{long} KiB for a dump of 32 MB, {short} KiB for 0.2 MB");
}
