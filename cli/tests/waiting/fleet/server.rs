// SPDX-License-Identifier: MIT OR Apache-2.0
//! An SSH server of the test's own on this machine's own address, with keys of its own.
use crate::tool::wait_until;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const SSHD: &str = "/usr/sbin/sshd";
// A folder that must be empty for root's server.
const PRIVILEGES: &str = "/run/sshd";

pub struct Server {
    child: Child,
    pub port: u16,
    made: bool,
    _alone: MutexGuard<'static, ()>,
}

// One server at a time, for they share that folder.
static ALONE: Mutex<()> = Mutex::new(());

impl Server {
    pub fn start(folder: &Path) -> Option<Self> {
        if !Path::new(SSHD).exists() {
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        keys(folder);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        fs::write(folder.join("config"), config(folder, "127.0.0.1", port)).unwrap();
        let made = !Path::new(PRIVILEGES).exists() && fs::create_dir(PRIVILEGES).is_ok();
        let mut server = Command::new(SSHD);
        server.args(["-D", "-f"]).arg(folder.join("config")).arg("-E").arg(folder.join("log"));
        let child = server.stdin(Stdio::null()).spawn().unwrap();
        let server = Self { child, port, made, _alone: alone };
        wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.made {
            let _ = fs::remove_dir(PRIVILEGES);
        }
    }
}

pub fn keys(folder: &Path) {
    for key in ["host", "user"] {
        let words = ["-q", "-t", "ed25519", "-N", "", "-f"];
        assert!(Command::new("ssh-keygen").args(words).arg(folder.join(key)).status().unwrap().success());
    }
}

pub fn config(folder: &Path, address: &str, port: u16) -> String {
    let place = folder.display();
    format!(
        "Port {port}\nListenAddress {address}\nHostKey {place}/host\nAuthorizedKeysFile {place}/user.pub\nStrictModes no\n\
         PasswordAuthentication no\nSubsystem sftp internal-sftp\nUsePAM no\nPidFile none\nMaxStartups 100\n"
    )
}
