// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's kernel packages. backwall finds and downloads them with the package manager and unpacks them once into the user's
//! cache.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the clock, sleeps"
)]
use super::BadGuest;
use super::kernel::{Kernel, modules_below};
use super::last_named;
use super::lists::Lists;
use crate::machine::{FirstProcess, LinuxOn};
use backwall_os::Stop;
use backwall_os::cache;
use backwall_os::complaint;
use backwall_os::process::{self, Leash};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

const LOOK: Duration = Duration::from_millis(20);

/// A Debian package that always depends on the newest kernel of its kind, or the package of one release.
pub struct Newest {
    package: String,
    linux: &'static LinuxOn,
    is_release: bool,
}

impl Newest {
    /// Parses `stock`, `rt` (PREEMPT_RT) or `cloud` (for VMs), which mean the newest kernel, optionally of a series as in
    /// `stock-6.12`, or one release as in `rt-6.1.0-50`. `None` if the name is not that of a Debian kernel.
    pub fn named(which: &str, linux: &'static LinuxOn) -> Option<Newest> {
        let (flavour, series) =
            which.split_once('-').map_or((which, None), |(flavour, series)| (flavour, Some(series)));
        let ending = match flavour {
            "stock" => linux.debian.to_string(),
            "rt" | "cloud" => format!("{flavour}-{}", linux.debian),
            _ => return None,
        };
        let package = match series {
            None => format!("linux-image-{ending}"),
            Some(one) if is_series(one) || is_release(one) => format!("linux-image-{one}-{ending}"),
            Some(_) => return None,
        };
        Some(Newest { package, linux, is_release: series.is_some_and(is_release) })
    }
}

/// `6.12`.
fn is_series(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// Whether the text has the form of a release, such as `6.1.0-50` or `6.12.111+deb12`.
fn is_release(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+-~".contains(&byte);
    let behind = text.match_indices('.').nth(1).map(|(place, _)| place);
    behind.is_some_and(|place| is_series(&text[..place]) && text.len() > place + 1) && text.bytes().all(plain)
}

/// The newest kernel in the package lists, with the modules that the guest needs. If the lists cannot be read, it is the
/// kernel that they named last, provided that the cache has it.
pub fn kernel(newest: &Newest, bench: &FirstProcess, stop: &Stop) -> Result<Kernel, BadGuest> {
    let cache = cache_folder()?;
    let _lock = lock(&cache, stop)?;
    let last = cache.join(format!("newest-{}", newest.package));
    let lists = Lists::of(newest.linux, &cache, stop)?;
    match package_of(newest, &lists, &last) {
        Ok((package, asked)) => {
            let folder = cache.join(&package);
            if !folder.is_dir() || lacks_modules(&folder, newest.linux, bench) {
                fetch(&package, &lists, newest, (&cache, &folder))?;
            }
            asked.map_or(Ok(()), |asked| last_named::remember(&package, &last, asked).map_err(file_fault(&last)))?;
            unpacked(&folder, newest.linux, bench)
        }
        Err(_) if last.is_dir() => unpacked(&last, newest.linux, bench),
        Err(fault) => Err(fault),
    }
}

pub(super) fn unable(text: impl Into<String>) -> BadGuest {
    BadGuest::Unable(text.into())
}

pub(super) fn file_fault(path: &Path) -> impl FnOnce(std::io::Error) -> BadGuest + use<> {
    let path = path.to_path_buf();
    move |source| BadGuest::File { path, source }
}

fn cache_folder() -> Result<PathBuf, BadGuest> {
    cache::own_folder("linux").map_err(|error| unable(error.to_string()))
}

/// Locks the cache, so that parallel scenarios download a package once.
fn lock(cache: &Path, stop: &Stop) -> Result<File, BadGuest> {
    let path = cache.join("lock");
    let file = File::create(&path).map_err(file_fault(&path))?;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK) if stop.asked() => return Err(BadGuest::Interrupted),
            // Another process is downloading, which takes minutes.
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOOK),
            Err(error) => return Err(file_fault(&path)(error.into())),
        }
    }
}

