// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out what is measured on one device: the tool is put there where it is not, runs there, and its run comes back.
use crate::key::digest;
use crate::parcel::{self, MOST_BYTES};
use crate::place::{Kept, Place};
use crate::plan::{Device, Plan, Reach};
use crate::shell::{self, BUSY};
use run::Run;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Error, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use system::complaint::last_line;
use system::process::{self, Ended, Leash};

/// The code with which `ssh` itself fails.
const SSH_FAILED: i32 = 255;
/// Most bytes that are kept of what a device complains of.
const MOST_COMPLAINT: usize = 64 << 10;

/// The file of the tool that is put on devices.
#[derive(Clone, Debug)]
pub struct Tool {
    path: PathBuf,
    /// What it is called there: no other file has this name.
    name: String,
}

impl Tool {
    /// A file that is there.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn at(path: &Path) -> std::io::Result<Self> {
        let name = format!("backwall-{}", digest(&fs::read(path)?));
        Ok(Self { path: path.canonicalize()?, name })
    }

    /// The files that are put on the devices of a plan, each read once, by how the plan names them; without a name it is `this`.
    ///
    /// # Errors
    /// Where one cannot be read, with its path.
    pub fn all(plan: &Plan, this: &Path) -> Result<BTreeMap<Option<PathBuf>, Self>, (PathBuf, Error)> {
        let mut tools = BTreeMap::new();
        for device in &plan.devices {
            if !tools.contains_key(&device.tool) {
                let path = device.tool.as_deref().unwrap_or(this);
                tools.insert(device.tool.clone(), Self::at(path).map_err(|error| (path.to_path_buf(), error))?);
            }
        }
        Ok(tools)
    }
}

/// How far a device may go.
pub struct Until<'a> {
    /// How long all of it may take.
    pub limit: Duration,
    /// Whether the user has asked to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What a device sent.
#[derive(Debug)]
pub struct Sent {
    /// The bytes of a parcel, unless it was cut off.
    pub out: Vec<u8>,
    /// What the tool complained of last, there.
    pub complaint: Option<String>,
}

/// Measures on a device and keeps its run; the run, where it is kept, and the code with which the tool ended there.
///
/// # Errors
/// One line that says why there is no run.
pub fn measured(device: &Device, tool: &Tool, place: &Place, until: &Until) -> Result<(Run, Kept, i32), String> {
    let came = measure(device, tool, until)?;
    let sent = parcel::read(&came.out).map_err(|error| error.to_string())?;
    let said = |what: &str| match &came.complaint {
        Some(line) => format!("{what}: {line}"),
        None => what.to_string(),
    };
    let file = sent.files.iter().find(|(name, _)| *name == parcel::NAMES[0]);
    let (_, text) = file.ok_or_else(|| said(&format!("the tool ended with {} there", sent.code)))?;
    let text = std::str::from_utf8(text).map_err(|error| format!("its run.json: {error}"))?;
    let run = run::read(text).map_err(|error| format!("its run.json: {error}"))?;
    let others: Vec<(&str, &[u8])> = sent.files.iter().filter(|(name, _)| *name != parcel::NAMES[0]).copied().collect();
    let kept = place.keep(&device.name, &run, text, &others).map_err(|error| format!("it cannot be kept: {error}"))?;
    Ok((run, kept, sent.code))
}

/// What a device sends that was measured on.
///
/// # Errors
/// One line that says what the device refused, or that it is not there.
pub fn measure(device: &Device, tool: &Tool, until: &Until) -> Result<Sent, String> {
    let begun = Instant::now();
    let left = || until.limit.saturating_sub(begun.elapsed());
    let folder = device.folder.as_deref();
    let named = match device.reach {
        // It is there already.
        Reach::Local => tool.path.display().to_string(),
        _ => {
            settle(device, tool, until, &left)?;
            tool.name.clone()
        }
    };
    let script = shell::measure(folder, &named, &device.words);
    let said = call(device, &script, Stdio::null(), left(), until)?;
    match said.code {
        0 => Ok(Sent { complaint: last_line(&said.complaint), out: said.out }),
        BUSY => Err("another run is being made there".to_string()),
        code => Err(said.why(device, code)),
    }
}

