// SPDX-License-Identifier: MIT OR Apache-2.0
//! All recipes: the user's own, those of this machine, and the shipped ones. If two have the same name, the first in this order
//! counts.
use crate::exit::usage;
use backwall_os::regular_file;
use backwall_watch::{AskedFor, Recipe, shipped};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const MOST_BYTES: u64 = 64 << 10;
// Folder for the recipes of a whole machine, because a service has no user and no home.
const OF_MACHINE: &str = "/etc/backwall/recipes";
/// Mode bits: write permission for group and others, and the sticky bit, with which only the owner can replace a file in a
/// folder.
const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;
const OF_USER: &str = "backwall/recipes";

/// All recipes, sorted by name.
///
/// # Errors
/// The first mistake, with its file and line.
pub fn recipes() -> anyhow::Result<Vec<Recipe>> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    recipes_in(&folders(variable, rustix::process::geteuid().is_root(), &users))
}

fn recipes_in(folders: &[PathBuf]) -> anyhow::Result<Vec<Recipe>> {
    let mut all: Vec<Recipe> = Vec::new();
    for folder in folders {
        add(&mut all, own_recipes(folder)?);
    }
    add(&mut all, shipped());
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

fn add(all: &mut Vec<Recipe>, more: Vec<Recipe>) {
    for recipe in more {
        if all.iter().all(|known| known.name != recipe.name) {
            all.push(recipe);
        }
    }
}

fn own_recipes(folder: &Path) -> anyhow::Result<Vec<Recipe>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files.iter().map(|file| own_recipe(file)).collect()
}

fn own_recipe(file: &Path) -> anyhow::Result<Recipe> {
    let wrong = |why: String| usage(format!("{}: {why}", file.display()));
    let text = regular_file::text(file, MOST_BYTES).map_err(|error| wrong(error.to_string()))?;
    let mut recipe = Recipe::parse(&text).map_err(|error| wrong(error.to_string()))?;
    // Check the rights after reading the text: a later change of the file does not change this recipe, and before this check
    // nobody had more rights than it finds.
    recipe.own.asked_for = asked_for(file);
    Ok(recipe)
}

/// Who can write a file: its owner, if every folder on the way belongs to root or the owner and nobody else may write there. In
/// a folder with the sticky bit, such as /tmp, nobody can replace another user's file.
fn asked_for(file: &Path) -> AskedFor {
    let Ok(file) = file.canonicalize() else { return AskedFor::Nobody };
    let Ok(owner) = file.metadata().map(|what| what.uid()) else { return AskedFor::Nobody };
    let is_shared = |place: &Path| {
        place.metadata().map_or(true, |what| {
            let is_sticky = what.is_dir() && what.mode() & STICKY != 0;
            ![0, owner].contains(&what.uid()) || (what.mode() & OTHERS_WRITE != 0 && !is_sticky)
        })
    };
    match (file.ancestors().any(is_shared), owner) {
        (true, _) => AskedFor::Nobody,
        (false, 0) => AskedFor::Everybody,
        (false, owner) => AskedFor::User(owner),
    }
}

/// Folders of recipes, from the environment. Under `sudo` the folder of the user who called it counts too.
fn folders(variable: impl Fn(&str) -> Option<PathBuf>, is_root: bool, users: &str) -> Vec<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let caller = variable("SUDO_UID").filter(|_| is_root).and_then(|caller| home(users, caller.to_str()?));
    let users =
        [config, caller.map(|home| home.join(".config"))].into_iter().flatten().map(|config| config.join(OF_USER));
    let mut all: Vec<PathBuf> = users.chain([PathBuf::from(OF_MACHINE)]).collect();
    all.dedup();
    all
}

