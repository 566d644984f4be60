// SPDX-License-Identifier: MIT OR Apache-2.0
//! A serial line whose other end belongs to the test: the firmware in its emulator, or a thread that plays the firmware.
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

// The two ends of a pseudo-terminal. No program that a test starts inherits an end, so an end is closed when it is dropped.
pub struct Line {
    pub path: String,
    pub end: File,
    // Keeps the line open when the tool has closed its end.
    pub kept: File,
}

impl Line {
    pub fn new() -> Self {
        let mut name = [0_u8; 64];
        // SAFETY: the descriptor is new, and the name of a pseudo-terminal is far shorter than that.
        let end = unsafe {
            let end = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            assert!(end >= 0 && libc::unlockpt(end) == 0, "{}", io::Error::last_os_error());
            assert_eq!(libc::ptsname_r(end, name.as_mut_ptr().cast(), name.len()), 0);
            File::from_raw_fd(end)
        };
        let path = String::from_utf8_lossy(&name).trim_end_matches('\0').to_string();
        let kept = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(&path).unwrap();
        // It echoes nothing.
        // SAFETY: it is open, and the settings are read before they are changed.
        unsafe {
            let mut settings = std::mem::zeroed();
            libc::tcgetattr(kept.as_raw_fd(), &mut settings);
            libc::cfmakeraw(&mut settings);
            libc::tcsetattr(kept.as_raw_fd(), libc::TCSANOW, &settings);
        }
        Self { path, end, kept }
    }
}

pub struct Board {
    pub path: String,
    emulator: Child,
    _kept: File,
}

impl Board {
    // A device that answers on GP3 after `latency` cycles of 10 ns and on GP4 after twice as many, and is busy for `busy` cycles
    // after each pulse that it accepts. `Err` says what this machine lacks.
    pub fn start(latency: u32, busy: u32) -> Result<Self, String> {
        let out = prepared().as_ref().map_err(String::clone)?;
        let mut emulator = Command::new("node")
            .arg(out.join("emulator/bridge.mjs"))
            .arg(out.join("backwall-pico.uf2"))
            .args([latency, busy].map(|cycles| cycles.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut ready = String::new();
        BufReader::new(emulator.stderr.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        let line = Line::new();
        let (mut from, mut to) = (line.end.try_clone().unwrap(), line.end);
        let (mut told, mut said) = (emulator.stdin.take().unwrap(), emulator.stdout.take().unwrap());
        std::thread::spawn(move || carry(&mut from, &mut told));
        std::thread::spawn(move || carry(&mut said, &mut to));
        Ok(Self { path: line.path, emulator, _kept: line.kept })
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}

fn carry(from: &mut impl Read, to: &mut impl Write) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..read]).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

fn prepared() -> &'static Result<PathBuf, String> {
    static PREPARED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("pico");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pico/test/emulator.sh");
        let output = Command::new(script).arg(&out).output().map_err(|error| error.to_string())?;
        match output.status.code() {
            Some(0) => Ok(out),
            Some(3) => Err(String::from_utf8_lossy(&output.stdout).trim().to_string()),
            code => panic!("the firmware cannot be built: {code:?} {}", String::from_utf8_lossy(&output.stderr)),
        }
    })
}
