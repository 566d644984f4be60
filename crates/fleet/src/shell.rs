// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shell on a device, and the scripts that run in it. The scripts are POSIX shell, because small devices have nothing else.
#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "its tests read and write files, start programs"
    )
)]
use crate::parcel;
use crate::plan::{Device, Reach};
use crate::request::{FleetRequest, MADE, WAITS};
use backwall_model::shell::quoted;

/// Timeout for opening a connection, in seconds, so that backwall does not wait longer for a device that is off.
const CONNECT_SECONDS: u32 = 10;
/// Interval of SSH keep-alive messages in seconds, and the number of unanswered ones after which the device counts as gone.
const ALIVE: [u32; 2] = [15, 4];
pub const BUSY: i32 = 75;
/// Exit code of the scripts if the run or the tool has disappeared since the last script: another call removed it.
pub const GONE: i32 = 76;
const OURS: &str = "a run of an earlier call is still in progress there; a later call fetches it";
/// What the device prints if another user could have written the tool or its folder.
const FOREIGN: &str = "is a symbolic link or belongs to another user; remove it, or name another folder";
const MOST_COMPLAINT: u32 = 65_536;
/// Default folder of the tool on a device. It is a folder of its own because the lab keeps its caches and their lock in the
/// parent folder.
const FOLDER: &str = "\"${HOME:-/tmp}/.cache/backwall/fleet\"";

/// The command line that opens a shell on the device and runs `script`, which is the last argument.
pub fn command(device: &Device, script: &str) -> Vec<String> {
    let mut words: Vec<String> = match &device.reach {
        Reach::Local => vec!["sh".into(), "-c".into()],
        Reach::Container { engine, container } => {
            [engine, "exec", "-i", container, "sh", "-c"].map(str::to_string).to_vec()
        }
        Reach::Ssh { address, port, options } => ssh(address, *port, options),
        Reach::Labgrid { .. } => labgrid(device, "ssh").unwrap_or_default(),
    };
    words.push(script.to_string());
    words
}

/// The labgrid command `acquire`, `release` or `ssh` for the device's place. `None` for other devices.
pub fn labgrid(device: &Device, what: &str) -> Option<Vec<String>> {
    let Reach::Labgrid { place, coordinator } = &device.reach else { return None };
    let at = coordinator.iter().flat_map(|coordinator| ["-x", coordinator]);
    let words = ["labgrid-client"].into_iter().chain(at).chain(["-p", place, what]);
    Some(words.map(str::to_string).collect())
}

/// BatchMode: nobody can type a password, so a device that asks for one fails at once.
fn ssh(address: &str, port: Option<u16>, options: &[String]) -> Vec<String> {
    let [every, times] = ALIVE;
    let fixed = [
        "ssh".to_string(),
        "-T".to_string(),
        "-oBatchMode=yes".to_string(),
        // A shared connection would outlive this call and hold its pipes open.
        "-oControlMaster=no".to_string(),
        "-oControlPath=none".to_string(),
        format!("-oConnectTimeout={CONNECT_SECONDS}"),
        format!("-oServerAliveInterval={every}"),
        format!("-oServerAliveCountMax={times}"),
    ];
    let port = port.map(|port| format!("-p{port}"));
    fixed.into_iter().chain(port).chain(options.iter().cloned()).chain([address.to_string()]).collect()
}

/// Lists the waiting runs of a plan, one per line. The exit code says whether the tool is there and runs. `tool` is a file in the
/// folder, or a path.
pub fn ask(folder: Option<&str>, tool: &str, plan: &str) -> String {
    let (folder, tool) = (own(folder), placed(tool));
    format!(
        "{folder}for r in \"$d\"/{WAITS}{plan}-*; do [ -d \"$r\" ] && echo \"${{r##*/}}\"; done; \
         t={tool}; [ -x \"$t\" ] && \"$t\" --version >/dev/null"
    )
}

