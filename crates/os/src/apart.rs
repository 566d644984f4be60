// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program as another user: with that user's rights and none of backwall's, in a session without backwall's terminal, and
//! without access to backwall's files. That user may trace every instruction of the program with ptrace(2).
#![expect(clippy::disallowed_types, reason = "starts programs")]
use crate::folder::Folder;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, geteuid, setrlimit, setsid};
use rustix::thread::set_no_new_privs;
use std::io::Result;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Maximum size of the /proc files that are read here.
const MOST_BYTES: u64 = 1 << 20;
/// PATH for a program that runs as another user. The user's own PATH could name folders that others can write.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const LANG: &str = "C.UTF-8";
/// AT_UID, AT_EUID, AT_GID and AT_EGID of getauxval(3).
const WHO: [u64; 4] = [11, 12, 13, 14];
/// keyctl(2): creates a new session keyring.
const JOIN_SESSION_KEYRING: libc::c_long = 1;
/// Resource limits of a program that runs as another user. They do not affect that user's other programs.
const LIMITS: [(Resource, u64); 6] = [
    (Resource::Core, 0),
    (Resource::Cpu, 30),
    (Resource::Fsize, 1 << 20),
    (Resource::Memlock, 1 << 20),
    (Resource::Rtprio, 0),
    (Resource::Nofile, 256),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub user: u32,
    group: u32,
    groups: Vec<u32>,
}

#[derive(Debug, thiserror::Error)]
pub enum NoUser {
    /// The process has two users, as with a set-user-ID program, which anybody may have started.
    #[error("its real, effective and saved user or group differ")]
    Mixed,
    /// The process has one user now, but another user started it, and its environment and name come from that user.
    #[error("it has the set-user-ID or set-group-ID bit")]
    SetUser,
    #[error("{0}")]
    Unread(#[from] std::io::Error),
}

impl User {
    /// The user of a process, from its open folder in /proc, if its real, effective, saved and file system ids are equal.
    ///
    /// # Errors
    /// [`NoUser`].
    pub fn from_process(folder: &Folder) -> std::result::Result<Self, NoUser> {
        let user = Self::from_status(&folder.text("status", MOST_BYTES)?).ok_or(NoUser::Mixed)?;
        // Only root can run a program as another user, so only root must check how the process started.
        match !geteuid().is_root() || was_plain(&folder.read("auxv", MOST_BYTES)?) {
            true => Ok(user),
            false => Err(NoUser::SetUser),
        }
    }

    fn from_status(status: &str) -> Option<Self> {
        let numbers = |name: &str| -> Option<Vec<u32>> {
            let row = status.lines().find_map(|row| row.strip_prefix(name))?;
            row.split_whitespace().map(|word| word.parse().ok()).collect()
        };
        let one = |name: &str| match numbers(name)?[..] {
            [real, effective, saved, files] if [effective, saved, files] == [real; 3] => Some(real),
            _ => None,
        };
        Some(Self { user: one("Uid:")?, group: one("Gid:")?, groups: numbers("Groups:")? })
    }
}

/// Whether a program started with one user and group, according to the kernel's record (getauxval(3)). The current ids do not
/// suffice: all ids of sudo(8) are root's while it waits for the password of the user who started it.
fn was_plain(auxv: &[u8]) -> bool {
    let long = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    let short = |bytes: &[u8]| bytes.try_into().map_or(0, |word| u64::from(u32::from_ne_bytes(word)));
    let plain = |words: Vec<u64>| {
        let of = |name: u64| words.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
        let [Some(user), Some(effective), Some(group), Some(effective_group)] = WHO.map(of) else { return None };
        Some((user, group) == (effective, effective_group))
    };
    // Read the list as 64-bit words first. The list of a 32-bit program makes no sense that way, so read it as 32-bit words.
    let found = plain(auxv.chunks_exact(8).map(long).collect());
    found.or_else(|| plain(auxv.chunks_exact(4).map(short).collect())).unwrap_or(false)
}

/// Removes everything of backwall from a command and, if backwall runs as root, switches to that user. The command must not have
/// its own process group, because it gets its own session.
pub fn set(command: &mut Command, user: &User) {
    command.env_clear().env("PATH", PATH).env("LANG", LANG).current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
    let user = geteuid().is_root().then(|| user.clone());
    // SAFETY: between fork and exec there are only system calls, on memory that existed before.
    unsafe {
        command.pre_exec(move || {
            setsid()?;
            close_ours()?;
            for (resource, most) in LIMITS {
                setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).or_else(unless_forbidden)?;
            }
            user.as_ref().map_or(Ok(()), become_user)?;
            set_no_new_privs(true)?;
            // Ignore failure: a kernel without keyrings has no keys of backwall, and a container that forbids the call lets
            // nobody use them.
            libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, std::ptr::null::<libc::c_char>());
            Ok(())
        });
    }
}

fn unless_forbidden(error: Errno) -> rustix::io::Result<()> {
    if [Errno::PERM, Errno::INVAL].contains(&error) { Ok(()) } else { Err(error) }
}

/// Closes backwall's files at exec, including those that its parent left open.
fn close_ours() -> Result<()> {
    // SAFETY: the call only marks open files of this process.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    match closed {
        0 => Ok(()),
        // Linux before 5.11 lacks this call. backwall's own files have the close-on-exec flag anyway.
        _ => Ok(()),
    }
}

