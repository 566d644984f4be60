// SPDX-License-Identifier: MIT OR Apache-2.0
//! The watched application: by recipe, by process number or name, or as a command started here.
use crate::exit::{unable, usage};
use crate::follow::recipes::recipes;
use backwall_os::process::Leash;
use backwall_os::program;
use backwall_report::watch as words;
use backwall_runner::attached::attachee::Attachee;
use backwall_watch::{GENERIC, Minute, OwnCount, Process, Recipe, called, found, meant, process_of, processes, roots};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const BEGINS: Duration = Duration::from_secs(6);
const NAMELESS: &str = "expected a recipe, a process (number or name), or -- and a command";
pub struct Target {
    recipe: Recipe,
    which: Which,
    has_advised: Cell<bool>,
}

enum Which {
    Fitting,
    Called(String),
    Number(i32),
    /// The processes of a command that backwall started. If either backwall or the command ends, the other one ends too.
    Started(RefCell<Started>),
}

struct Started {
    leash: Leash,
    /// Standard input of the process that waits to become the command.
    held: Option<ChildStdin>,
    released: Option<Instant>,
}

/// A shell script whose child process waits for a line on its standard input, and then becomes the command. The child already
/// has the command's name, and ends if backwall ends. It is a child of the shell and not of backwall, so that it does not count
/// as one of backwall's threads.
const HOLDS: &str = r#"
exec 3<&0 </dev/null
printf %s "${1##*/}" 2>/dev/null >/proc/$$/comm
{ read -r go <&3 && exec 3<&- && exec "$@"; } &
printf sh 2>/dev/null >/proc/$$/comm
exec 3<&-
wait $!
"#;

#[derive(Default)]
pub struct Threads {
    pub attachees: Vec<Attachee>,
    pub ordinary: bool,
}

impl Threads {
    pub fn told(&self) -> Vec<String> {
        self.attachees.iter().map(|attachee| attachee.thread.to_string()).collect()
    }
}

