// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every target accepts its seeds, and neither the inputs that fuzzing found nor damaged seeds make it panic.
use crate::targets::{Damage, TARGETS, Target};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

// Damaged seeds for each target: up to this many bytes in all, and up to this many inputs.
const BYTES: usize = 1 << 20;
const INPUTS: usize = 1_000;

fn found(target: &Target) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("found").join(&target.name);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| std::fs::read(file.path()).unwrap()).collect()
}

fn try_one(target: &Target) -> usize {
    let seeds = (target.seeds)();
    for (number, seed) in seeds.iter().enumerate() {
        assert!((target.read)(seed), "{} refuses its own seed {number}", target.name);
    }
    found(target).iter().for_each(|input| {
        (target.read)(input);
    });
    let mut damage = Damage::new(target.name.len() as u64);
    let (mut bytes, mut inputs) = (0, 0);
    while bytes < BYTES && inputs < INPUTS {
        let input = damage.of(&seeds);
        (bytes, inputs) = (bytes + input.len() + 1, inputs + 1);
        if catch_unwind(AssertUnwindSafe(|| (target.read)(&input))).is_err() {
            let kept = std::env::temp_dir().join(format!("backwall-found-{}", target.name));
            std::fs::write(&kept, &input).unwrap();
            panic!("{} panics: {} is the input; it belongs in fuzz/found/{}", target.name, kept.display(), target.name);
        }
    }
    inputs
}

#[test]
fn every_target_takes_its_seeds_and_survives_damaged_ones() {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failed = Vec::new();
        while let Some(target) = TARGETS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let begun = std::time::Instant::now();
            match catch_unwind(AssertUnwindSafe(|| try_one(target))) {
                Ok(inputs) => println!("{}: {inputs} inputs, {:.2} s", target.name, begun.elapsed().as_secs_f64()),
                Err(_) => failed.push(target.name.as_str()),
            }
        }
        failed
    };
    let workers = std::thread::available_parallelism().map_or(1, |processors| processors.get());
    let failed: Vec<&str> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{failed:?}");
}