/// Receives the tool on standard input, and renames the file when it is complete. Then removes older copies that no process
/// has open. The script holds the lock meanwhile, so it does not disturb a device in use.
pub fn push(folder: Option<&str>, tool: &str) -> String {
    let locked = locked(folder);
    format!(
        "{locked}\
         rm -f \"$d\"/part.*; p=\"$d/part.$$\"; trap 'rm -f \"$p\"' EXIT\n\
         cat >\"$p\" && chmod 755 \"$p\" && mv -f \"$p\" \"$d\"/{tool} || exit 71\n\
         for f in \"$d\"/backwall-*; do\n\
         [ \"$f\" = \"$d\"/{tool} ] && continue\n\
         for e in /proc/[0-9]*/exe; do [ \"$e\" -ef \"$f\" ] && continue 2; done\n\
         rm -f \"$f\"\n\
         done\n\
         uname -m\n"
    )
}

/// Locks the device, measures, and sends the run. The kernel releases the lock when the last process that holds it ends, even if
/// it is killed. The next call removes what a killed run left. If the connection breaks, the device continues, and the run waits
/// there under its key until a later call fetches it.
pub fn measure(folder: Option<&str>, tool: &str, asked: &FleetRequest, words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let FleetRequest { plan, call } = asked;
    let ours = format!("for r in \"$d\"/{MADE}{plan}-*; do [ -d \"$r\" ] && echo '{OURS}' >&2; done; ");
    let (locked, words, tool, sending) = (locked_or(folder, &ours), words.join(" "), placed(tool), sending());
    format!(
        "{locked}\
         t={tool}; [ -x \"$t\" ] || exit {GONE}\n\
         rm -rf \"$d\"/{MADE}*\n\
         w=\"$d/{MADE}{plan}-{call}\"; r=\"$d/{WAITS}{plan}-{call}\"\n\
         mkdir \"$w\" || exit 71\n\
         trap '' HUP PIPE\n\
         \"$t\" {words} --output \"$w/run\" </dev/null >/dev/null 2>\"$w/complaint\"\n\
         echo $? >\"$w/code\"\n\
         mv \"$w\" \"$r\" || exit 71\n\
         {sending}"
    )
}

/// Sends recent recordings of running processes. The script takes no lock and leaves nothing behind. The processes continue,
/// even a run that holds the device's lock.
pub fn lately(folder: Option<&str>, tool: &str) -> String {
    let (folder, tool) = (own(folder), placed(tool));
    format!("{folder}t={tool}; [ -x \"$t\" ] || exit {GONE}; exec \"$t\" trace snapshot --send --quiet </dev/null")
}

pub fn fetch(folder: Option<&str>, name: &str) -> String {
    format!("{}r=\"$d\"/{}; [ -d \"$r\" ] || exit {GONE}\n{}", locked(folder), quoted(name), sending())
}

pub fn forget(folder: Option<&str>, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"$d\"/{}", quoted(name))).collect();
    format!("{}rm -rf {}", own(folder), names.join(" "))
}

/// Sets `$d` to the folder and locks it.
fn locked(folder: Option<&str>) -> String {
    locked_or(folder, "")
}

fn locked_or(folder: Option<&str>, busy: &str) -> String {
    format!(
        "d={}; mkdir -p \"$d\" || exit 71\n{}\
         command -v flock >/dev/null || {{ echo 'flock is not there: install util-linux, or a BusyBox that has it' >&2; exit 71; }}\n\
         exec 9>\"$d/lock\" || exit 71\n\
         flock -n 9 || {{ {busy}exit {BUSY}; }}\n",
        self::folder(folder),
        own(folder)
    )
}

/// Sets `$d` to the folder if it exists, belongs to our user there and is no link: files in it are executed and removed. From now
/// on no other user can write there.
fn own(folder: Option<&str>) -> String {
    format!(
        "d={}; if [ -e \"$d\" ] || [ -L \"$d\" ]; then set -- $(ls -ldn \"$d\"); \
         case $1 in d*) [ \"$3\" = \"$(id -u)\" ] ;; *) false ;; esac || {{ echo \"$d {FOREIGN}\" >&2; exit 71; }}; \
         chmod go-w \"$d\"; fi\n",
        self::folder(folder)
    )
}