impl Target {
    pub fn of(app: Option<&str>, command: &[OsString]) -> anyhow::Result<Self> {
        let Some(app) = app else { return Self::started(command) };
        if app.trim().is_empty() {
            return Err(usage(NAMELESS));
        }
        if let Some(recipe) = recipes()?.into_iter().find(|recipe| recipe.name == app) {
            return Ok(Self::new(recipe, Which::Fitting));
        }
        match app.parse::<i32>() {
            Ok(number) => Ok(Self::new(any(app, Vec::new()), Which::Number(number))),
            Err(_) if app.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(usage(format!("{app}: no such process; ps -e lists them")))
            }
            Err(_) if app == GENERIC => Err(usage(format!("{GENERIC}: add the number or name of a process"))),
            Err(_) => Ok(Self::new(any(app, Vec::new()), Which::Called(app.to_string()))),
        }
    }

    fn new(recipe: Recipe, which: Which) -> Self {
        Self { recipe, which, has_advised: Cell::new(false) }
    }

    /// The command does not run before [`Target::release`].
    fn started(command: &[OsString]) -> anyhow::Result<Self> {
        let Some((program, words)) = command.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(usage(NAMELESS));
        };
        let name = program.to_string_lossy().into_owned();
        let folders = std::env::var_os("PATH").unwrap_or_default();
        program::find(program, &folders).map_err(|why| usage(format!("{name}: {why}; a command comes after --")))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", HOLDS, "sh"]).arg(program).args(words).stdin(Stdio::piped());
        let mut leash = Leash::start(&mut shell).map_err(|error| unable(format!("cannot start {name}: {error}")))?;
        let held = leash.stdin();
        Ok(Self::new(any(&name, Vec::new()), Which::Started(RefCell::new(Started { leash, held, released: None }))))
    }

    pub fn is_held(&self) -> bool {
        matches!(&self.which, Which::Started(started) if started.borrow().held.is_some())
    }

    /// Whether the command is held or has just begun, and is still making its threads.
    pub fn has_just_begun(&self) -> bool {
        let Which::Started(started) = &self.which else { return false };
        started.borrow().released.is_none_or(|since| since.elapsed() < BEGINS)
    }

    /// Lets a held command begin. [`Target::ended`] notices if it has ended already.
    pub fn release(&self) {
        let Which::Started(started) = &self.which else { return };
        let mut started = started.borrow_mut();
        if let Some(mut held) = started.held.take() {
            started.released = Some(Instant::now());
            let _ = held.write_all(b"\n");
        }
    }

    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub fn advice(&self, minute: &Minute, deadline_ns: Option<u64>) -> Vec<String> {
        let advice =
            if self.has_advised.get() { Vec::new() } else { words::own_advice(&self.recipe, minute, deadline_ns) };
        self.has_advised.set(self.has_advised.get() || !advice.is_empty());
        advice
    }

    pub fn find(&self) -> anyhow::Result<Threads> {
        let proc = Path::new("/proc");
        let all = match &self.which {
            Which::Fitting => meant(&self.recipe, proc),
            Which::Called(name) => the_one(name, called(name, proc))?,
            Which::Number(number) => process_of(proc, *number).into_iter().collect(),
            Which::Started(started) => {
                let mut all = processes(proc);
                let ours = below(started.borrow().leash.id() as i32, &all);
                all.retain(|process| ours.contains(&process.id));
                all
            }
        };
        let found = found(&self.recipe, &all);
        let (is_held, mut attachees) = (self.is_held(), Vec::new());
        for thread in &found.threads {
            match Attachee::find(thread.id as u32) {
                Ok(attachee) => attachees.push(if is_held { attachee.held() } else { attachee }),
                // The thread has ended and may be a zombie. Any other error would come again at the next check.
                Err(error) if !thread.lives_still() => drop(error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Threads { attachees, ordinary: found.ordinary })
    }

    /// Exit status of the started command once it has ended, even if processes that it started still run.
    pub fn ended(&self) -> anyhow::Result<Option<ExitStatus>> {
        let Which::Started(started) = &self.which else { return Ok(None) };
        Ok(started.borrow_mut().leash.wait(Duration::ZERO, &|| true)?)
    }

    pub fn may_start(&self) -> bool {
        !matches!(self.which, Which::Number(_))
    }

    pub fn may_start_again(&self) -> bool {
        matches!(self.which, Which::Fitting | Which::Called(_))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.recipe.name)
    }
}

/// If several processes have the name, backwall chooses none: the user could read the figures of the wrong one.
fn the_one(name: &str, all: Vec<Process>) -> anyhow::Result<Vec<Process>> {
    const LISTED: usize = 8;
    let several = roots(&all);
    if several.len() < 2 {
        return Ok(all);
    }
    let one = |process: &&Process| {
        let words = process.words.join(" ").replace(char::is_control, "?");
        format!("\n  {:>7}  {}", process.id, words.chars().take(60).collect::<String>())
    };
    let listed: String = several.iter().take(LISTED).map(one).collect();
    let more = several.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    Err(usage(format!("{name}: {} processes have this name; choose one by number:{listed}{more}", several.len())))
}

fn below(root: i32, all: &[Process]) -> BTreeSet<i32> {
    let mut found = BTreeSet::from([root]);
    loop {
        let is_new = |process: &&Process| {
            !found.contains(&process.id) && process.threads.iter().any(|thread| found.contains(&thread.parent))
        };
        let more: Vec<i32> = all.iter().filter(is_new).map(|process| process.id).collect();
        if more.is_empty() {
            found.remove(&root);
            return found;
        }
        found.extend(more);
    }
}

fn any(name: &str, process: Vec<String>) -> Recipe {
    Recipe {
        name: name.to_string(),
        about: "any program with real-time threads".to_string(),
        process,
        command: Vec::new(),
        thread: Vec::new(),
        called: "thread".to_string(),
        late: "late response".to_string(),
        priority: None,
        advice: Vec::new(),
        own: OwnCount::default(),
        chains: Vec::new(),
    }
}
