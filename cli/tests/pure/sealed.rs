// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export sealed` and `backwall verify`: the same to the last digit by DuckDB and sha256sum, signed, and damaged.
use crate::python;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FAKE: &str = backwall_runner::device::built::FAKE;

fn backwall(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn sealed(top: &Path, more: &[&str], words: &[&str]) -> PathBuf {
    let (run, out) = (top.join("run"), top.join("sealed"));
    let measure = ["run", "--probe", FAKE, "--load", "none", "--for", "600ms", "--seed", "7", "--quiet", "-o"];
    let output = backwall(&[&measure[..], &[shown(&run)], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = backwall(&[&["export", "sealed", shown(&run), "-o", shown(&out)], words].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    out
}

fn verified(place: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = backwall(&[&["verify", shown(place)], words].concat());
    (output.status.code(), said(&output))
}

const DUCKDB: &str = "
import duckdb, json, os, sys
os.chdir(sys.argv[1])
claims = 0
for series in json.load(open('seal.json'))['claims']:
    for claim in series['claims']:
        found = duckdb.sql(claim['sql']).fetchall()[0][0]
        assert str(found) == claim['value'], (claim, found)
        claims += 1
print(claims)
";

#[test]
fn every_claim_is_what_duckdb_and_sha256sum_find() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), &["--keep-samples"], &[]);
    let (code, text) = verified(&place, &[]);
    assert_eq!(code, Some(0), "{text}");
    let json: Value = serde_json::from_slice(&backwall(&["verify", shown(&place), "--json"]).stdout).unwrap();
    assert_eq!((&json["holds"], &json["evidence"]), (&Value::from(true), &Value::from("samples")));
    let mut hashes = Command::new("sha256sum");
    hashes.args(["--check", "--strict", "--quiet", "SHA256SUMS"]).current_dir(&place);
    assert!(hashes.status().unwrap().success());
    let Some(claims) = python::asked("every_claim_is_what_duckdb_and_sha256sum_find", "duckdb", DUCKDB, &place) else {
        return;
    };
    assert_eq!(claims.trim(), json["claims"].to_string());
}

#[test]
fn without_samples_the_histogram_alone_vouches_and_a_changed_file_is_named() {
    let top = tempfile::tempdir().unwrap();
    let place = sealed(top.path(), &[], &[]);
    let (code, text) = verified(&place, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("only from the histogram"), "{text}");
    let mut bytes = fs::read(place.join("report.html")).unwrap();
    bytes[1_000] ^= 4;
    fs::write(place.join("report.html"), bytes).unwrap();
    let (code, text) = verified(&place, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("fault report.html: modified"), "{text}");
}

// ssh-keygen accepts a signature with a blank for another, with bytes behind its end, or of version 0. The bytes whose change
// it finds are tried in steps.
fn every_bit_counts(place: &Path) {
    let signature = place.join("SHA256SUMS.sig");
    let whole = fs::read(&signature).unwrap();
    let blanks = (0..whole.len()).filter(|at| whole[*at] == b'\n');
    let version = (43, 4);
    let of_byte = |at: usize| (0..8).map(move |bit| (at, bit));
    let stepped = (0..whole.len()).step_by(29).map(|at| (at, at % 8));
    for (at, bit) in blanks.flat_map(of_byte).chain([version]).chain(stepped) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << bit;
        fs::write(&signature, damaged).unwrap();
        let (code, text) = verified(place, &[]);
        assert!(code == Some(1) && text.contains("fault SHA256SUMS.sig:"), "bit {bit} of byte {at}: {text}");
    }
    fs::write(&signature, whole).unwrap();
}

#[test]
fn a_signature_is_of_its_signer_and_of_these_hashes() {
    let top = tempfile::tempdir().unwrap();
    let key = top.path().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.is_ok_and(|made| made.success()), "ssh-keygen makes a key");
    let place = sealed(top.path(), &[], &["--key", shown(&key)]);
    let public = fs::read_to_string(top.path().join("key.pub")).unwrap();
    let signers = top.path().join("signers");
    fs::write(&signers, format!("lab@example.org {public}")).unwrap();
    let (code, text) = verified(&place, &["--signers", shown(&signers)]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("lab@example.org"), "{text}");
    every_bit_counts(&place);
    fs::write(&signers, "").unwrap();
    let (code, text) = verified(&place, &["--signers", shown(&signers)]);
    assert!(code == Some(1) && text.contains("fault SHA256SUMS.sig: not signed by a signer in"), "{text}");
    let sums = fs::read_to_string(place.join("SHA256SUMS")).unwrap();
    fs::write(place.join("SHA256SUMS"), sums.lines().rev().map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    let (code, text) = verified(&place, &[]);
    assert!(code == Some(1) && text.contains("fault SHA256SUMS.sig:"), "{text}");
}

#[test]
fn what_is_no_sealed_run_is_refused_in_one_line() {
    let top = tempfile::tempdir().unwrap();
    let (code, text) = verified(top.path(), &[]);
    assert_eq!((code, text.lines().count()), (Some(2), 1), "{text}");
    assert!(text.contains("not a sealed run: expected seal.json and SHA256SUMS"), "{text}");
    let output = backwall(&["export", "sealed", shown(top.path())]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("export sealed needs -o and the name of a folder"), "{}", said(&output));
}

#[test]
fn an_unfinished_run_is_not_sealed_and_the_refusal_says_how_to_finish_it() {
    let top = tempfile::tempdir().unwrap();
    sealed(top.path(), &[], &[]);
    let run = top.path().join("run");
    fs::rename(run.join("run.json"), run.join("checkpoint.json")).unwrap();
    let output = backwall(&["export", "sealed", shown(&run), "-o", shown(&top.path().join("other"))]);
    assert_eq!(output.status.code(), Some(2));
    let text = said(&output);
    assert!(text.contains("the run is not finished; finish it: ") && text.ends_with(" --resume\n"), "{text}");
}
