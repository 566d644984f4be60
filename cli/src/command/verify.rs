// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall verify DIR`: recompute every claim of a sealed run.
use super::export::signer;
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_model::printable::printable;
use backwall_model::units::counted;
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_report::wrap::{cut, narrow};
use backwall_store::seal::{Evidence, Seal, Verified, verify};
use serde_json::json;
use std::path::PathBuf;

/// Number of faults to list; backwall only counts further ones.
const MOST_FAULTS: usize = 20;
const LONGEST: usize = 300;

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

/// Checks hashes, claims and signature. Exits with 1 if something does not hold, with 3 if the run is invalid.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(signers) = &args.signers {
        std::fs::File::open(signers)
            .map_err(|error| usage(format!("--signers {}: cannot open: {error}", signers.display())))?;
    }
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
    Ok(match found.seal {
        Some(seal) if found.faults.is_empty() && seal.valid => Exit::Done,
        Some(_) if found.faults.is_empty() => Exit::Undecided,
        _ => Exit::Failed,
    })
}

/// Keeps text from a stranger's file on one line.
fn one_line(text: &str) -> String {
    cut(&printable(text), LONGEST)
}

fn of_seal(seal: &Seal) -> String {
    let mut said = String::new();
    if seal.evidence == Evidence::Histogram {
        said += "note  recomputed only from the histogram: the samples were not kept\n";
    }
    said += &format!("note  origin: {}\n", backwall_report::phrase::origin(seal.origin));
    said.extend(seal.invalid.iter().map(|invalid| format!("warn  invalid: {}\n", one_line(&invalid.reason))));
    if seal.interrupted {
        said += "warn  the run was cut short\n";
    }
    said
}

fn told(found: &Verified, signer: Option<&str>) -> serde_json::Value {
    let Verified { seal, files, claims, faults, .. } = found;
    let seal = seal.as_ref();
    json!({
        "holds": faults.is_empty(), "faults": faults, "files": files, "claims": claims, "signed": signer,
        "evidence": seal.map(|seal| seal.evidence), "origin": seal.map(|seal| seal.origin),
        "valid": seal.map(|seal| seal.valid), "interrupted": seal.map(|seal| seal.interrupted),
    })
}

fn text(found: &Verified, signer: Option<&str>) -> String {
    let Verified { seal, files, claims, faults, .. } = found;
    let mut said = match faults.len() {
        0 => format!("verified: {files} files, {claims} claims recomputed\n"),
        count => format!("not verified: {}\n", counted(count as u64, "fault", "faults")),
    };
    said.extend(faults.iter().take(MOST_FAULTS).map(|fault| format!("fault {}\n", one_line(fault))));
    if faults.len() > MOST_FAULTS {
        said += &format!("fault {} more, shown by --json\n", faults.len() - MOST_FAULTS);
    }
    said += &seal.as_ref().map_or(String::new(), of_seal);
    said += &match signer {
        Some(signer) => format!("sign  {signer}\n"),
        None => "sign  not signed: only the person who sent the run vouches for it\n".to_string(),
    };
    narrow(&said, console::columns())
}
