// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads a small program into the kernel (bpf(2)), attaches it to a tracepoint, and reads its reports from a ring buffer.
//!
//! Such ring buffers exist since Linux 5.8. If this process may not load programs, or the kernel does not support them, the
//! caller gets an error and continues without the program.
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::CStr;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const MAP_CREATE: i32 = 0;
const PROG_LOAD: i32 = 5;
const RAW_TRACEPOINT_OPEN: i32 = 17;
const RING_MAP: u32 = 27;
const RAW_TRACEPOINT_PROGRAM: u32 = 17;

/// Flags in the length of a record: the record is being written, or must be skipped.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const HEADER_BYTES: usize = 8;

/// A ring buffer that a program in the kernel writes and this process reads.
///
/// The kernel maps the data twice in a row, so that each record is contiguous.
#[derive(Debug)]
pub struct Ring {
    map: OwnedFd,
    bytes: usize,
    page: usize,
    consumed: NonNull<u8>,
    produced: NonNull<u8>,
}

// SAFETY: only this value uses the mappings, and nothing in them belongs to a thread.
unsafe impl Send for Ring {}

impl Ring {
    /// Creates a ring buffer of this many bytes, which must be a power of two and a multiple of the page size.
    ///
    /// # Errors
    /// If the kernel does not support it, or this process may not create a ring buffer.
    pub fn new(bytes: u32) -> Result<Self> {
        let map = opened(MAP_CREATE, |attributes| {
            // Type, key size, value size, number of entries: four 32-bit numbers.
            attributes[..16].copy_from_slice(&[RING_MAP, 0, 0, bytes].map(u32::to_ne_bytes).concat());
        })?;
        let (page, bytes) = (rustix::param::page_size(), bytes as usize);
        let consumed = mapped(&map, page, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let produced = mapped(&map, page + 2 * bytes, libc::PROT_READ, page);
        let produced = produced.inspect_err(|_| unmap(consumed, page))?;
        Ok(Self { map, bytes, page, consumed, produced })
    }

    pub fn number(&self) -> i32 {
        self.map.as_raw_fd()
    }

    /// Passes to `give`, in order, every record that is complete when the call begins. It ignores later records, so that a busy
    /// writer cannot keep the reader busy forever.
    pub fn read(&mut self, mut give: impl FnMut(&[u8])) {
        // SAFETY: both positions are at the start of their mappings, which live as long as this value. The kernel may write the
        // second position while this code reads it, but always as one word.
        let (consumed, produced) =
            unsafe { (self.consumed.cast::<AtomicU64>().as_ref(), self.produced.cast::<AtomicU64>().as_ref()) };
        let (mut at, end) = (consumed.load(Ordering::Relaxed), produced.load(Ordering::Acquire));
        while at < end {
            let offset = (at % self.bytes as u64) as usize;
            // SAFETY: the offset is within the first copy of the data, at a multiple of 8, as the kernel aligns records.
            let header = unsafe { self.produced.add(self.page + offset).cast::<AtomicU32>().as_ref() };
            let length = header.load(Ordering::Acquire);
            let bytes = (length & !(BUSY | DISCARDED)) as usize;
            if length & BUSY != 0 || bytes > self.bytes - HEADER_BYTES {
                break;
            }
            if length & DISCARDED == 0 {
                // SAFETY: the record is complete, and thanks to the second copy of the data it is contiguous in the mapping. The
                // kernel leaves it alone until the position after it is written below.
                give(unsafe {
                    std::slice::from_raw_parts(self.produced.add(self.page + offset + HEADER_BYTES).as_ptr(), bytes)
                });
            }
            at += (HEADER_BYTES + bytes).next_multiple_of(8) as u64;
            consumed.store(at, Ordering::Release);
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        unmap(self.consumed, self.page);
        unmap(self.produced, self.page + 2 * self.bytes);
    }
}

#[derive(Debug)]
pub struct Attached {
    _link: OwnedFd,
    _program: OwnedFd,
}

/// Attaches a program to a tracepoint, given by name without its subsystem. The kernel rejects a program that could do harm.
///
/// # Errors
/// If there is no such tracepoint, the kernel rejects the program, or this process lacks the right.
pub fn attach(tracepoint: &CStr, program: &[u64]) -> Result<Attached> {
    // The kernel offers the functions that these programs call only to GPL-compatible licences.
    const LICENCE: &CStr = c"Dual MIT/GPL";
    let program = opened(PROG_LOAD, |attributes| {
        attributes[..8].copy_from_slice(&[RAW_TRACEPOINT_PROGRAM, program.len() as u32].map(u32::to_ne_bytes).concat());
        let addresses = [program.as_ptr() as u64, LICENCE.as_ptr() as u64].map(u64::to_ne_bytes).concat();
        attributes[8..24].copy_from_slice(&addresses);
    })?;
    let link = opened(RAW_TRACEPOINT_OPEN, |attributes| {
        attributes[..8].copy_from_slice(&(tracepoint.as_ptr() as u64).to_ne_bytes());
        attributes[8..12].copy_from_slice(&program.as_raw_fd().to_ne_bytes());
    })?;
    Ok(Attached { _link: link, _program: program })
}

/// Room for the attributes of every kernel version. A kernel ignores zero bytes that it does not know.
const ATTRIBUTES_BYTES: usize = 128;

fn opened(command: i32, fill: impl FnOnce(&mut [u8; ATTRIBUTES_BYTES])) -> Result<OwnedFd> {
    let mut attributes = [0; ATTRIBUTES_BYTES];
    fill(&mut attributes);
    match asked(command, &mut attributes) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
            with_locked_memory(|| asked(command, &mut attributes))
        }
        opened => opened,
    }
}

fn asked(command: i32, attributes: &mut [u8; ATTRIBUTES_BYTES]) -> Result<OwnedFd> {
    // SAFETY: the attributes have the stated length, and what they point to lives until the call returns.
    let number = unsafe { libc::syscall(libc::SYS_bpf, command, attributes.as_mut_ptr(), ATTRIBUTES_BYTES) };
    match i32::try_from(number) {
        // SAFETY: the kernel just returned this descriptor, and nothing else owns it.
        Ok(number) if number >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(number) }),
        _ => Err(Error::last_os_error()),
    }
}

/// Kernels before 5.11 count ring buffers and programs as locked memory, of which even root has little by default. The limit
/// matters only during creation, so it is restored afterwards.
fn with_locked_memory<T>(make: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = getrlimit(Resource::Memlock);
    setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None })?;
    let made = make();
    setrlimit(Resource::Memlock, before)?;
    made
}

fn mapped(map: &OwnedFd, bytes: usize, protection: i32, offset: usize) -> Result<NonNull<u8>> {
    // SAFETY: the kernel chooses a free address, so the mapping overlaps nothing in this process.
    let place = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, map.as_raw_fd(), offset as libc::off_t)
    };
    match place {
        libc::MAP_FAILED => Err(Error::last_os_error()),
        place => NonNull::new(place.cast()).ok_or_else(|| Error::from_raw_os_error(libc::EFAULT)),
    }
}

fn unmap(place: NonNull<u8>, bytes: usize) {
    // SAFETY: the mapping belongs to this value, and nothing uses it any more.
    unsafe { libc::munmap(place.as_ptr().cast(), bytes) };
}
