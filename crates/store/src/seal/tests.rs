// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sealing and verification; every flipped bit must be found.
#![expect(clippy::disallowed_methods, reason = "its tests read and write files")]
use super::*;
use crate::samples::{FILE_NAME, Writer};
use crate::{RUN_FILE, RunFolder};
use backwall_model::units::Unit;
use backwall_model::{Span, Warning};
use backwall_os::folder::Folder;
use backwall_stats::SeriesBuilder;
use jiff::Timestamp;
use std::fs;
use std::path::Path;

// Writes a run of 500 samples with warm-up, losses and late answers, and its sample file if `kept`.
fn run(home: &Path, kept: bool) {
    let (key, span) = (Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
    let mut builder = SeriesBuilder::new(key.clone(), span.clone());
    let mut writer = kept.then(|| Writer::create(&Folder::open(home).unwrap()).unwrap());
    let id = writer.as_mut().map(|writer| writer.series(key, span));
    for seq in 0..500 {
        let (at, value, late) = (seq * 1_000, 3_000 + seq * 7_919 % 4_001, seq % 50 == 7);
        match seq {
            0..20 => builder.warmup(1),
            100 => builder.missed(at, 3),
            _ => builder.sample(seq, at, value, late),
        }
        let Some((writer, id)) = writer.as_mut().zip(id) else { continue };
        match seq {
            0..20 => writer.warmup(id, seq, at, value).unwrap(),
            100 => writer.missed(id, seq, at, 3).unwrap(),
            _ => writer.sample(id, seq, at, value, late).unwrap(),
        }
    }
    if let Some(writer) = writer {
        writer.finish().unwrap();
    }
    let mut run = Run::begin(Origin::Simulated, Plan::default(), vec!["test".into()], Timestamp::UNIX_EPOCH);
    run.series.push(builder.build());
    run.series[0].worst[0].blame = Some(Blame::Unfitting);
    run.warnings.push(Warning::new("test", "a bundle holds it".to_string()));
    fs::write(home.join(RUN_FILE), serde_json::to_string(&run).unwrap()).unwrap();
}

fn sealed(top: &Path, kept: bool) -> std::path::PathBuf {
    let (home, out) = (top.join("run"), top.join("sealed"));
    fs::create_dir(&home).unwrap();
    run(&home, kept);
    write(&home, &RunFolder::create(Some(&out), "seal", Timestamp::UNIX_EPOCH).unwrap()).unwrap();
    out
}

#[test]
fn a_sealed_run_holds_with_and_without_samples() {
    for (kept, evidence) in [(true, Evidence::Samples), (false, Evidence::Histogram)] {
        let top = tempfile::tempdir().unwrap();
        let found = verify(&sealed(top.path(), kept)).unwrap();
        assert_eq!(found.faults, [""; 0]);
        let seal = found.seal.unwrap();
        assert_eq!((seal.evidence, found.is_signed, seal.late.len()), (evidence, false, 1));
        let value = |name: &str| {
            let claims = &seal.claims[0].claims;
            claims.iter().find(|claim| claim.claim == name).map(|claim| claim.value.clone()).unwrap()
        };
        assert_eq!((value("samples"), value("missed"), value("warm-up")), ("479".into(), "3".into(), "20".into()));
        assert!(seal.claims[0].claims.iter().all(|claim| claim.sql.is_some() == kept));
        assert!(found.claims >= 8);
    }
}

/// A run that was refused after it began, or ended before its first sample, has no figures and is still sealed and recorded.
#[test]
fn a_run_without_figures_is_sealed_with_its_reason() {
    let top = tempfile::tempdir().unwrap();
    let (home, out) = (top.path().join("run"), top.path().join("sealed"));
    fs::create_dir(&home).unwrap();
    let mut run = Run::begin(Origin::Measured, Plan::default(), vec!["test".into()], Timestamp::UNIX_EPOCH);
    let reason = "the kernel refused real-time priority".to_string();
    run.interrupted = true;
    run.spoil(&reason);
    fs::write(home.join(RUN_FILE), serde_json::to_string(&run).unwrap()).unwrap();
    write(&home, &RunFolder::create(Some(&out), "seal", Timestamp::UNIX_EPOCH).unwrap()).unwrap();
    let found = verify(&out).unwrap();
    assert_eq!((&found.faults[..], found.claims), (&[][..], 0));
    let seal = found.seal.unwrap();
    assert_eq!((seal.valid, seal.interrupted, &seal.invalid[0].reason), (false, true, &reason));
}

#[test]
fn every_flipped_bit_is_found_and_its_file_is_named() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), true);
    for name in [RUN_FILE, FILE_NAME, SEAL_FILE] {
        let whole = fs::read(place.join(name)).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 40 + 1) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(place.join(name), damaged).unwrap();
            let said = verify(&place).unwrap().faults.join("\n");
            assert!(said.contains(name), "byte {at} of {name}: {said}");
        }
        fs::write(place.join(name), whole).unwrap();
    }
    let whole = fs::read(place.join(SUMS_FILE)).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            fs::write(place.join(SUMS_FILE), damaged).unwrap();
            let said = verify(&place).unwrap().faults.join("\n");
            assert!(said.contains(SUMS_FILE), "bit {bit} of byte {at}: {said}");
        }
    }
}