/// The home folder of the user with this number, from the rows of `/etc/passwd` (passwd(5)).
fn home(users: &str, number: &str) -> Option<PathBuf> {
    let fields = users.lines().map(|row| row.split(':').collect::<Vec<_>>());
    let row = fields.into_iter().find(|row| row.get(2) == Some(&number))?;
    row.get(5).filter(|home| home.starts_with('/')).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_os::folder::write_file;

    const USERS: &str =
        "root:x:0:0:root:/root:/bin/sh\nno row\nann:x:1000:1000:Ann:/home/ann:/bin/sh\nbob:x:1001:1001::none:/bin/sh\n";

    // Do not write this with a print macro: a passing test would swallow the text.
    #[allow(clippy::disallowed_methods, reason = "a test that did nothing says why")]
    fn skip(why: &str) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{why}\n").as_bytes());
    }

    #[test]
    fn who_called_through_sudo_has_their_recipes_at_home() {
        let of = |pairs: &[(&str, &str)], is_root| {
            let pairs: Vec<(String, PathBuf)> =
                pairs.iter().map(|(name, value)| (name.to_string(), PathBuf::from(value))).collect();
            let variable = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            let all = folders(variable, is_root, USERS);
            all.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>()
        };
        let (root, ann) = ("/root/.config/backwall/recipes", "/home/ann/.config/backwall/recipes");
        assert_eq!(of(&[("HOME", "/root"), ("SUDO_UID", "1000")], true), [root, ann, OF_MACHINE]);
        assert_eq!(of(&[("HOME", "/home/ann"), ("SUDO_UID", "1000")], true), [ann, OF_MACHINE]);
        assert_eq!(of(&[("HOME", "/root"), ("SUDO_UID", "1001")], true), [root, OF_MACHINE], "no home");
        assert_eq!(of(&[("HOME", "/home/bob"), ("SUDO_UID", "1000")], false)[1..], [OF_MACHINE]);
        assert_eq!(of(&[("XDG_CONFIG_HOME", "/c"), ("HOME", "/h")], false), ["/c/backwall/recipes", OF_MACHINE]);
        assert_eq!(of(&[], true), [OF_MACHINE]);
    }

    #[test]
    fn a_counter_is_asked_as_the_user_alone_who_can_write_its_recipe() {
        use std::os::unix::fs::{PermissionsExt, chown};
        if !rustix::process::geteuid().is_root() {
            return skip("skipped: only root can give a file away");
        }
        let top = tempfile::tempdir().unwrap();
        let (folder, file) = (top.path().join("recipes"), top.path().join("recipes/x.toml"));
        std::fs::create_dir(&folder).unwrap();
        write_file(&file, b"name = \"x\"\nabout = \"a\"\ncalled = \"c\"\nlate = \"l\"\nprocess = [\"p\"]\n").unwrap();
        let found = |folder_of: (u32, u32), file_of: (u32, u32)| {
            for (place, (owner, mode)) in [(&folder, folder_of), (&file, file_of)] {
                chown(place, Some(owner), None).unwrap();
                std::fs::set_permissions(place, PermissionsExt::from_mode(mode)).unwrap();
            }
            own_recipe(&file).unwrap().own.asked_for
        };
        assert_eq!(found((0, 0o755), (0, 0o644)), AskedFor::Everybody);
        assert_eq!(found((0, 0o755), (7, 0o644)), AskedFor::User(7));
        assert_eq!(found((7, 0o755), (7, 0o644)), AskedFor::User(7));
        assert_eq!(found((0, 0o1777), (0, 0o644)), AskedFor::Everybody, "as in /tmp");
        for (folder, file) in [
            ((7, 0o755), (0, 0o644)),
            ((0, 0o777), (0, 0o644)),
            ((0, 0o755), (0, 0o664)),
            ((7, 0o755), (8, 0o644)),
            ((7, 0o775), (7, 0o644)),
        ] {
            assert_eq!(found(folder, file), AskedFor::Nobody, "{folder:?} {file:?}");
        }
        assert!([AskedFor::User(7).has(0), AskedFor::Nobody.has(0), AskedFor::User(7).has(8)].iter().all(|may| !may));
    }

    #[test]
    fn of_two_of_one_name_the_first_one_counts() {
        let top = tempfile::tempdir().unwrap();
        let folders = ["user", "machine"].map(|name| top.path().join(name));
        for folder in &folders {
            std::fs::create_dir(folder).unwrap();
            let about = folder.display();
            let text =
                format!("name = \"jack\"\nabout = \"{about}\"\ncalled = \"c\"\nlate = \"l\"\nprocess = [\"p\"]\n");
            write_file(&folder.join("jack.toml"), text.as_bytes()).unwrap();
        }
        let all = recipes_in(&folders).unwrap();
        assert_eq!(all.len(), shipped().len());
        let jack = all.iter().find(|recipe| recipe.name == "jack").unwrap();
        assert_eq!(jack.about, folders[0].display().to_string());
        write_file(&folders[1].join("bad.toml"), b"name = 1\n").unwrap();
        let refused = recipes_in(&folders).unwrap_err().to_string();
        assert!(refused.contains("machine/bad.toml: line 1: "), "{refused}");
    }
}
