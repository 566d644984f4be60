// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundle of a stored run, without the name of the machine that made it.
use backwall_formats::anonymize::{Words, bundle};
use backwall_model::Run;
use backwall_os::refusal::{Result, usage};
use backwall_os::regular_file;
use std::collections::BTreeSet;
use std::path::Path;

const MOST_BYTES: u64 = 16 << 20;
const FEWEST_LETTERS: usize = 4;

/// Makes the bundle of a run, then searches its text for the names of this machine.
///
/// # Errors
/// It is not a run, or the bundle contains such a name.
pub fn bundled(place: &Path, known: &BTreeSet<String>, names: &[String]) -> Result<Run> {
    let shown = place.display();
    let bundle = bundle(&backwall_store::read(place)?, &mut Words::new(known));
    let text = backwall_store::json(&bundle)?;
    backwall_model::read(&text).map_err(|error| usage(format!("{shown}: cannot make a valid bundle: {error}")))?;
    match names.iter().find(|name| text.to_lowercase().contains(name.as_str())) {
        Some(_) => Err(usage(format!(
            "{shown}: the kernel release or CPU name contains the name of this machine or user; publish from another \
                machine, or edit the file"
        ))),
        None => Ok(bundle),
    }
}

/// Names of this machine and its user, if long enough to be unique.
pub fn names() -> Vec<String> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let users = regular_file::text(Path::new("/etc/passwd"), MOST_BYTES).unwrap_or_default();
    names_of(&host, |name| std::env::var(name).ok(), rustix::process::getuid().as_raw(), &users)
}

/// Takes the names from host, environment and `/etc/passwd` (passwd(5)). Under sudo(8) the person is another user.
fn names_of(host: &str, variable: impl Fn(&str) -> Option<String>, user: u32, users: &str) -> Vec<String> {
    let numbers = [Some(user.to_string()), variable("SUDO_UID"), variable("PKEXEC_UID")];
    let rows = users.lines().map(|row| row.split(':').collect::<Vec<_>>());
    let own = rows.filter(|row| row.get(2).is_some_and(|number| numbers.iter().flatten().any(|own| own == number)));
    let own = own.filter_map(|row| row.first().map(|name| name.to_string()));
    let told = ["USER", "LOGNAME", "SUDO_USER", "DOAS_USER"].into_iter().filter_map(variable);
    let common = ["root", "user", "localhost", "linux", "debian", "ubuntu"];
    let all: BTreeSet<String> =
        own.chain(told).chain([host.to_string()]).map(|name| name.trim().to_lowercase()).collect();
    all.into_iter().filter(|name| name.len() >= FEWEST_LETTERS && !common.contains(&name.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_sudo_the_person_is_looked_for_too() {
        let users = "root:x:0:0::/root:/bin/sh\nanna:x:1000:1000::/home/anna:/bin/sh\nno row\n";
        let of = |pairs: &[(&str, &str)], user| {
            names_of(
                "Box-7\n",
                |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string()),
                user,
                users,
            )
        };
        assert_eq!(of(&[("USER", "root"), ("SUDO_USER", "Berta")], 0), ["berta", "box-7"]);
        assert_eq!(of(&[("SUDO_UID", "1000")], 0), ["anna", "box-7"]);
        assert_eq!(of(&[("USER", "ci"), ("LOGNAME", "anna")], 7), ["anna", "box-7"]);
    }
}