/// Sends the run in folder `$r`. A run without the file `code` means that the device had no space for it.
fn sending() -> String {
    let names = parcel::NAMES.join(" ");
    let (first, file, end) = (parcel::FIRST, parcel::FILE, parcel::END);
    format!(
        "tail -c {MOST_COMPLAINT} \"$r/complaint\" >&2\n\
         c=$(cat \"$r/code\")\n\
         echo '{first}'\n\
         for f in {names}; do\n\
         [ -f \"$r/run/$f\" ] && echo \"{file} $f $(($(wc -c <\"$r/run/$f\")))\" && cat \"$r/run/$f\"\n\
         done\n\
         echo \"{end} ${{c:-4}}\"\n"
    )
}

fn placed(tool: &str) -> String {
    if tool.contains('/') { quoted(tool) } else { format!("\"$d\"/{tool}") }
}

fn folder(named: Option<&str>) -> String {
    named.map_or(FOLDER.to_string(), quoted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    // Do not write this with a print macro: a passing test would swallow the text.
    #[allow(clippy::disallowed_methods, reason = "a test that did nothing says why")]
    fn skip(why: &str) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{why}\n").as_bytes());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_word_comes_through_a_shell_as_it_is(word in "[^\0]{0,24}") {
            let script = format!("printf %s {}", quoted(&word));
            let said = Command::new("sh").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(String::from_utf8(said.stdout).unwrap(), word);
        }
    }

    // The lab itself holds `~/.cache/backwall/lock`, and may be the program that is measured there.
    #[test]
    fn the_lock_of_a_device_is_none_that_the_tool_takes() {
        let asked = FleetRequest { plan: "p".into(), call: "c".into() };
        assert!(
            measure(None, "tool", &asked, &[])
                .starts_with("d=\"${HOME:-/tmp}/.cache/backwall/fleet\"; mkdir -p \"$d\"")
        );
    }

    // Without HOME the folder is in /tmp, where anybody could have created it first and put a tool into it.
    #[test]
    fn a_folder_that_is_a_link_or_another_users_is_not_entered() {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        let top = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| top.path().join(name));
        std::fs::create_dir(&real).unwrap();
        std::fs::write(real.join("tool"), "#!/bin/sh\necho ran\n").unwrap();
        std::fs::set_permissions(real.join("tool"), PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o777)).unwrap();
        symlink("real", &link).unwrap();
        let said = |folder: &std::path::Path, script: fn(Option<&str>, &str) -> String| {
            let script = script(folder.to_str(), "tool");
            let output = Command::new("sh").args(["-c", &script]).stdin(std::process::Stdio::null()).output().unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
            )
        };
        let refused = |folder: &std::path::Path| {
            for script in [
                lately as fn(Option<&str>, &str) -> String,
                |folder, tool| ask(folder, tool, "p"),
                push,
                |folder, _| forget(folder, &["tool".into()]),
            ] {
                let (code, text) = said(folder, script);
                assert!(code == Some(71) && text.contains(FOREIGN) && !text.contains("ran"), "{code:?} {text}");
            }
        };
        refused(&link);
        assert_eq!(said(&real, lately), (Some(0), "ran\n".to_string()));
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o755);
        if chown(&real, Some(65_534), None).is_err() {
            return skip("skipped: only root can give a folder away");
        }
        refused(&real);
        assert!(real.join("tool").exists());
    }

    #[test]
    fn ssh_asks_nobody_and_gives_up() {
        let words = ssh("root@a", Some(22), &["-i".into(), "key".into()]);
        assert_eq!(words.last().unwrap(), "root@a");
        assert!(words.contains(&"-oBatchMode=yes".to_string()) && words.contains(&"-p22".to_string()));
    }
}
