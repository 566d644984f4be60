// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boot parameters as text: where to add them, the progress of the trial, and the result.
use super::{moved, of_metrics};
use crate::printable::printable;
use crate::wrap::wrapped;
use backwall_judge::compare::{Comparison, Verdict};
use backwall_tuning::settings::Decision;
use backwall_tuning::settings::trial::Side;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    Grub,
    Raspberry,
    Systemd,
    Unknown,
}

impl Loader {
    pub fn of(has: impl Fn(&str) -> bool) -> Self {
        let known = [Self::Raspberry, Self::Grub, Self::Systemd];
        known.into_iter().find(|loader| loader.file().is_some_and(&has)).unwrap_or(Self::Unknown)
    }

    pub fn file(&self) -> Option<&'static str> {
        match self {
            Self::Grub => Some("/etc/default/grub"),
            Self::Raspberry => Some("/boot/firmware/cmdline.txt"),
            Self::Systemd => Some("/etc/kernel/cmdline"),
            Self::Unknown => None,
        }
    }

    fn how(&self) -> &'static str {
        match self {
            Self::Grub => "add them to GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then: update-grub, and reboot",
            Self::Raspberry => "add them to the one line of /boot/firmware/cmdline.txt, and reboot",
            Self::Systemd => "add them to /etc/kernel/cmdline, then: kernel-install add-all, and reboot",
            Self::Unknown => "add them to the kernel command line in your boot loader's settings, and reboot",
        }
    }
}

pub fn line(options: &str, loader: &Loader) -> String {
    if options.is_empty() {
        return "every boot parameter that may help here is set already\n".to_string();
    }
    format!(
        "{}\n{}\nto measure whether they help, before the reboot and after it:\n  backwall tune boot --apply\n  backwall tune boot --resume\n",
        printable(options),
        loader.how()
    )
}

pub fn side(side: Side, options: &[String]) -> String {
    let word = if side == Side::With { "with" } else { "without" };
    format!("{word} {}", printable(&options.join(" ")))
}

pub fn wait(missing: &[String], in_vain: bool, loader: &Loader) -> String {
    let options = printable(&missing.join(" "));
    let begins = if in_vain {
        "this machine rebooted without these parameters of the trial; add them:"
    } else {
        "the half of the trial without these parameters is done; now add:"
    };
    format!(
        "{begins}\n{options}\n{}\nafter the reboot backwall-tune.service continues if enabled; otherwise:\n  backwall tune boot --resume\n",
        loader.how()
    )
}

/// Reports the slices that are left out because they were measured before the last reboot.
pub fn anew(slices: usize) -> String {
    let those = if slices == 1 { "1 slice is".to_string() } else { format!("{slices} slices are") };
    format!("this machine has rebooted since: {those} left out, and this half of the trial is measured again")
}

pub fn nothing_before(options: &[String]) -> String {
    format!(
        "{}: set already, but the half of the trial without these parameters is not complete; remove them, reboot, and \
            continue with backwall tune boot --resume, or end the trial with backwall tune undo",
        printable(&options.join(" "))
    )
}

pub fn stopped() -> &'static str {
    "stopped: backwall tune boot --resume continues after the last slice\n"
}

pub fn ended(options: &[String]) -> String {
    format!(
        "boot: the trial of {} is over; its parameters stay on the kernel command line\n",
        printable(&options.join(" "))
    )
}

pub fn under_way(options: &[String], counts: [usize; 2], of: usize) -> String {
    let [without, with] = counts;
    format!(
        "boot: {} under trial: {without} of {of} slices without the parameters, {with} of {of} with them; backwall tune boot --resume continues\n",
        printable(&options.join(" "))
    )
}

pub fn decided(
    options: &[String],
    decision: &Decision,
    comparison: &Comparison,
    folder: &Path,
    columns: usize,
) -> String {
    let because = Some(comparison);
    let said = match decision {
        Decision::Kept => {
            format!(
                "they help: {}; nothing is worse: keep them on the kernel command line",
                moved(because, Verdict::Improved)
            )
        }
        Decision::Harms => format!("worse: {}: remove them", moved(because, Verdict::Regressed)),
        _ => format!("nothing improved{}: remove them", of_metrics(because)),
    };
    let text = wrapped(&printable(&format!("{}: {said}", options.join(" "))), columns);
    format!(
        "{text}a reboot separates the sides, so the difference includes everything that the reboot changed\nevery \
            slice is a run in {}\n",
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_next_is_said_with_the_options_and_where_they_belong() {
        let options = ["isolcpus=1".to_string(), "a\nb".to_string()];
        let said = wait(&options, false, &Loader::Grub);
        assert!(said.contains("\nisolcpus=1 a?b\nadd them to GRUB_CMDLINE_LINUX_DEFAULT"), "{said}");
        assert!(wait(&options, true, &Loader::Unknown).starts_with("this machine rebooted without"));
        assert!(anew(1).contains("1 slice is left out") && anew(2).contains("2 slices are left out"));
        assert_eq!(
            under_way(&options[..1], [6, 2], 6),
            "boot: isolcpus=1 under trial: 6 of 6 slices without the parameters, 2 of 6 with them; backwall tune boot --resume continues\n"
        );
        assert!(
            nothing_before(&options).lines().count() == 1
                && line("", &Loader::Grub).starts_with("every boot parameter")
        );
    }
}
