// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs independent pieces of work, several at a time. Results are in the order of the work.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of jobs: as requested, or one per CPU.
pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Calls `each` for every item on up to `jobs` threads including the caller; on fewer if threads cannot be started.
pub fn map<T: Sync, R: Send>(items: &[T], jobs: usize, each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let work = || {
            while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < items.len()) {
                let result = each(&items[index]);
                *results[index].lock().expect("no thread panics while it holds this") = Some(result);
            }
        };
        let others =
            (1..jobs.clamp(1, items.len().max(1))).map(|_| std::thread::Builder::new().spawn_scoped(scope, work));
        others.take_while(Result::is_ok).for_each(drop);
        work();
    });
    let taken = results.into_iter().map(|slot| slot.into_inner().expect("not poisoned").expect("every index is taken"));
    taken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whatever_the_number_of_threads() {
        for jobs in [0, 1, 2, 7, 100] {
            let items: Vec<u64> = (0..20).collect();
            assert_eq!(map(&items, jobs, |n| n * n), items.iter().map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(map(&[] as &[u64], 4, |n| *n).is_empty());
    }
}
