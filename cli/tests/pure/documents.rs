// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that documents and comments name exists: paths, links, make targets, and command lines.
use backwall::command::generate;
use backwall::examples;
use backwall::{cli, old_names};
use backwall_judge::require::Rule;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

// A path in prose is one of the repository when it begins with one of its folders …
const FOLDERS: [&str; 8] = ["cli", "docs", "kernel", "lab", "pico", "probe", "tools", "wire"];
const SOURCES: [&str; 8] = ["rs", "c", "h", "S", "awk", "sh", "ld", "mk"];
const PLACEHOLDER: &str = "NAME";
// Files of other projects that comments cite as their source.
const FOREIGN: [&str; 2] = ["pm_qos.h", "init/version-timestamp.c"]; // Linux

pub(crate) struct Tree {
    root: PathBuf,
    pub(crate) paths: Vec<String>,
}

#[derive(Debug, Default)]
struct Seen {
    paths: usize,
    links: usize,
    targets: usize,
    commands: usize,
}

impl Tree {
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf();
        let mut tree = Self { root: root.clone(), paths: Vec::new() };
        tree.add(&root);
        tree
    }

    fn add(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') || name == "target" || name == "backwall-runs" {
                continue;
            }
            self.paths.push(entry.path().strip_prefix(&self.root).unwrap().to_str().unwrap().to_string());
            if entry.file_type().unwrap().is_dir() {
                self.add(&entry.path());
            }
        }
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    // Whether a path from the top, or its end, is `named`; `*` matches within one name.
    fn has(&self, named: &str) -> bool {
        let named = named.replace(PLACEHOLDER, "*").replace("**", "*");
        let named: Vec<&str> = named.trim_end_matches('/').split('/').filter(|part| *part != ".").collect();
        self.paths.iter().any(|path| {
            let parts: Vec<&str> = path.split('/').collect();
            let end = parts.len().checked_sub(named.len()).map(|start| &parts[start..]);
            end.is_some_and(|end| end.iter().zip(&named).all(|(part, name)| fits(part, name)))
        })
    }

    fn has_target(&self, folder: &str, target: &str) -> bool {
        let makefile = std::fs::read_to_string(self.root.join(folder).join("Makefile")).unwrap_or_default();
        let rules = makefile.lines().filter(|row| !row.starts_with(['\t', '#', '.']));
        let mut names = rules.filter_map(|row| row.split_once(':')).flat_map(|(names, _)| names.split_whitespace());
        names.any(|name| name == target)
    }

    // Faults in `text`, a document if `markdown`, otherwise the comments of `path`.
    fn faults(&self, path: &str, text: &str, seen: &mut Seen) -> Vec<String> {
        let mut faults: Vec<String> = Vec::new();
        for named in mentions(text) {
            seen.paths += 1;
            // The changelog names pages by the path they had in their version.
            let is_past = path == "CHANGELOG.md" && named.starts_with("docs/");
            if !self.has(named) && !is_past && !FOREIGN.contains(&named) {
                faults.push(format!("{path}: {named} does not exist"));
            }
        }
        if path.ends_with(".md") {
            self.links(path, text, seen, &mut faults);
            code(text).for_each(|line| self.commands(path, line, seen, &mut faults));
        }
        faults
    }

    fn links(&self, path: &str, text: &str, seen: &mut Seen, faults: &mut Vec<String>) {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            seen.links += 1;
            let (file, section) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.into() } else { Path::new(path).parent().unwrap().join(file) };
            let linked = std::fs::read(self.root.join(file));
            let reached =
                |linked: &Vec<u8>| section.is_empty() || has_section(&String::from_utf8_lossy(linked), section);
            if !linked.as_ref().is_ok_and(reached) {
                faults.push(format!("{path}: the link to {target} leads nowhere"));
            }
        }
    }

    fn commands(&self, path: &str, line: &str, seen: &mut Seen, faults: &mut Vec<String>) {
        let line = [" #", "   ", " ||"].iter().fold(line, |line, end| line.split(end).next().unwrap());
        let words = words(line.trim_start_matches("sudo "));
        match words.first().map(String::as_str) {
            Some("make") => {
                seen.targets += 1;
                let folder = words.iter().position(|word| word == "-C").map_or("", |place| &words[place + 1]);
                let given = words[1..].iter().filter(|word| !word.starts_with('-') && !word.contains('='));
                for target in given.filter(|word| *word != folder && !self.has_target(folder, word)) {
                    faults.push(format!("{path}: make has no target {target} in {folder:?}"));
                }
            }
            Some("backwall" | "target/release/backwall") => {
                seen.commands += 1;
                // The changelog names commands as they were called in their version.
                let is_past = path == "CHANGELOG.md" && old_names::refusal(&called(&words)[1..]).is_some();
                faults.extend(refusal(&words).filter(|_| !is_past).map(|why| format!("{path}: {line}: {why}")));
            }
            _ => {}
        }
    }
}

fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => name == pattern,
    }
}

fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_.*/-:".contains(letter)));
    pieces.map(|piece| piece.trim_matches(['.', ':', '-'])).filter(|piece| {
        let begins = piece.split_once('/').is_some_and(|(first, rest)| FOLDERS.contains(&first) && !rest.is_empty());
        let stem = piece.rsplit_once('.').filter(|(_, ending)| SOURCES.contains(ending)).map(|(stem, _)| stem);
        let source = stem.is_some_and(|stem| stem.len() > 1 && !stem.ends_with(['/', '*']));
        let ours = !piece.starts_with('/') && !piece.contains("//") && !piece.contains(':');
        ours && (begins || source)
    })
}

fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").enumerate().flat_map(|(part, text)| {
        let pieces: Vec<&str> = match part % 2 {
            0 => text.split('`').skip(1).step_by(2).collect(),
            _ => text.lines().filter(|line| !line.starts_with("      ")).collect(), // what goes on from the line above
        };
        pieces.into_iter().map(str::trim)
    })
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (part, text) in line.split('\'').enumerate() {
        match part % 2 {
            0 => words.extend(text.split_whitespace().map(String::from)),
            _ => words.push(text.to_string()),
        }
    }
    words
}

fn meant(word: &str) -> &str {
    if word == "TID" { "4711" } else { word }
}

fn called(words: &[String]) -> Vec<OsString> {
    words.iter().filter(|word| *word != "…").map(|word| OsString::from(meant(word))).collect()
}

// Why the tool would not take these words. A command's bare name is a name, not a call.
fn refusal(words: &[String]) -> Option<String> {
    let called = called(words).into_iter();
    let bare = words.iter().all(|word| !word.starts_with('-'));
    let understood = match words.get(1).map(String::as_str) {
        Some("lab") => backwall_lab_cli::cli::understand(called.skip(1).collect()).map(drop),
        _ => cli::understand(called.collect()).map(drop),
    };
    match understood {
        Ok(()) => {
            let rules = words.windows(2).filter(|pair| pair[0] == "--require").map(|pair| &pair[1]);
            rules.filter_map(|rule| rule.parse::<Rule>().err()).next().map(|error| error.to_string())
        }
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
            ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand if bare => None,
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if bare => None,
            _ => Some(error.to_string().lines().next().unwrap_or_default().to_string()),
        },
    }
}

fn has_section(text: &str, section: &str) -> bool {
    let headings = text.lines().filter(|row| row.starts_with('#')).map(|row| row.trim_start_matches('#').trim());
    let slug = |heading: &str| {
        heading.to_lowercase().replace(' ', "-").replace(|c: char| !c.is_alphanumeric() && c != '-', "")
    };
    headings.map(slug).any(|slug| slug == section)
}

// Text after the comment sign, line by line; nothing for a file without comments.
fn comments(path: &str, text: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap();
    let sign = match name.rsplit_once('.').map_or(name, |(_, ending)| ending) {
        "rs" | "c" | "h" | "S" => "//",
        "sh" | "awk" | "toml" | "mk" | "allow" | "Makefile" => "#",
        _ => return None,
    };
    let comment = |row: &str| {
        let place = row.match_indices(sign).map(|(place, _)| place);
        let mut starts = place.filter(|place| row[..*place].ends_with([' ', '\t', '/', '!']) || *place == 0);
        starts.next().map(|place| row[place + sign.len()..].trim_start_matches(['/', '!']).to_string())
    };
    Some(text.lines().filter_map(comment).collect::<Vec<_>>().join("\n"))
}

#[test]
fn everything_that_a_document_or_a_comment_names_is_there() {
    let tree = Tree::read();
    let mut seen = Seen::default();
    let mut faults = Vec::new();
    for path in &tree.paths {
        if path.ends_with(".md") {
            faults.extend(tree.faults(path, &tree.text(path), &mut seen));
        } else if tree.root.join(path).is_file() && comments(path, "").is_some() {
            let comments = comments(path, &tree.text(path)).unwrap();
            faults.extend(tree.faults(path, &comments, &mut seen));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    println!("documents: {seen:?}");
    let enough = seen.paths > 150 && seen.links > 8 && seen.targets > 8 && seen.commands > 20;
    assert!(enough, "too little was found to look at: {seen:?}");
}

#[test]
fn the_page_that_the_readme_shows_lies_where_a_run_puts_it() {
    let readme = Tree::read().text("README.md");
    let shown = readme.lines().find_map(|line| line.strip_prefix("page  backwall-runs/")).unwrap();
    let (folder, file) = shown.split_once('/').unwrap();
    assert_eq!(file, backwall_report::page::FILE);
    let started = folder.strip_suffix("-run").unwrap();
    assert!(jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", started).is_ok(), "{started}");
    assert!(examples::REPORT.contains(&format!("backwall report backwall-runs/{folder}\n")));
}

#[test]
fn the_summary_lists_every_page() {
    let tree = Tree::read();
    let summary = tree.text("docs/SUMMARY.md");
    let pages = tree.paths.iter().filter_map(|path| path.strip_prefix("docs/"));
    let pages = pages.filter(|name| name.ends_with(".md") && *name != "SUMMARY.md");
    let missing: Vec<&str> = pages.filter(|name| !summary.contains(&format!("]({name})"))).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

// `BLESS=1` writes the pages anew.
#[test]
fn the_reference_is_what_the_parser_takes() {
    let tree = Tree::read();
    let folder = tree.root.join("docs/reference/commands");
    for (name, page) in generate::reference::pages(backwall_lab_cli::cli::table()) {
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(&name), &page).unwrap();
        }
        let written = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
        assert!(written == page, "docs/reference/commands/{name} is not what the parser takes: BLESS=1 cargo test");
    }
}

// The text between the quotes after `.FIELD = ` in the description of a load.
fn described<'a>(load: &'a str, field: &str) -> &'a str {
    let begins =
        load.split_once(&format!(".{field} = \"")).unwrap_or_else(|| panic!("a load without {field}: {load}")).1;
    begins.split('"').next().unwrap()
}