/// Puts the tool there, unless it is there and runs.
fn settle(device: &Device, tool: &Tool, until: &Until, left: &dyn Fn() -> Duration) -> Result<(), String> {
    let folder = device.folder.as_deref();
    let ask = || call(device, &shell::ask(folder, &tool.name), Stdio::null(), left(), until);
    let asked = ask()?;
    match asked.code {
        0 => return Ok(()),
        SSH_FAILED => return Err(asked.why(device, SSH_FAILED)),
        _ => {}
    }
    let file = File::open(&tool.path).map_err(|error| format!("{}: {error}", tool.path.display()))?;
    let pushed = call(device, &shell::push(folder, &tool.name), file.into(), left(), until)?;
    if pushed.code != 0 {
        return Err(format!("the tool cannot be put there: {}", pushed.why(device, pushed.code)));
    }
    let asked = ask()?;
    if asked.code != 0 {
        let machine = String::from_utf8_lossy(&pushed.out).trim().to_string();
        let why = asked.why(device, asked.code);
        return Err(format!(
            "the tool does not run there: {why}; name the static file of that architecture ({machine}) as tool"
        ));
    }
    Ok(())
}

/// What a call came to.
struct Said {
    code: i32,
    out: Vec<u8>,
    complaint: Vec<u8>,
}

impl Said {
    fn why(&self, device: &Device, code: i32) -> String {
        let line = last_line(&self.complaint).unwrap_or_else(|| format!("it ended with {code} and said nothing"));
        let unreached = code == SSH_FAILED && matches!(device.reach, Reach::Ssh { .. });
        if unreached { format!("not reached: {line}") } else { line }
    }
}

/// Lets the device's shell carry a script out.
fn call(device: &Device, script: &str, input: Stdio, limit: Duration, until: &Until) -> Result<Said, String> {
    let words = shell::command(device, script);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: Error| format!("{}: {error}", words[0]);
    let mut leash = Leash::start(&mut command).map_err(failed)?;
    let (Some(out), Some(complaint)) = (leash.stdout(), leash.stderr()) else { return Err("no pipe".to_string()) };
    let flooded = AtomicBool::new(false);
    thread::scope(|scope| {
        // Dropped by an early return, the leash ends who would write, so whoever reads comes to an end too.
        let started = thread::Builder::new().spawn_scoped(scope, || all_of(out, &flooded));
        let out = started.map_err(failed)?;
        let complaint = thread::Builder::new().spawn_scoped(scope, || end_of(complaint)).map_err(failed)?;
        let stop = || (until.stop)() || flooded.load(Ordering::Relaxed);
        let ended = process::finish(&mut leash, limit, &stop).map_err(failed);
        // Where it has not ended itself its pipes are open still.
        drop(leash);
        let (out, complaint) = (out.join().unwrap_or_default(), complaint.join().unwrap_or_default());
        match ended? {
            Ended::Itself(status) => Ok(Said { code: status.code().unwrap_or(-1), out, complaint }),
            Ended::Limit => Err(format!("it took longer than {} s", until.limit.as_secs())),
            Ended::Stopped if flooded.load(Ordering::Relaxed) => {
                Err(format!("it sent more than the {MOST_BYTES} bytes that a run may have"))
            }
            Ended::Stopped => Err("interrupted".to_string()),
        }
    })
}

/// All that comes, or a flag that it is too much.
fn all_of(pipe: impl Read, flooded: &AtomicBool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    flooded.store(bytes.len() as u64 > MOST_BYTES, Ordering::Relaxed);
    bytes
}

/// What comes last is kept, and all is taken: who complains must not wait for us.
fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let (mut kept, mut part) = (Vec::new(), [0; 4_096]);
    while let Ok(length @ 1..) = pipe.read(&mut part) {
        kept.extend_from_slice(&part[..length]);
        if kept.len() > 2 * MOST_COMPLAINT {
            kept.drain(..kept.len() - MOST_COMPLAINT);
        }
    }
    kept
}