/// Answers of the package lists, by package. Each list is read once: reading takes longer than a trial, and a search
/// must not change its kernel halfway.
static NAMED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The kernel package that `newest` depends on. Also the time at which this call read the lists; `None` if it used an
/// earlier answer.
fn package_of(newest: &Newest, lists: &Lists<'_>, last: &Path) -> Result<(String, Option<SystemTime>), BadGuest> {
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = named.get(&newest.package).cloned().or_else(|| last_named::still(last, lists.changed()));
    let asked = before.is_none().then(SystemTime::now);
    let package = before.map_or_else(|| listed(newest, lists), Ok)?;
    named.insert(newest.package.clone(), package.clone());
    Ok((package, asked))
}

fn listed(newest: &Newest, lists: &Lists<'_>) -> Result<String, BadGuest> {
    let depends = lists.depends(&newest.package)?;
    let found = match newest.is_release {
        true => depends.contains("Depends: ").then_some(newest.package.as_str()),
        false => image_in(&depends),
    };
    found.map(str::to_string).ok_or_else(|| {
        unable(format!(
            "{} is not in the package lists: run apt-get update, or name a kernel file as linux:PATH",
            newest.package
        ))
    })
}

fn image_in(listed: &str) -> Option<&str> {
    let depends = listed.lines().filter_map(|line| line.trim().trim_start_matches('|').strip_prefix("Depends: "));
    depends.into_iter().find(|package| package.starts_with("linux-image-"))
}

/// The packages with the kernel and its modules. Since Debian 13 the image package is empty and depends on them.
fn parts(package: &str, depends: &str) -> Vec<String> {
    let of_release = |name: &&str| name.starts_with("linux-binary-") || name.starts_with("linux-modules-");
    let found: Vec<String> = depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .filter(of_release)
        .map(str::to_string)
        .collect();
    if found.is_empty() { vec![package.to_string()] } else { found }
}

/// Downloads and unpacks into a temporary folder, renamed to `folder` when complete.
fn fetch(package: &str, lists: &Lists<'_>, newest: &Newest, (cache, folder): (&Path, &Path)) -> Result<(), BadGuest> {
    let work = backwall_os::temporary::folder("fetch-", cache).map_err(file_fault(cache))?;
    backwall_os::console::complain(&format!("lab: downloading Debian's {package} (60 to 110 MB, once)"));
    let files = work.path().join("files");
    fs::create_dir(&files).map_err(file_fault(&files))?;
    for (index, part) in parts(package, &lists.depends(package)?).iter().enumerate() {
        let place = work.path().join(index.to_string());
        fs::create_dir(&place).map_err(file_fault(&place))?;
        let output = lists.download(part, &place)?;
        let archive = fs::read_dir(&place).map_err(file_fault(&place))?.filter_map(Result::ok).next();
        let (true, Some(archive)) = (output.status.success(), archive) else {
            return Err(unable(format!("apt-get download {part} failed: {}", reason(&output.stderr))));
        };
        unpack(part, &archive.path(), &files, (newest.linux, lists.stop))?;
    }
    if newest.linux.benches.iter().all(|bench| unpacked(&files, newest.linux, bench).is_err()) {
        let modules = newest.linux.modules().collect::<Vec<_>>().join(", ");
        return Err(unable(format!("{package} lacks the kernel or one of these modules: {modules}")));
    }
    if folder.is_dir() {
        fs::remove_dir_all(folder).map_err(file_fault(folder))?;
    }
    fs::rename(&files, folder).map_err(file_fault(folder))
}

/// The last error line of a program, and what usually helps.
fn reason(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let last = complaint::last_line(said).unwrap_or_else(|| "no error message".into());
    let full = text.contains("No space left") || text.contains("enough free space");
    let remedy = if full {
        "free some space, or set XDG_CACHE_HOME to another disk"
    } else {
        "check the network, or run apt-get update"
    };
    format!("{last}; {remedy}")
}

/// The modules' folder in a package; since Debian 13 it is below `usr`.
const HOMES: [&str; 2] = ["lib/modules", "usr/lib/modules"];

