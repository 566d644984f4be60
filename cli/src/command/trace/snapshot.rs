// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace snapshot [PROCESS]`: fetches the last minutes that a run or watch has recorded; the recording continues.
use super::record::{show, written};
use super::report::value;
use crate::exit::{Exit, code_of, unable, undecided, usage};
use crate::options::{Destination, Printing, Verbose};
use backwall_fleet::recordings::{self, ProcessOutput};
use backwall_ftrace::recording_file;
use backwall_os::console::{complain, print_json};
use backwall_runner::session::door::{DoorRecording, knock};
use backwall_store::RunFolder;
use jiff::Timestamp;
use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Number of a recording process [default: all of this user]
    #[arg(value_name = "PROCESS", value_parser = clap::value_parser!(i32).range(1..))]
    process: Option<i32>,
    /// Send the recordings on standard output, in the form that `fleet snapshot` reads
    #[arg(long, hide = true)]
    send: bool,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

/// Fetches the recording of each process and stores it with its account. Exits with 3 if a process gave none. One failure does
/// not affect the other processes.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let all = knock(args.process).map_err(|error| unable(format!("/proc/net/unix: {error}")))?;
    if args.send {
        return send(&all);
    }
    match args.process {
        Some(process) if all.is_empty() => {
            return Err(usage(format!(
                "{process}: not a run or watch of this user; without a process number, backwall asks all runs and watches"
            )));
        }
        None if all.is_empty() => {
            complain("backwall: no run or watch of this user is active");
            return Ok(Exit::Undecided);
        }
        _ => {}
    }
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for given in &all {
        match keep(given, all.len() > 1, args) {
            Ok(row) => rows.push(row),
            Err(error) => {
                complain(&format!("backwall: {} {}: {error:#}", given.command, given.process));
                failed.push(code_of(&error));
            }
        }
    }
    if args.printing.json {
        // Without a process on the command line the JSON is a list, even if it has only one element.
        let value = if args.process.is_some() { rows.pop().unwrap_or_default() } else { Value::Array(rows.clone()) };
        print_json(&value)?;
    }
    Ok(match failed.first() {
        None => Exit::Done,
        Some(code) if failed.len() == all.len() => *code,
        Some(_) => Exit::Undecided,
    })
}

/// Stores one recording in its own folder. Prints its account at once, unless the result is JSON.
fn keep(given: &DoorRecording, several: bool, args: &Args) -> anyhow::Result<Value> {
    let bytes = given.came.as_ref().map_err(|why| undecided(why.as_str()))?;
    let own = |out: &PathBuf| if several { out.join(given.process.to_string()) } else { out.clone() };
    let folder = RunFolder::create(args.destination.out.as_ref().map(own).as_deref(), "trace", Timestamp::now())?;
    folder.stream(recording_file::FILE, |out| out.write_all(bytes))?;
    let told = written(&folder)?;
    if !args.printing.json {
        show(&told, &folder, args.printing, args.verbose)?;
    }
    let mut row = value(&told)?;
    if let Some(members) = row.as_object_mut() {
        members.insert("command".to_string(), given.command.clone().into());
        members.insert("process".to_string(), given.process.into());
        members.insert("folder".to_string(), folder.path().display().to_string().into());
    }
    Ok(row)
}

fn send(all: &[DoorRecording]) -> anyhow::Result<Exit> {
    let sent = all.iter().map(|one| ProcessOutput {
        process: one.process.unsigned_abs(),
        command: &one.command,
        came: one.came.as_deref().map_err(String::as_str),
    });
    let written = recordings::write(&mut std::io::stdout().lock(), sent);
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unable(format!("standard output: {error}"))),
        _ => Ok(Exit::Done),
    }
}
