// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small program of ours in the kernel (bpf(2)), at one of its tracepoints, and the ring through which it tells what it saw.
//!
//! Linux from 5.8 on has such rings. Who may not load programs, or whose kernel has none, gets an error and does without.
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

/// Flags in the length of a record: it is being written, or is to be skipped.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const HEADER_BYTES: usize = 8;

/// Records that a program writes and we read.
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

// SAFETY: the mappings belong to this value alone, and nothing in them is of a thread.
unsafe impl Send for Ring {}

impl Ring {
    /// One of that many bytes: a power of two, and a multiple of the size of a page.
    ///
    /// # Errors
    /// Where the kernel has none, or this process may not make one.
    pub fn new(bytes: u32) -> Result<Self> {
        let map = opened(MAP_CREATE, |attributes| {
            // Type, size of a key, size of a value, entries: four numbers of 32 bits.
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

    /// Gives every complete record, in order, up to the number there is now, so that a busy writer cannot block the reader.
    pub fn read(&mut self, mut give: impl FnMut(&[u8])) {
        // SAFETY: both positions lie at the start of their mappings, which live as long as this; the kernel writes the
        // second as we read it, as one word.
        let (consumed, produced) =
            unsafe { (self.consumed.cast::<AtomicU64>().as_ref(), self.produced.cast::<AtomicU64>().as_ref()) };
        let (mut at, end) = (consumed.load(Ordering::Relaxed), produced.load(Ordering::Acquire));
        while at < end {
            let offset = (at % self.bytes as u64) as usize;
            // SAFETY: the offset lies within the first copy of the data, at a multiple of 8 as the kernel begins records.
            let header = unsafe { self.produced.add(self.page + offset).cast::<AtomicU32>().as_ref() };
            let length = header.load(Ordering::Acquire);
            let bytes = (length & !(BUSY | DISCARDED)) as usize;
            if length & BUSY != 0 || bytes > self.bytes - HEADER_BYTES {
                break;
            }
            if length & DISCARDED == 0 {
                // SAFETY: the record is whole, and with the second copy of the data it lies in the mapping in one piece; the
                // kernel leaves it alone until the position behind it is written below.
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

/// Puts a program at a tracepoint, by its name without its system's. The kernel takes no program that could harm it.
///
/// # Errors
/// Where there is no such tracepoint, the program is refused, or this process may not do it.
pub fn attach(tracepoint: &CStr, program: &[u64]) -> Result<Attached> {
    // The functions that programs use are for programs with a licence that GPL allows.
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

/// Room for the attributes of every kernel; it may ignore zero ones.
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
    // SAFETY: the attributes are as long as is said, and what they point to lives until the call returns.
    let number = unsafe { libc::syscall(libc::SYS_bpf, command, attributes.as_mut_ptr(), ATTRIBUTES_BYTES) };
    match i32::try_from(number) {
        // SAFETY: the kernel has just given this number to us, and to nobody else.
        Ok(number) if number >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(number) }),
        _ => Err(Error::last_os_error()),
    }
}

/// Kernels before 5.11 count rings and programs as locked memory, which root has little of by default. The limit matters only at
/// creation, so it is restored.
fn with_locked_memory<T>(make: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = getrlimit(Resource::Memlock);
    setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None })?;
    let made = make();
    setrlimit(Resource::Memlock, before)?;
    made
}

fn mapped(map: &OwnedFd, bytes: usize, protection: i32, offset: usize) -> Result<NonNull<u8>> {
    // SAFETY: the kernel chooses a free place; nothing else of this process is touched.
    let place = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, map.as_raw_fd(), offset as libc::off_t)
    };
    match place {
        libc::MAP_FAILED => Err(Error::last_os_error()),
        place => NonNull::new(place.cast()).ok_or_else(|| Error::from_raw_os_error(libc::EFAULT)),
    }
}

fn unmap(place: NonNull<u8>, bytes: usize) {
    // SAFETY: the mapping is ours, and nobody uses it any more.
    unsafe { libc::munmap(place.as_ptr().cast(), bytes) };
}
