// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall verify DIR`: recompute every claim of a sealed run.
use super::export::signer;
use crate::exit::Exit;
use crate::options::Printing;
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_report::wrap::narrow;
use backwall_store::seal::{Evidence, Verified, verify};
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a sealed run
    #[arg(value_name = "DIR")]
    place: PathBuf,
    /// Signers to accept: an allowed_signers file of ssh-keygen
    #[arg(long, value_name = "FILE")]
    signers: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Checks hashes, claims and signature; exits with 1 where something does not hold, with 3 where the run is invalid.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let shown = Activity::begin(args.printing.quiet, || "verifying".to_string());
    let mut found = verify(&args.place)?;
    let signer = match (found.is_signed, &args.signers) {
        (true, signers) => signer(&args.place, signers.as_deref()).map(Some).unwrap_or_else(|error| {
            found.faults.push(error.to_string());
            None
        }),
        (false, Some(_)) => {
            found.faults.push("SHA256SUMS.sig is missing, but --signers requires a signature".into());
            None
        }
        (false, None) => None,
    };
    drop(shown);
    args.printing.show(|| told(&found, signer.as_deref()), || text(&found, signer.as_deref()))?;
    Ok(match (found.faults.is_empty(), found.seal.valid) {
        (false, _) => Exit::Failed,
        (true, false) => Exit::Undecided,
        (true, true) => Exit::Done,
    })
}

fn told(found: &Verified, signer: Option<&str>) -> serde_json::Value {
    let Verified { seal, files, claims, faults, .. } = found;
    json!({
        "holds": faults.is_empty(), "faults": faults, "files": files, "claims": claims, "evidence": seal.evidence,
        "origin": seal.origin, "valid": seal.valid, "interrupted": seal.interrupted, "signed": signer,
    })
}

fn text(found: &Verified, signer: Option<&str>) -> String {
    let Verified { seal, files, claims, faults, .. } = found;
    let mut said = match faults.len() {
        0 => format!("verified: {files} files, {claims} claims recomputed\n"),
        count => format!("not verified: {count} faults\n"),
    };
    said.extend(faults.iter().map(|fault| format!("fault {fault}\n")));
    if seal.evidence == Evidence::Histogram {
        said += "note  recomputed from the histogram only: the samples were not kept\n";
    }
    said += &format!("note  origin: {}\n", backwall_report::phrase::origin(seal.origin));
    said.extend(seal.invalid.iter().map(|invalid| format!("warn  invalid: {}\n", invalid.reason)));
    if seal.interrupted {
        said += "warn  the run was cut short\n";
    }
    said += &match signer {
        Some(signer) => format!("sign  {signer}\n"),
        None => "sign  not signed: only the person who sent it vouches for it\n".to_string(),
    };
    narrow(&said, console::columns())
}