fn hashed_again(place: &Path) {
    let names = [RUN_FILE, FILE_NAME, SEAL_FILE].into_iter().filter(|name| place.join(name).exists());
    let sums: Vec<(String, String)> = names
        .map(|name| {
            let bytes = fs::read(place.join(name)).unwrap();
            (name.to_string(), sums::hashed(&bytes[..], std::io::sink()).unwrap())
        })
        .collect();
    fs::write(place.join(SUMS_FILE), sums::text(&sums)).unwrap();
}

#[test]
fn a_claim_that_does_not_follow_from_the_samples_is_named() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), true);
    let mut seal: Seal = serde_json::from_slice(&fs::read(place.join(SEAL_FILE)).unwrap()).unwrap();
    let maximum = seal.claims[0].claims.iter_mut().find(|claim| claim.claim == "maximum").unwrap();
    let known = std::mem::replace(&mut maximum.value, "4000".into());
    fs::write(place.join(SEAL_FILE), serde_json::to_string(&seal).unwrap()).unwrap();
    hashed_again(&place);
    let found = verify(&place).unwrap();
    let said = format!("seal.json: wakeup[load=none,idle=as-is]: maximum 4000, recomputed {known}");
    assert_eq!(found.faults, [said]);
}

/// After the files are hashed again, a claim that was left out, repeated or added is still found.
#[test]
fn a_seal_that_was_edited_and_hashed_again_is_found() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), true);
    let whole = fs::read_to_string(place.join(SEAL_FILE)).unwrap();
    let edited = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut seal = serde_json::from_str(&whole).unwrap();
        edit(&mut seal);
        fs::write(place.join(SEAL_FILE), seal.to_string()).unwrap();
        hashed_again(&place);
        verify(&place).unwrap().faults.join("; ")
    };
    let claims = |seal: &mut serde_json::Value| seal["claims"][0]["claims"].as_array_mut().unwrap().clone();
    assert_eq!(edited(&|_| ()), "");
    let replaced = edited(&|seal| {
        let second = claims(seal)[1].clone();
        seal["claims"][0]["claims"][0] = second;
    });
    assert!(replaced.contains("claims are missing or repeated"), "{replaced}");
    let twice = edited(&|seal| seal["claims"] = [seal["claims"][0].clone(), seal["claims"][0].clone()].into());
    assert!(twice.contains("claims of 2 series"), "{twice}");
    let sql = edited(&|seal| seal["claims"][0]["claims"][0]["sql"] = "SELECT 479".into());
    assert!(sql.contains("samples: the value is right"), "{sql}");
    let praise = edited(&|seal| seal["certified"] = "10 us".into());
    assert!(praise.contains("unknown field `certified`"), "{praise}");
    let tool = edited(&|seal| seal["tool"] = "9.9.9".into());
    assert_eq!(tool, "seal.json: tool differs from run.json");
    fs::write(place.join(SEAL_FILE), whole.replacen('{', "{\"seal\": 1,", 1)).unwrap();
    hashed_again(&place);
    assert!(verify(&place).unwrap().faults[0].contains("duplicate field"), "{:?}", verify(&place).unwrap().faults);
}

#[test]
fn what_is_no_bundle_is_refused() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), false);
    let refused = || verify(&place).unwrap_err().to_string();
    std::os::unix::fs::symlink("/etc/hostname", place.join("link")).unwrap();
    assert!(refused().contains("link: not a regular file"), "{}", refused());
    fs::remove_file(place.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
    assert!(refused().contains("pipe: not a regular file"));
    fs::remove_file(place.join("pipe")).unwrap();
    fs::write(place.join("more"), "x").unwrap();
    assert!(verify(&place).unwrap().faults[0].starts_with("more: missing in SHA256SUMS"));
    fs::remove_file(place.join("more")).unwrap();
    let text = fs::read_to_string(place.join(SEAL_FILE)).unwrap();
    fs::write(place.join(SEAL_FILE), text.replacen("\"seal\": 1", "\"seal\": 2", 1)).unwrap();
    hashed_again(&place);
    assert!(
        refused().ends_with("seal.json: version 2; this backwall reads up to 1; install a newer one"),
        "{}",
        refused()
    );
    fs::remove_file(place.join(SUMS_FILE)).unwrap();
    assert_eq!(verify(&place).unwrap().faults, ["SHA256SUMS: missing"]);
    fs::remove_file(place.join(SEAL_FILE)).unwrap();
    assert!(refused().contains("not a sealed run"));
}

#[test]
fn where_a_run_cannot_be_sealed_nothing_stays() {
    let top = tempfile::tempdir().unwrap();
    let (home, out) = (top.path().join("run"), top.path().join("sealed"));
    fs::create_dir(&home).unwrap();
    run(&home, true);
    let json = fs::read_to_string(home.join(RUN_FILE)).unwrap();
    fs::write(home.join(RUN_FILE), json.replacen("\"late\":", "\"late\":1", 1)).unwrap();
    let folder = RunFolder::create(Some(&out), "seal", Timestamp::UNIX_EPOCH).unwrap();
    assert!(write(&home, &folder).unwrap_err().to_string().contains("the samples contradict run.json"));
    drop(folder);
    assert!(!out.exists());
}
