// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects the kind of container that this process runs in, and says how to give such a container more rights.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use std::fs;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Docker,
    Podman,
    Kubernetes,
    /// A Podman or Docker container that an ordinary user started. On the host, its root has only the rights of this user.
    Rootless,
    Other,
}

const MOST_BYTES: usize = 1 << 16;

impl Container {
    pub fn of_this_process() -> Option<Self> {
        Self::under(Path::new("/"))
    }

    pub fn under(root: &Path) -> Option<Self> {
        let has = |path: &str| root.join(path).exists();
        let text = |path: &str| {
            let mut bytes = fs::read(root.join(path)).unwrap_or_default();
            bytes.truncate(MOST_BYTES);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let variables = [text("proc/1/environ"), text("proc/self/environ")].join("\0");
        let named = variables.split('\0').find_map(|variable| variable.strip_prefix("container="));
        let groups = text("proc/1/cgroup");
        let kind = if variables.contains("KUBERNETES_SERVICE_HOST=") || groups.contains("kubepods") {
            Self::Kubernetes
        } else if has(".dockerenv") || named == Some("docker") || groups.contains("/docker") {
            Self::Docker
        } else if has("run/.containerenv") || named == Some("podman") {
            Self::Podman
        } else if named.is_some() || groups.contains("/lxc") {
            Self::Other
        } else {
            return None;
        };
        let rootless = kind != Self::Kubernetes && is_in_user_namespace(&text("proc/self/uid_map"));
        Some(if rootless { Self::Rootless } else { kind })
    }

    pub fn rights(self) -> &'static str {
        match self {
            Self::Docker => "docker run --cap-add SYS_NICE --cap-add IPC_LOCK --ulimit rtprio=99 --ulimit memlock=-1",
            Self::Podman => "podman run --cap-add SYS_NICE --cap-add IPC_LOCK --ulimit rtprio=99 --ulimit memlock=-1",
            Self::Kubernetes => {
                "in the pod's securityContext, capabilities: {add: [SYS_NICE, IPC_LOCK]} and runAsUser: 0"
            }
            Self::Rootless => {
                "set rtprio 99 and memlock unlimited for the container's user in the host's limits.conf, then podman \
                    run --ulimit host; or start the container as root"
            }
            Self::Other => {
                "give the container CAP_SYS_NICE and CAP_IPC_LOCK, or the limits rtprio 99 and memlock unlimited"
            }
        }
    }

    pub fn tracing(self) -> &'static str {
        match self {
            Self::Docker => {
                "docker run --privileged -v /sys/kernel/tracing:/sys/kernel/tracing, as root in the container"
            }
            Self::Podman => "podman run --privileged -v /sys/kernel/tracing:/sys/kernel/tracing, as root on the host",
            Self::Kubernetes => {
                "in the pod, securityContext: {privileged: true}, and /sys/kernel/tracing of the host as a hostPath volume"
            }
            Self::Rootless => {
                "start the container as root, privileged, with -v /sys/kernel/tracing:/sys/kernel/tracing"
            }
            Self::Other => "make the container privileged, mount the host's /sys/kernel/tracing, and be root in it",
        }
    }
}

/// On the host, the map of user ids maps every id to itself.
fn is_in_user_namespace(map: &str) -> bool {
    let mut rows = map.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.next().is_some_and(|row| row.len() == 3 && row != ["0", "0", "4294967295"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Option<Container> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Container::under(root.path())
    }

    #[test]
    fn each_kind_is_known_by_what_its_maker_leaves_in_it() {
        let host = ("proc/self/uid_map", "         0          0 4294967295\n");
        assert_eq!(found(&[host, ("proc/1/environ", "HOME=/\0TERM=linux\0")]), None);
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[host, (".dockerenv", "")]), Some(Container::Docker));
        assert_eq!(found(&[host, ("run/.containerenv", "")]), Some(Container::Podman));
        assert_eq!(found(&[host, ("proc/self/environ", "A=b\0container=podman\0")]), Some(Container::Podman));
        assert_eq!(found(&[host, ("proc/1/environ", "container=lxc\0")]), Some(Container::Other));
        assert_eq!(found(&[host, ("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n")]), Some(Container::Kubernetes));
        let pod = [host, (".dockerenv", ""), ("proc/self/environ", "KUBERNETES_SERVICE_HOST=10.0.0.1\0")];
        assert_eq!(found(&pod), Some(Container::Kubernetes));
        let user = ("proc/self/uid_map", "         0       1000          1\n         1     100000      65536\n");
        assert_eq!(found(&[user, ("run/.containerenv", "")]), Some(Container::Rootless));
        assert_eq!(found(&[user]), None, "a user namespace alone is no container");
    }
}
