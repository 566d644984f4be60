// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export sealed RUN -o FOLDER`: writes a run from which anybody can recompute its claims.
//!
//! Signatures are OpenSSH's: every machine with SSH keys has `ssh-keygen`, engineers already have a key, and no secret key passes
//! through this program.
use super::Args;
use crate::exit::{Exit, unable, usage};
use backwall_os::console::progress::Activity;
use backwall_os::regular_file;
use backwall_store::RunFolder;
use backwall_store::seal::{self, Evidence, SIGNATURE_FILE, SUMS_FILE};
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

/// Signature namespace. A signature from another namespace is not valid for a sealed run.
pub(in crate::command) const NAMESPACE: &str = "backwall";

/// Size limit of a signature, because `ssh-keygen` reads any length, but slowly.
const MOST_SIGNATURE: u64 = 1 << 16;
// The first line of a signature, then its magic number SSHSIG and version 1 in base 64.
const SIGNATURE_BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAA";
const SIGNATURE_END: &str = "\n-----END SSH SIGNATURE-----\n";

pub(super) fn run(args: &Args, place: &Path, out: &Path) -> anyhow::Result<Exit> {
    let place = backwall_store::meant(place)?;
    let shown = Activity::begin(args.printing.quiet, || "sealing the run".to_string());
    let folder = RunFolder::create(Some(out), "export", Timestamp::now())?;
    let home = backwall_store::home(&place);
    let seal = seal::write(&home, &folder)?;
    if let Some(key) = &args.key {
        sign(key, &out.join(SUMS_FILE))?;
    }
    drop(shown);
    let claims: usize = seal.claims.iter().map(|series| series.claims.len()).sum();
    let from = match seal.evidence {
        Evidence::Samples => "every sample",
        Evidence::Histogram => "histograms only: the samples were not kept (run --keep-samples)",
    };
    let signed = if args.key.is_some() { ", signed" } else { "" };
    let told = || json!({ "folder": out.display().to_string(), "claims": claims, "evidence": seal.evidence, "signed": args.key.is_some() });
    let text = format!("sealed {claims} claims{signed}, from {from}\nnext  backwall verify {}\n", out.display());
    args.printing.show(told, || text)?;
    Ok(Exit::Done)
}

fn sign(key: &Path, sums: &Path) -> anyhow::Result<()> {
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key).arg(sums).stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| unable(format!("ssh-keygen: {error}; install OpenSSH, or leave out --key")))?;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().last().unwrap_or("no error message");
    Err(usage(format!("--key {}: {why}; the sealed run was written without {SIGNATURE_FILE}", key.display())))
}

/// Returns what `ssh-keygen` says about the signer. With a list of allowed signers it names the signer, otherwise only the key.
///
/// # Errors
/// The signature does not match the file, or the signer is not on the list.
pub(in crate::command) fn signer(place: &Path, allowed: Option<&Path>) -> anyhow::Result<String> {
    let signature = place.join(SIGNATURE_FILE);
    let sums = || {
        std::fs::File::open(place.join(SUMS_FILE))
            .map_err(|_| usage(format!("{SIGNATURE_FILE}: cannot be checked, because {SUMS_FILE} is missing")))
    };
    let told = |output: &std::process::Output| {
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        format!("{} {}", out.trim(), error.trim()).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let asked = |words: &[&str], more: Option<&Path>| -> anyhow::Result<std::process::Output> {
        let mut command = Command::new("ssh-keygen");
        command.args(words).args(more).args(["-n", NAMESPACE, "-s"]).arg(&signature).stdin(sums()?);
        command
            .output()
            .map_err(|error| unable(format!("ssh-keygen: {error}; install OpenSSH to check {SIGNATURE_FILE}")))
    };
    let refused = |what: String| usage(format!("{SIGNATURE_FILE}: {what}"));
    let written = regular_file::text(&signature, MOST_SIGNATURE).map_err(|error| refused(error.to_string()))?;
    if !is_as_written(&written) {
        return Err(refused("modified: expected a signature as ssh-keygen writes it".into()));
    }
    let Some(allowed) = allowed else {
        let output = asked(&["-Y", "check-novalidate"], None)?;
        return if output.status.success() { Ok(told(&output)) } else { Err(refused(told(&output))) };
    };
    let found = asked(&["-Y", "find-principals", "-f"], Some(allowed))?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let name = names.lines().next().filter(|_| found.status.success());
    let name = name.ok_or_else(|| refused(format!("not signed by a signer in {}", allowed.display())))?;
    let output = asked(&["-Y", "verify", "-I", name, "-f"], Some(allowed))?;
    if output.status.success() { Ok(told(&output)) } else { Err(refused(told(&output))) }
}

// `ssh-keygen` ignores blanks in a signature, text after it, and a lower version number. backwall must find such changes.
fn is_as_written(signature: &str) -> bool {
    let body = signature.strip_prefix(SIGNATURE_BEGIN).and_then(|rest| rest.strip_suffix(SIGNATURE_END));
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\n".contains(&byte);
    body.is_some_and(|body| body.bytes().all(is_base64))
}
