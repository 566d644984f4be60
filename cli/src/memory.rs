// SPDX-License-Identifier: MIT OR Apache-2.0
//! Out of memory, reported as one line and an exit code instead of an abort: under a limit (`ulimit -v`) any allocation may fail.
use crate::exit::Exit;
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator; ends backwall if memory runs out.
#[derive(Debug)]
pub struct Bounded;

const LINE: &[u8] = b"backwall: out of memory; raise the limit of this shell (ulimit -v) or of the container\n";

static ENDING: AtomicBool = AtomicBool::new(false);

/// The standard library's panic message if a new thread has no room for its signal stack (Rust 1.95).
const OF_A_THREAD: &str = "failed to allocate an alternative stack";

/// Reports a panic with this message as out of memory; other panics as before.
pub fn tell_of_threads() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if told(info).is_some_and(|said| said.starts_with(OF_A_THREAD)) {
            end()
        }
        report(info);
    }));
}

fn told<'a>(info: &'a PanicHookInfo<'_>) -> Option<&'a str> {
    let payload = info.payload();
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
}

/// Reports out of memory and ends the process, without allocating. Nothing needs a cleanup: incomplete files have no name yet,
/// and children end with their parent.
fn end() -> ! {
    // SAFETY: one call waits for a signal, one writes the line with its own length, and one ends the process.
    unsafe {
        while ENDING.swap(true, Ordering::Relaxed) {
            libc::pause();
        }
        libc::write(libc::STDERR_FILENO, LINE.as_ptr().cast(), LINE.len());
        libc::_exit(Exit::Unable as i32)
    }
}

fn or_end(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        end()
    }
    memory
}

// SAFETY: every method calls the same method of the system allocator, with the promises of its own caller.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises the same for this call.
        or_end(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises the same for this call.
        or_end(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises the same for this call.
        or_end(unsafe { System.realloc(memory, layout, bytes) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller promises the same for this call.
        unsafe { System.dealloc(memory, layout) }
    }
}
