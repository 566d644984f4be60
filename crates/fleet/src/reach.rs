// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures on one device: copies backwall there if it is missing, runs it, and fetches the run.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the clock"
)]
use crate::parcel::{self, MOST_BYTES};
use crate::place::{Place, RunFate};
use crate::plan::{Device, Plan, Reach};
use crate::request::FleetRequest;
use crate::shell::{self, BUSY, GONE};
use backwall_model::Run;
use backwall_model::identity::digest;
use backwall_os::complaint::last_line;
use backwall_os::process::{self, ChildEnd, Leash};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Error, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const SSH_FAILED: i32 = 255;
const HELD: &str = "another run is in progress there";
/// What labgrid prints about a place that its user has already acquired.
const ALREADY_OURS: &str = "You have already acquired place";
const RELEASE_LIMIT: Duration = Duration::from_secs(30);
const MOST_COMPLAINT: usize = 64 << 10;

#[derive(Clone, Debug)]
pub struct Tool {
    path: PathBuf,
    /// Name of the tool's file on the device. Each version of the file has its own name.
    name: String,
}

impl Tool {
    pub fn at(path: &Path) -> std::io::Result<Self> {
        let name = format!("backwall-{}", digest(&fs::read(path)?));
        Ok(Self { path: path.canonicalize()?, name })
    }

    /// Reads the program files that the plan puts on devices, each file once. The key of the result is the file's name in the
    /// plan, `None` for devices that get `this`.
    ///
    /// # Errors
    /// If a file cannot be read, with its path.
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

pub struct Until<'a> {
    pub limit: Duration,
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Unique mark of this call of the tool, to recognise its run on a device.
    pub call: &'a str,
}

#[derive(Debug)]
pub struct Arrived {
    pub run: Run,
    pub kept: RunFate,
    pub code: i32,
}

#[derive(Debug)]
pub struct DeviceResult {
    pub earlier: Vec<Result<Arrived, String>>,
    pub now: Result<Arrived, String>,
}

enum LossReason {
    OnTheWay(String),
    NoRun(String),
}

impl LossReason {
    fn line(self) -> String {
        let (Self::OnTheWay(line) | Self::NoRun(line)) = self;
        line
    }
}

struct Visit<'a> {
    device: &'a Device,
    tool: &'a Tool,
    place: &'a Place,
    until: &'a Until<'a>,
    begun: Instant,
}

/// Fetches and stores the runs that earlier calls left on a device, then measures there and stores the new run.
pub fn measured(device: &Device, tool: &Tool, place: &Place, until: &Until) -> DeviceResult {
    let visit = Visit { device, tool, place, until, begun: Instant::now() };
    let asked = FleetRequest::of(device, until.call);
    let none = |why| DeviceResult { earlier: Vec::new(), now: Err(why) };
    let ours = match visit.acquire() {
        Ok(ours) => ours,
        Err(why) => return none(why),
    };
    let came = visit.settle(&asked).map_or_else(none, |waiting| visit.all(&asked, waiting));
    if ours {
        visit.release();
    }
    came
}

/// Fetches the recent recordings of the device's recording processes, for [`recordings::read`]. The processes continue. backwall
/// changes nothing else there, except that it copies itself there if it is missing.
///
/// # Errors
/// One line if the device sends nothing.
///
/// [`recordings::read`]: crate::recordings::read
pub fn lately(device: &Device, tool: &Tool, place: &Place, until: &Until) -> Result<Vec<u8>, String> {
    let visit = Visit { device, tool, place, until, begun: Instant::now() };
    let ours = visit.acquire()?;
    let sent = visit.lately(&FleetRequest::of(device, until.call));
    if ours {
        visit.release();
    }
    sent
}

