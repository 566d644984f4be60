// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is watched: an application by its recipe, a process by number or name, or a command that is started here.
use exit::{unable, usage};
use report::watch as words;
use session::attachee::Attachee;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use system::process::Leash;
use system::regular_file;
use watch::{GENERIC, Minute, OwnCount, Process, Recipe, found, meant, process_of, processes, shipped};

/// Longer files are no recipes.
const MOST_BYTES: u64 = 64 << 10;

/// What is watched.
pub struct Target {
    recipe: Recipe,
    which: Which,
    /// What the recipe advises was said: once is enough.
    has_advised: Cell<bool>,
}

/// Of which processes.
enum Which {
    /// All that the recipe means.
    Fitting,
    /// The one of that number.
    Number(i32),
    /// Those that a command has started, which ends with us, and we with it.
    Started(RefCell<Leash>),
}

/// What was found of it.
#[derive(Default)]
pub struct Threads {
    /// The threads to follow.
    pub attachees: Vec<Attachee>,
    /// None of them is real-time.
    pub ordinary: bool,
}

impl Threads {
    /// The threads as a user knows them.
    pub fn told(&self) -> Vec<String> {
        self.attachees.iter().map(|attachee| attachee.thread.to_string()).collect()
    }
}

impl Target {
    /// Of the words of the command line.
    pub fn of(app: Option<&str>, command: &[OsString]) -> anyhow::Result<Self> {
        let Some(app) = app else { return Self::started(command) };
        if let Some(recipe) = recipes()?.into_iter().find(|recipe| recipe.name == app) {
            return Ok(Self::new(recipe, Which::Fitting));
        }
        match app.parse::<i32>() {
            Ok(number) => Ok(Self::new(any(app, Vec::new()), Which::Number(number))),
            Err(_) if app == GENERIC => Err(usage(format!("{GENERIC}: name a process, by its number or its name"))),
            Err(_) => Ok(Self::new(any(app, vec![app.to_string()]), Which::Fitting)),
        }
    }

    fn new(recipe: Recipe, which: Which) -> Self {
        Self { recipe, which, has_advised: Cell::new(false) }
    }

    fn started(command: &[OsString]) -> anyhow::Result<Self> {
        let Some((program, words)) = command.split_first() else { return Err(usage("name what is to be watched")) };
        let name = program.to_string_lossy().into_owned();
        // The shell between is the child of this process; what it runs is not, so that it is none of this tool's own threads.
        let mut shell = Command::new("sh");
        shell.args(["-c", "\"$@\" & wait $!", "sh"]).arg(program).args(words).stdin(Stdio::null());
        let leash = Leash::start(&mut shell).map_err(|error| unable(format!("{name}: cannot be started: {error}")))?;
        Ok(Self::new(any(&name, Vec::new()), Which::Started(RefCell::new(leash))))
    }

    /// Its words.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What the recipe advises, the first time that it is wanted.
    pub fn advice(&self, minute: &Minute, deadline_ns: Option<u64>) -> Vec<String> {
        let advice =
            if self.has_advised.get() { Vec::new() } else { words::own_advice(&self.recipe, minute, deadline_ns) };
        self.has_advised.set(self.has_advised.get() || !advice.is_empty());
        advice
    }

    /// The threads that count, as they are now.
    pub fn find(&self) -> anyhow::Result<Threads> {
        let proc = Path::new("/proc");
        let all = match &self.which {
            Which::Fitting => meant(&self.recipe, proc),
            Which::Number(number) => process_of(proc, *number).into_iter().collect(),
            Which::Started(leash) => {
                let mut all = processes(proc);
                let ours = below(leash.borrow().id() as i32, &all);
                all.retain(|process| ours.contains(&process.id));
                all
            }
        };
        let found = found(&self.recipe, &all);
        let mut attachees = Vec::new();
        for thread in &found.threads {
            match Attachee::find(thread.id as u32) {
                Ok(attachee) => attachees.push(attachee),
                // It has ended since, and may still wait for its parent; anything else holds for the next look too.
                Err(error) if !thread.lives_still() => drop(error),
                Err(error) => return Err(error),
            }
        }
        Ok(Threads { attachees, ordinary: found.ordinary })
    }

    /// How the command ended that was started for it, once it has, whatever of it goes on.
    pub fn ended(&self) -> anyhow::Result<Option<ExitStatus>> {
        let Which::Started(leash) = &self.which else { return Ok(None) };
        Ok(leash.borrow_mut().wait(Duration::ZERO, &|| true)?)
    }

    /// Whether it may come when it is not there yet.
    pub fn may_start(&self) -> bool {
        !matches!(self.which, Which::Number(_))
    }

    /// Whether it may come again after its end.
    pub fn may_start_again(&self) -> bool {
        matches!(self.which, Which::Fitting)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.recipe.name)
    }
}

/// The processes below one, however far.
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

/// Of a program without a recipe.
fn any(name: &str, process: Vec<String>) -> Recipe {
    Recipe {
        name: name.to_string(),
        about: "any program: its real-time threads".to_string(),
        process,
        command: Vec::new(),
        thread: Vec::new(),
        called: "thread".to_string(),
        late: "late response".to_string(),
        priority: None,
        advice: Vec::new(),
        own: OwnCount::default(),
    }
}

/// The user's own recipes, which come before those of the tool of the same name.
pub fn recipes() -> anyhow::Result<Vec<Recipe>> {
    let mut all = own_recipes()?;
    for recipe in shipped() {
        if all.iter().all(|own| own.name != recipe.name) {
            all.push(recipe);
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

fn own_recipes() -> anyhow::Result<Vec<Recipe>> {
    let Some(folder) = own_folder() else { return Ok(Vec::new()) };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files.iter().map(|file| own_recipe(file)).collect()
}

fn own_recipe(file: &Path) -> anyhow::Result<Recipe> {
    let wrong = |why: String| usage(format!("{}: {why}", file.display()));
    let text = regular_file::text(file, MOST_BYTES).map_err(|error| wrong(error.to_string()))?;
    Recipe::parse(&text).map_err(|error| wrong(error.to_string()))
}

/// Where a user's own settings are.
fn own_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(config.join("backwall/recipes"))
}