/// Unpacks only the kernel and the needed modules from the 400 MB package.
fn unpack(package: &str, archive: &Path, into: &Path, (linux, stop): (&LinuxOn, &Stop)) -> Result<(), BadGuest> {
    let failed = |error: std::io::Error| unable(format!("unpacking {package}: {error}"));
    let mut contents = Command::new("dpkg-deb");
    contents.arg("--fsys-tarfile").arg(archive).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut contents = Leash::start(&mut contents).map_err(failed)?;
    let wanted = linux.modules().map(|module| format!("*/lib/modules/*/kernel/drivers/{module}*"));
    let mut tar = Command::new("tar");
    tar.args(["-x", "--wildcards", "-C"])
        .arg(into)
        .args(["./boot/vmlinu[xz]-*", "*/lib/modules/*/vmlinu[xz]"])
        .args(wanted)
        .stdin(contents.stdout().expect("piped above"))
        .env("LC_ALL", "C");
    let stopped = || stop.asked();
    let unpacked = process::output(&mut tar, &stopped).map_err(failed)?.ok_or(BadGuest::Interrupted)?;
    let packed = contents.wait(Duration::MAX, &stopped).map_err(failed)?.ok_or(BadGuest::Interrupted)?;
    if String::from_utf8_lossy(&unpacked.stderr).contains("No space left") {
        return Err(unable(format!("unpacking {package}: {}", reason(&unpacked.stderr))));
    }
    packed.success().then_some(()).ok_or_else(|| unable(format!("dpkg-deb cannot read the package {package}")))
}

fn release_in(folder: &Path) -> Option<PathBuf> {
    HOMES.iter().find_map(|home| only_entry(folder.join(home)))
}

fn only_entry(path: PathBuf) -> Option<PathBuf> {
    fs::read_dir(path).ok()?.filter_map(Result::ok).next().map(|entry| entry.path())
}

fn modules_in(folder: &Path, bench: &FirstProcess) -> Option<Vec<PathBuf>> {
    let below = |release: PathBuf| modules_below(&release.join("kernel/drivers"), bench.modules);
    if bench.modules.is_empty() { Some(Vec::new()) } else { release_in(folder).and_then(below) }
}

/// Whether an older version of backwall left a folder that has only the modules of another input.
fn lacks_modules(folder: &Path, linux: &LinuxOn, bench: &FirstProcess) -> bool {
    let whole = |other: &FirstProcess| other.input != bench.input && unpacked(folder, linux, other).is_ok();
    modules_in(folder, bench).is_none() && linux.benches.iter().any(whole)
}

