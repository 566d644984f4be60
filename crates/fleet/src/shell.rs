// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shell on a device, and the words that it is given. Every script is POSIX shell, because a small device has nothing else.
use crate::parcel;
use crate::plan::{Device, Reach};

/// How long a connection may take to come about, in seconds; a device that is off costs no more.
const CONNECT_SECONDS: u32 = 10;
/// How often a connection is asked whether it lives, in seconds, and how many answers may fail before the device counts as gone.
const ALIVE: [u32; 2] = [15, 4];
/// The script's own code where another run holds the device.
pub const BUSY: i32 = 75;
/// Where the tool is kept on a device, unless the fleet says where: in a folder of its own, since the lab keeps its caches and their lock above it.
const FOLDER: &str = "\"${HOME:-/tmp}/.cache/backwall/fleet\"";

/// The program that gives a shell on the device, and its words; the last one is the script.
pub fn command(device: &Device, script: &str) -> Vec<String> {
    let mut words: Vec<String> = match &device.reach {
        Reach::Local => vec!["sh".into(), "-c".into()],
        Reach::Container { engine, container } => {
            [engine, "exec", "-i", container, "sh", "-c"].map(str::to_string).to_vec()
        }
        Reach::Ssh { address, port, options } => ssh(address, *port, options),
    };
    words.push(script.to_string());
    words
}

/// Nobody sits there to be asked for a password, so a device that wants one refuses at once.
fn ssh(address: &str, port: Option<u16>, options: &[String]) -> Vec<String> {
    let [every, times] = ALIVE;
    let fixed = [
        "ssh".to_string(),
        "-T".to_string(),
        "-oBatchMode=yes".to_string(),
        // A connection shared with others outlives the call, and holds its pipes open.
        "-oControlMaster=no".to_string(),
        "-oControlPath=none".to_string(),
        format!("-oConnectTimeout={CONNECT_SECONDS}"),
        format!("-oServerAliveInterval={every}"),
        format!("-oServerAliveCountMax={times}"),
    ];
    let port = port.map(|port| format!("-p{port}"));
    fixed.into_iter().chain(port).chain(options.iter().cloned()).chain([address.to_string()]).collect()
}

/// Whether the tool is there and runs; it says so by its version.
pub fn ask(folder: Option<&str>, tool: &str) -> String {
    format!("t={}/{tool}; [ -x \"$t\" ] && \"$t\" --version", self::folder(folder))
}

/// Takes the tool from standard input; it has its name when it is whole.
pub fn push(folder: Option<&str>, tool: &str) -> String {
    let folder = self::folder(folder);
    format!(
        "set -e; d={folder}; mkdir -p \"$d\"; p=\"$d/part.$$\"; trap 'rm -f \"$p\"' EXIT; \
         cat >\"$p\"; chmod 755 \"$p\"; mv -f \"$p\" \"$d\"/{tool}; uname -m"
    )
}

/// Locks the device, measures, and sends the run. The lock is of the open file, so it ends with the last process that has it, however that
/// ends; what a killed run has left is taken away by the next. `tool` is a file in the folder, or a path.
pub fn measure(folder: Option<&str>, tool: &str, words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let (folder, words, names) = (self::folder(folder), words.join(" "), parcel::NAMES.join(" "));
    let tool = if tool.contains('/') { quoted(tool) } else { format!("\"$d\"/{tool}") };
    let (first, file, end) = (parcel::FIRST, parcel::FILE, parcel::END);
    format!(
        "d={folder}; mkdir -p \"$d\" || exit 71\n\
         command -v flock >/dev/null || {{ echo 'flock is not there: install util-linux, or a BusyBox that has it' >&2; exit 71; }}\n\
         exec 9>\"$d/lock\" || exit 71\n\
         flock -n 9 || {{ echo 'another run is being made there' >&2; exit {BUSY}; }}\n\
         rm -rf \"$d\"/run.??????\n\
         w=$(mktemp -d \"$d/run.XXXXXX\") || exit 71\n\
         trap 'rm -rf \"$w\"' EXIT\n\
         {tool} {words} --out \"$w/run\" </dev/null >/dev/null\n\
         c=$?\n\
         echo '{first}'\n\
         for f in {names}; do\n\
         [ -f \"$w/run/$f\" ] && echo \"{file} $f $(($(wc -c <\"$w/run/$f\")))\" && cat \"$w/run/$f\"\n\
         done\n\
         echo \"{end} $c\"\n"
    )
}

fn folder(named: Option<&str>) -> String {
    named.map_or(FOLDER.to_string(), quoted)
}

/// A word as a shell takes it, whatever is in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_word_comes_through_a_shell_as_it_is(word in "[^\0]{0,24}") {
            let script = format!("printf %s {}", quoted(&word));
            let said = Command::new("sh").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(String::from_utf8(said.stdout).unwrap(), word);
        }
    }

    /// The lab, which may be what is measured there, holds `~/.cache/backwall/lock` itself.
    #[test]
    fn the_lock_of_a_device_is_none_that_the_tool_takes() {
        assert!(measure(None, "tool", &[]).starts_with("d=\"${HOME:-/tmp}/.cache/backwall/fleet\"; mkdir -p \"$d\""));
    }

    #[test]
    fn ssh_asks_nobody_and_gives_up() {
        let words = ssh("root@a", Some(22), &["-i".into(), "key".into()]);
        assert_eq!(words.last().unwrap(), "root@a");
        assert!(words.contains(&"-oBatchMode=yes".to_string()) && words.contains(&"-p22".to_string()));
    }
}