fn become_user(user: &User) -> Result<()> {
    let checked = |code: libc::c_int| if code == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) };
    let User { user, group, groups } = user;
    // SAFETY: the list has as many groups as the length says; the other calls take numbers only.
    unsafe {
        checked(libc::setgroups(groups.len(), groups.as_ptr()))?;
        checked(libc::setresgid(*group, *group, *group))?;
        checked(libc::setresuid(*user, *user, *user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Leash;
    use std::io::Read;
    use std::path::Path;

    const NOBODY: u32 = 65_534;

    // Writes directly to standard error, because a passing test hides the output of print macros.
    #[allow(clippy::disallowed_methods, reason = "a test that did nothing says why")]
    fn skip(why: &str) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{why}\n").as_bytes());
    }

    #[test]
    fn a_process_is_somebody_only_where_all_of_its_ids_agree() {
        let status = |user: &str, group: &str| format!("Name:\tx\nUid:\t{user}\nGid:\t{group}\nGroups:\t4 24 \n");
        let of = |user, group| User::from_status(&status(user, group));
        let found = User { user: 7, group: 8, groups: vec![4, 24] };
        assert_eq!(of("7\t7\t7\t7", "8\t8\t8\t8"), Some(found));
        for mixed in
            ["7\t0\t0\t0", "0\t7\t7\t7", "7\t7\t0\t7", "7\t7\t7\t0", "7\t7\t7", "", "x\tx\tx\tx", "-1\t-1\t-1\t-1"]
        {
            assert_eq!((of(mixed, "8\t8\t8\t8"), of("8\t8\t8\t8", mixed)), (None, None), "{mixed}");
        }
        assert_eq!(User::from_status("Uid:\t7\t7\t7\t7\n"), None);
    }

    #[test]
    fn a_program_is_plain_where_the_kernel_gave_it_one_user_and_one_group() {
        let long = |all: [u64; 4]| -> Vec<u8> {
            let words =
                [6, 4096].into_iter().chain((11..).zip(all).flat_map(|(name, value)| [name, value])).chain([0, 0]);
            words.flat_map(u64::to_ne_bytes).collect()
        };
        let short = |all: [u64; 4]| -> Vec<u8> {
            long(all)
                .chunks(8)
                .flat_map(|word| (u64::from_ne_bytes(word.try_into().unwrap()) as u32).to_ne_bytes())
                .collect()
        };
        for plain in [[0; 4], [7, 7, 8, 8], [11, 11, 12, 12]] {
            assert_eq!((was_plain(&long(plain)), was_plain(&short(plain))), (true, true), "{plain:?}");
        }
        for mixed in [[7, 0, 7, 7], [7, 7, 7, 0], [0, 7, 0, 0], [12, 0, 13, 0]] {
            assert_eq!((was_plain(&long(mixed)), was_plain(&short(mixed))), (false, false), "{mixed:?}");
        }
        assert!(!was_plain(&[]) && !was_plain(&[0; 4]) && !was_plain(&long([7; 4])[..30]));
    }

    fn seen(user: &User, script: &str) -> String {
        let mut command = Command::new("sh");
        set(command.args(["-c", script]).stdout(Stdio::piped()).env("SECRET", "of ours"), user);
        let mut leash = Leash::start_apart(&mut command).unwrap();
        let mut text = String::new();
        leash.stdout().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn own() -> User {
        User::from_process(&Folder::open(Path::new("/proc/self")).unwrap()).unwrap()
    }

    #[test]
    fn it_has_a_session_of_its_own_no_terminal_and_nothing_of_our_environment() {
        let text = seen(
            &own(),
            "cut -d' ' -f1,5,6,7 /proc/$$/stat; (: </dev/tty) 2>/dev/null || echo no terminal; pwd; env; grep NoNew /proc/$$/status",
        );
        let first: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
        let [process, group, session, terminal] = first[..] else { panic!("{text}") };
        assert_eq!((group, session, terminal), (process, process, "0"), "{text}");
        assert!(text.contains("\nno terminal\n/\n") && text.contains("NoNewPrivs:\t1"), "{text}");
        let variables: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(variables.iter().all(|name| ["PATH", "LANG", "PWD", "SHLVL", "_", "OLDPWD"].contains(name)), "{text}");
    }

    #[test]
    fn it_has_no_file_of_ours_that_is_open() {
        let file = tempfile::tempfile().unwrap();
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
        let text = seen(&own(), "ls /proc/$$/fd");
        assert_eq!(text.split_whitespace().filter(|number| !["0", "1", "2"].contains(number)).count(), 0, "{text}");
    }

    #[test]
    fn its_user_its_group_and_its_groups_are_those_of_the_process_and_no_right_of_ours_is_left() {
        if !geteuid().is_root() {
            return skip("skipped: only root becomes another user");
        }
        let user = User { user: NOBODY, group: NOBODY, groups: vec![4, 24] };
        let text = seen(&user, "grep -E '^(Uid|Gid|Groups|Cap(Inh|Prm|Eff|Amb))' /proc/$$/status");
        let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split_whitespace().collect()).collect();
        for (row, name) in rows.iter().zip(["Uid:", "Gid:"]) {
            assert_eq!(row[..], [name, "65534", "65534", "65534", "65534"], "{text}");
        }
        assert_eq!(rows[2], ["Groups:", "4", "24"], "{text}");
        assert!(rows[3..].len() == 4 && rows[3..].iter().all(|row| row[1] == "0000000000000000"), "{text}");
    }
}