fn unpacked(folder: &Path, linux: &LinuxOn, bench: &FirstProcess) -> Result<Kernel, BadGuest> {
    let named = |release: PathBuf| {
        ["vmlinuz", "vmlinux"].map(|name| release.join(name)).into_iter().find(|image| image.is_file())
    };
    let image = only_entry(folder.join("boot")).or(release_in(folder).and_then(named));
    match (image, modules_in(folder, bench)) {
        (Some(image), Some(modules)) => {
            let description = "Debian's Linux".to_string();
            Ok(Kernel { image, modules, description, tick_instructions: Some(linux.tick_instructions) })
        }
        _ => Err(unable(format!("{} is damaged: remove it and try again", folder.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{ARM64_VIRT, X86_PC};

    const MODULES: [&str; 3] = ["parport/parport.ko", "parport/parport_pc.ko", "char/ppdev.ko"];

    fn pc() -> (&'static LinuxOn, &'static FirstProcess) {
        let linux = X86_PC.linux;
        (linux, linux.bench(None).unwrap())
    }

    #[test]
    fn the_kernel_is_found_among_what_the_newest_package_depends_on() {
        let listed = "linux-image-rt-amd64\n  Depends: linux-base\n  Depends: linux-image-6.1.0-56-rt-amd64\n";
        assert_eq!(image_in(listed), Some("linux-image-6.1.0-56-rt-amd64"));
        assert_eq!(image_in("linux-image-rt-amd64\n  Depends: <linux-image>\n"), None);
        assert_eq!(image_in(""), None);
    }

    #[test]
    fn a_full_disk_is_not_taken_for_a_missing_network() {
        let full = b"Get:1 http://x\nE: You don't have enough free space in /c/.\n\n";
        assert!(reason(full).starts_with("E: You don't have enough free space") && !reason(full).contains("network"));
        assert!(reason(b"E: Write error - write (28: No space left on device)").contains("XDG_CACHE_HOME"));
        assert!(reason(b"E: Unable to fetch some archives").contains("check the network"));
        assert_eq!(reason(b""), "no error message; check the network, or run apt-get update");
    }

    #[test]
    fn the_names_of_debians_kernels() {
        let package = |which| Newest::named(which, X86_PC.linux).map(|newest| newest.package);
        assert_eq!(package("stock").as_deref(), Some("linux-image-amd64"));
        assert_eq!(package("rt").as_deref(), Some("linux-image-rt-amd64"));
        assert_eq!(package("rt-6.12").as_deref(), Some("linux-image-6.12-rt-amd64"));
        assert_eq!(package("cloud").as_deref(), Some("linux-image-cloud-amd64"));
        assert_eq!(package("rt-6.1.0-50").as_deref(), Some("linux-image-6.1.0-50-rt-amd64"));
        assert_eq!(package("stock-6.12.111+deb12").as_deref(), Some("linux-image-6.12.111+deb12-amd64"));
        let of_arm64 = |which| Newest::named(which, ARM64_VIRT.linux).map(|newest| newest.package);
        assert_eq!(of_arm64("rt").as_deref(), Some("linux-image-rt-arm64"));
        assert_eq!(of_arm64("stock-6.12").as_deref(), Some("linux-image-6.12-arm64"));
        for other in
            ["", "stock-", "stock-6", "rt-6.", "rt-6.12/..", "rt-6.12.", "rt-6.12.1/x", "vmlinuz-6.12", "/boot/vmlinuz"]
        {
            assert_eq!(package(other), None, "{other}");
        }
    }

    #[test]
    fn a_package_is_unpacked_wherever_it_holds_its_modules() {
        for home in HOMES {
            let place = tempfile::tempdir().unwrap();
            let (tree, archive, into) =
                (place.path().join("tree"), place.path().join("one.deb"), place.path().join("files"));
            let modules = MODULES.map(|module| format!("{home}/6.12.1/kernel/drivers/{module}.xz"));
            let beside = format!("{home}/6.12.1/kernel/drivers/net/large.ko.xz");
            for file in modules.iter().chain([&beside, &"boot/vmlinuz-6.12.1".into(), &"DEBIAN/control".into()]) {
                fs::create_dir_all(tree.join(file).parent().unwrap()).unwrap();
                fs::write(
                    tree.join(file),
                    "Package: one\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n",
                )
                .unwrap();
            }
            let built = Command::new("dpkg-deb").arg("--build").args([&tree, &archive]).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
            fs::create_dir(&into).unwrap();
            let (linux, bench) = pc();
            unpack("one", &archive, &into, (linux, &Stop::default())).unwrap();
            let kernel = unpacked(&into, linux, bench).unwrap();
            assert_eq!(
                (kernel.image, kernel.modules),
                (into.join("boot/vmlinuz-6.12.1"), modules.map(|one| into.join(one)).to_vec())
            );
            assert!(!into.join(beside).exists(), "only what the bench needs");
        }
    }

    #[test]
    fn the_kernel_that_the_lists_named_last_is_found_again() {
        let cache = tempfile::tempdir().unwrap();
        let last = cache.path().join("newest-linux-image-amd64");
        for package in ["linux-image-6.1.0-9-amd64", "linux-image-6.1.0-56-amd64"] {
            let release = package.trim_start_matches("linux-image-");
            let drivers = cache.path().join(package).join("lib/modules").join(release).join("kernel/drivers");
            let image = cache.path().join(package).join(format!("boot/vmlinuz-{release}"));
            for file in MODULES.map(|module| drivers.join(module)).into_iter().chain([image]) {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "x").unwrap();
            }
            last_named::remember(package, &last, SystemTime::now()).unwrap();
        }
        let (linux, bench) = pc();
        let kernel = unpacked(&last, linux, bench).unwrap();
        assert_eq!(kernel.image, last.join("boot/vmlinuz-6.1.0-56-amd64"));
        assert_eq!(kernel.modules.len(), MODULES.len());
        fs::remove_dir_all(cache.path().join("linux-image-6.1.0-56-amd64/boot")).unwrap();
        let damaged = unpacked(&last, linux, bench).unwrap_err().to_string();
        assert!(damaged.contains("is damaged: remove it"), "{damaged}");
    }
}