// `BLESS=1` writes the table anew, from the end of each load's file.
#[test]
fn the_reference_of_loads_is_what_their_files_say() {
    const HEAD: &str = "| load | does | counts |\n|---|---|---|\n";
    let tree = Tree::read();
    let files = tree.paths.iter().filter(|path| path.starts_with("probe/load/") && path.ends_with(".c"));
    let sources: String = files.map(|path| tree.text(path)).collect();
    let table = tree.text("probe/tables.c");
    let names = table.split_once("LOADS_ALL(entry)").unwrap().1.split_once("// clang-format on").unwrap().0;
    let names = names.split("entry(").skip(1).map(|rest| rest.split(')').next().unwrap());
    let rows: String = names
        .map(|name| {
            let load = sources.split_once(&format!("load load_{name} = {{")).unwrap().1.split("};").next().unwrap();
            format!("| `{name}` | {} | {} |\n", described(load, "summary"), described(load, "unit"))
        })
        .collect();
    let text = tree.text("docs/how-it-works/method.md");
    let (before, behind) = text.split_once(HEAD).unwrap();
    let written = format!("{before}{HEAD}{rows}{}", &behind[behind.find("\n\n").unwrap() + 1..]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(tree.root.join("docs/how-it-works/method.md"), &written).unwrap();
    }
    assert!(text == written, "docs/how-it-works/method.md lists other loads than probe/load: BLESS=1 cargo test");
}

// Beginnings of a run's text lines in order, and its table header.
fn layout(lines: &[&str]) -> (Vec<&'static str>, Vec<String>) {
    const OPENINGS: [&str; 7] = ["maximum ", "phase ", "why ", "fix ", "next ", "warn ", "CPU "];
    let opening = |line: &&str| OPENINGS.into_iter().find(|opening| line.starts_with(opening));
    let head = lines.iter().find(|line| line.starts_with("phase ")).expect("the head of the table");
    (lines.iter().filter_map(opening).collect(), head.split_whitespace().map(String::from).collect())
}

#[test]
fn the_example_of_the_readme_is_laid_out_as_the_tool_does_today() {
    let readme = Tree::read().text("README.md");
    let shown: Vec<&str> = readme.split("```\n").nth(1).expect("the example").lines().collect();
    let brief = backwall_report::brief::brief(&crate::sample::default_run(), "latest", 80);
    let printed: Vec<&str> = brief.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(layout(&shown), layout(&printed));
    assert!(shown.iter().all(|line| line.chars().count() <= 80));
}

#[test]
fn what_does_not_exist_is_found() {
    let tree = Tree::read();
    let text = "`cli/src/gone.rs` and probe/gone/, `gone.c`, [x](docs/gone.md), [y](README.md#gone), `make gone`,\n\
        `make -C probe gone`, `backwall run --gone`, `backwall gone x`, `backwall run --require 'wakeup <'`\n\
        ```\nbackwall lab run --seed x   a scenario\n```\n";
    let faults = tree.faults("README.md", text, &mut Seen::default());
    assert_eq!(faults.len(), 12, "{faults:#?}");
}

#[test]
fn what_exists_passes() {
    let tree = Tree::read();
    let text = "`cli/src/main.rs`, probe/load/NAME.c, kernel/*.h, `core/locks.c`, /usr/include/gone.h, https://x.org/gone.c\n\
        [x](docs/how-to/lab.md), `make test`, `make -C probe test OUT=dir`, `backwall lab`, `backwall scope CAPTURE`, `backwall\n\
        check`, `backwall run --quick --require 'wakeup.p99 < 1ms'`\n```\nbackwall lab run a b      two of them\n```\n";
    let mut seen = Seen::default();
    assert_eq!(tree.faults("README.md", text, &mut seen), [""; 0]);
    assert_eq!((seen.paths, seen.links, seen.targets, seen.commands), (5, 1, 2, 5));
}