impl Visit<'_> {
    fn lately(&self, asked: &FleetRequest) -> Result<Vec<u8>, String> {
        self.settle(asked)?;
        let said = self.call(&shell::lately(self.folder(), &self.named()), Stdio::null())?;
        match said.code {
            0 => Ok(said.out),
            code => Err(said.why(self.device, code)),
        }
    }

    fn all(&self, asked: &FleetRequest, waiting: Vec<String>) -> DeviceResult {
        let mut arrived = Vec::new();
        let mut earlier = Vec::new();
        for name in waiting {
            let came = self.fetched(&name);
            if !matches!(came, Err(LossReason::OnTheWay(_))) {
                arrived.push(name);
            }
            earlier.push(came.map_err(LossReason::line));
        }
        let now = self.made(asked);
        if !matches!(now, Err(LossReason::OnTheWay(_))) {
            arrived.push(asked.waits());
        }
        self.forget(&arrived);
        DeviceResult { earlier, now: now.map_err(LossReason::line) }
    }

    /// Acquires the device's place from labgrid. Returns whether to release it later: a place that the user had already acquired
    /// stays acquired.
    fn acquire(&self) -> Result<bool, String> {
        let Some(words) = shell::labgrid(self.device, "acquire") else { return Ok(false) };
        let said = carried_out(&words, Stdio::null(), self.left(), self.until)?;
        match said.code {
            0 => Ok(true),
            _ if String::from_utf8_lossy(&said.complaint).contains(ALREADY_OURS) => Ok(false),
            code => Err(said.why(self.device, code)),
        }
    }

    /// Releases the place even after a stop request, or when no time is left, because other users wait for the place.
    fn release(&self) {
        let until = Until { stop: &|| false, ..*self.until };
        if let Some(words) = shell::labgrid(self.device, "release") {
            let _ = carried_out(&words, Stdio::null(), RELEASE_LIMIT, &until);
        }
    }

    fn left(&self) -> Duration {
        self.until.limit.saturating_sub(self.begun.elapsed())
    }

    fn folder(&self) -> Option<&str> {
        self.device.folder.as_deref()
    }

    fn named(&self) -> String {
        match self.device.reach {
            // A local device runs this machine's own copy.
            Reach::Local => self.tool.path.display().to_string(),
            _ => self.tool.name.clone(),
        }
    }

    fn call(&self, script: &str, input: Stdio) -> Result<CallResult, String> {
        carried_out(&shell::command(self.device, script), input, self.left(), self.until)
    }

    /// Copies the tool to the device unless it is there and runs. Returns the names of runs that wait there.
    fn settle(&self, asked: &FleetRequest) -> Result<Vec<String>, String> {
        let ask = || self.call(&shell::ask(self.folder(), &self.named(), &asked.plan), Stdio::null());
        let said = ask()?;
        match (said.code, &self.device.reach) {
            (0, _) => return Ok(asked.waiting(&said.out)),
            (SSH_FAILED, _) | (_, Reach::Local) => return Err(said.why(self.device, said.code)),
            _ => {}
        }
        let machine = self.push()?;
        let said = ask()?;
        if said.code != 0 {
            let why = said.why(self.device, said.code);
            return Err(format!(
                "cannot run backwall there: {why}; set tool to a static backwall for that architecture ({machine})"
            ));
        }
        Ok(asked.waiting(&said.out))
    }

    fn push(&self) -> Result<String, String> {
        let file = File::open(&self.tool.path).map_err(|error| format!("{}: {error}", self.tool.path.display()))?;
        let pushed = self.call(&shell::push(self.folder(), &self.tool.name), file.into())?;
        match pushed.code {
            0 => Ok(String::from_utf8_lossy(&pushed.out).trim().to_string()),
            BUSY => Err(HELD.to_string()),
            code => Err(format!("cannot copy backwall there: {}", pushed.why(self.device, code))),
        }
    }

    /// Measures. If another call has removed our copy of the tool meanwhile, copies it again.
    fn made(&self, asked: &FleetRequest) -> Result<Arrived, LossReason> {
        let script = shell::measure(self.folder(), &self.named(), asked, &self.device.words);
        let measure = || self.call(&script, Stdio::null()).map_err(LossReason::OnTheWay);
        let mut said = measure()?;
        if said.code == GONE && !matches!(self.device.reach, Reach::Local) {
            self.push().map_err(LossReason::OnTheWay)?;
            said = measure()?;
        }
        let goes_on = |why: String| match (said.code, &self.device.reach) {
            (SSH_FAILED, Reach::Ssh { .. } | Reach::Labgrid { .. }) => {
                format!("{why}; the device continues, and a later call fetches the run")
            }
            _ => why,
        };
        self.arrived(&said).map_err(|lost| match lost {
            LossReason::OnTheWay(why) => LossReason::OnTheWay(goes_on(why)),
            no_run => no_run,
        })
    }

    fn fetched(&self, name: &str) -> Result<Arrived, LossReason> {
        let said = self.call(&shell::fetch(self.folder(), name), Stdio::null()).map_err(LossReason::OnTheWay)?;
        let told = |lost: LossReason| match lost {
            LossReason::OnTheWay(why) => LossReason::OnTheWay(format!("{why}; the run is still there")),
            LossReason::NoRun(why) => LossReason::NoRun(format!("{why}; the run was removed there")),
        };
        self.arrived(&said).map_err(told)
    }

    fn arrived(&self, said: &CallResult) -> Result<Arrived, LossReason> {
        match said.code {
            0 => {}
            BUSY => return Err(LossReason::OnTheWay(last_line(&said.complaint).unwrap_or_else(|| HELD.to_string()))),
            code => return Err(LossReason::OnTheWay(said.why(self.device, code))),
        }
        let sent = parcel::read(&said.out).map_err(|error| LossReason::OnTheWay(error.to_string()))?;
        let no_run = |why: String| LossReason::NoRun(why);
        let file = sent.files.iter().find(|(name, _)| *name == parcel::NAMES[0]);
        let ended = || format!("backwall on the device ended with {}", sent.code);
        let (_, text) = file.ok_or_else(|| {
            no_run(last_line(&said.complaint).map_or_else(ended, |line| format!("{}: {line}", ended())))
        })?;
        let text = std::str::from_utf8(text).map_err(|error| no_run(format!("run.json: {error}")))?;
        let run = backwall_model::read(text).map_err(|error| no_run(format!("run.json: {error}")))?;
        let others: Vec<(&str, &[u8])> =
            sent.files.iter().filter(|(name, _)| *name != parcel::NAMES[0]).copied().collect();
        let kept = self.place.keep(&self.device.name, &run, text, &others);
        let kept = kept.map_err(|error| LossReason::OnTheWay(format!("cannot store it: {error}")))?;
        Ok(Arrived { run, kept, code: sent.code })
    }

    /// Removes stored runs from the device. If that fails, a later call fetches them, but does not store them again.
    fn forget(&self, names: &[String]) {
        if !names.is_empty() {
            let _ = self.call(&shell::forget(self.folder(), names), Stdio::null());
        }
    }
}

