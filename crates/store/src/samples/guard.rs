// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the library that reads the file in separate threads, because a damaged file can make it panic.
use std::panic;
use std::sync::Once;
use std::thread;

const GUARDED: &str = "samples reader";

/// Runs the work in separate threads. The library panics on some damaged files; in these threads a panic prints nothing and
/// becomes an error.
pub fn guarded<T: Send>(threads: usize, work: impl Fn() -> Result<T, String> + Sync) -> Result<Vec<T>, String> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(GUARDED) {
                report(info);
            }
        }));
    });
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().name(GUARDED.into()).spawn_scoped(scope, &work);
        let workers = (0..threads).map(start).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let damaged = |_| Err("the file is damaged".to_string());
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(damaged)).collect()
    })
}
