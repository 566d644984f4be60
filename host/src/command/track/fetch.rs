// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall track fetch [PROCESS]`: the last minutes of what a run or watch records now, which goes on.
use super::record::tell;
use crate::console::complain;
use crate::exit::{Exit, unable, usage};
use crate::options::Global;
use crate::record::kept;
use crate::session::door::{Given, knock};
use crate::store::RunFolder;
use ::fleet::recordings::{self, Sent};
use jiff::Timestamp;
use std::io::Write;
use std::path::PathBuf;

/// The commands that open a door.
const RECORDERS: [&str; 3] = ["run", "iltiming", "watch"];
/// Where a command line tells none of them.
const UNKNOWN: &str = "unknown";

/// Arguments of `backwall track fetch`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The process that records [default: all of this user]
    #[arg(value_name = "PROCESS", value_parser = clap::value_parser!(i32).range(1..))]
    process: Option<i32>,
    /// Send all of it on standard output, as `fleet fetch` takes it
    #[arg(long, hide = true)]
    send: bool,
}

/// Fetches, and keeps each as a recording with its account; 3 where one gave none.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let all = knock(args.process).map_err(|error| unable(format!("/proc/net/unix: {error}")))?;
    if args.send {
        return send(&all);
    }
    match args.process {
        Some(process) if all.is_empty() => {
            return Err(usage(format!("{process}: no run or watch of this user; `backwall track fetch` asks all")));
        }
        None if all.is_empty() => {
            complain("backwall: no run or watch of this user is going on here");
            return Ok(Exit::Undecided);
        }
        _ => {}
    }
    let several = all.len() > 1;
    let mut exit = Exit::Done;
    for Given { process, came } in &all {
        match came {
            Ok(bytes) if !several => keep(*process, bytes, several, global)?,
            // What goes wrong with one takes nothing from the others.
            Ok(bytes) => {
                if let Err(error) = keep(*process, bytes, several, global) {
                    complain(&format!("backwall: {} {process}: {error}", command(*process)));
                    exit = Exit::Undecided;
                }
            }
            Err(why) => {
                complain(&format!("backwall: {} {process}: {why}", command(*process)));
                exit = Exit::Undecided;
            }
        }
    }
    Ok(exit)
}

/// In a folder of its own, with its account.
fn keep(process: i32, bytes: &[u8], several: bool, global: &Global) -> anyhow::Result<()> {
    let out: Option<PathBuf> =
        global.out.as_ref().map(|out| if several { out.join(process.to_string()) } else { out.clone() });
    let folder = RunFolder::create(out.as_deref(), "track", Timestamp::now())?;
    folder.stream(kept::FILE, |out| out.write_all(bytes))?;
    tell(&folder, global)
}

fn send(all: &[Given]) -> anyhow::Result<Exit> {
    let commands: Vec<String> = all.iter().map(|one| command(one.process)).collect();
    let sent = all.iter().zip(&commands).map(|(one, command)| Sent {
        process: one.process.unsigned_abs(),
        command,
        came: one.came.as_deref().map_err(String::as_str),
    });
    let written = recordings::write(&mut std::io::stdout().lock(), sent);
    written.map(|()| Exit::Done).map_err(|error| unable(format!("standard output: {error}")))
}

/// The command that a process of this tool carries out.
fn command(process: i32) -> String {
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    words.split('\0').skip(1).find(|word| RECORDERS.contains(word)).unwrap_or(UNKNOWN).to_string()
}