struct CallResult {
    code: i32,
    out: Vec<u8>,
    complaint: Vec<u8>,
}

impl CallResult {
    fn why(&self, device: &Device, code: i32) -> String {
        let line = last_line(&self.complaint).unwrap_or_else(|| {
            format!(
                "ended with {code} and without an error \
            message"
            )
        });
        let unreached = code == SSH_FAILED && matches!(device.reach, Reach::Ssh { .. } | Reach::Labgrid { .. });
        if unreached { format!("not reached: {line}") } else { line }
    }
}

fn carried_out(words: &[String], input: Stdio, limit: Duration, until: &Until) -> Result<CallResult, String> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: Error| format!("{}: {error}", words[0]);
    let mut leash = Leash::start(&mut command).map_err(failed)?;
    let (Some(out), Some(complaint)) = (leash.stdout(), leash.stderr()) else { return Err("no pipe".to_string()) };
    let flooded = AtomicBool::new(false);
    thread::scope(|scope| {
        // An early return drops `leash`, which ends the process. The pipe then closes, so the thread that reads it ends too.
        let started = thread::Builder::new().spawn_scoped(scope, || all_of(out, &flooded));
        let out = started.map_err(failed)?;
        let complaint = thread::Builder::new().spawn_scoped(scope, || end_of(complaint)).map_err(failed)?;
        let stop = || (until.stop)() || flooded.load(Ordering::Relaxed);
        let ended = process::finish(&mut leash, limit, &stop).map_err(failed);
        // If the process has not ended, its pipes are still open.
        drop(leash);
        let (out, complaint) = (out.join().unwrap_or_default(), complaint.join().unwrap_or_default());
        match ended? {
            ChildEnd::Itself(status) => Ok(CallResult { code: status.code().unwrap_or(-1), out, complaint }),
            ChildEnd::Limit => Err(format!("took longer than {} s", until.limit.as_secs())),
            ChildEnd::Stopped if flooded.load(Ordering::Relaxed) => {
                Err(format!("sent more than {MOST_BYTES} bytes, the limit of a run"))
            }
            ChildEnd::Stopped => Err("interrupted".to_string()),
        }
    })
}

fn all_of(pipe: impl Read, flooded: &AtomicBool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    flooded.store(bytes.len() as u64 > MOST_BYTES, Ordering::Relaxed);
    bytes
}

/// Reads a pipe to its end, so that the writer never blocks, but keeps only the last bytes.
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
