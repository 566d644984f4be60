// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `backwall tune` has changed on a machine and not yet restored.
use super::written;
use crate::printable::printable;
use crate::wrap::wrapped;
use backwall_model::units::grouped;
use backwall_tuning::settings::journal::{Entry, State};
use serde::Serialize;

const RESTORE: &str = "sudo backwall tune undo";

#[derive(Debug, Serialize)]
pub struct ChangedPlace {
    #[serde(flatten)]
    entry: Entry,
    /// The current value; absent if unreadable.
    now: Option<String>,
    holds: bool,
    unread: Option<String>,
}

impl ChangedPlace {
    pub fn of(entry: &Entry, now: Result<String, String>) -> Self {
        let holds = now.as_ref().is_ok_and(|now| entry.change.place.form().same(now, &entry.change.wanted));
        Self { entry: entry.clone(), holds, unread: now.as_ref().err().cloned(), now: now.ok() }
    }

    fn line(&self) -> String {
        let state = match (&self.now, self.holds) {
            (_, true) => "holds".to_string(),
            (Some(now), false) => format!("another program wrote {now}"),
            (None, false) => self.unread.clone().unwrap_or_default(),
        };
        format!("  {} ({})\n", written(&self.entry.change), printable(&state))
    }
}

#[derive(Debug, Serialize)]
pub struct Status {
    pub changes: Vec<ChangedPlace>,
    /// The running `backwall tune`: process number and command line.
    pub active: Option<String>,
    pub boot: Option<String>,
    /// The command that restores everything. Absent if nothing is changed or another `backwall tune` is active.
    pub restore: Option<&'static str>,
}

impl Status {
    pub fn of(changes: Vec<ChangedPlace>, active: Option<String>, boot: Option<String>) -> Self {
        let restore = (active.is_none() && !(changes.is_empty() && boot.is_none())).then_some(RESTORE);
        Self { changes, active, boot, restore }
    }

    /// The answer, then each setting with its time, command and places, then the command that restores everything.
    pub fn text(&self, columns: usize) -> String {
        let mut text = self.answer(columns);
        let mut names: Vec<&str> = Vec::new();
        self.changes.iter().map(|change| change.entry.setting.as_str()).for_each(|name| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
        text.extend(names.iter().map(|name| self.setting(name)));
        text += self.boot.as_deref().unwrap_or_default();
        text.extend(self.restore.iter().map(|command| format!("restore  {command}\n")));
        if self.restore.is_some() && names.len() > 1 {
            text += &format!("or one   {RESTORE} {}\n", names[0]);
        }
        text
    }

    fn answer(&self, columns: usize) -> String {
        let active = self.active.as_ref().map(|process| {
            wrapped(
                &printable(&format!(
                    "backwall tune is active ({process}); it restores each setting that it does not keep"
                )),
                columns,
            )
        });
        let answer = match self.changes.len() {
            0 => "nothing is changed: backwall tune has nothing to restore here\n".to_string(),
            1 => "1 place is changed, until it is restored or the machine restarts\n".to_string(),
            many => {
                let many = grouped(many as u64);
                format!("{many} places are changed, until they are restored or the machine restarts\n")
            }
        };
        answer + &active.unwrap_or_default()
    }

    fn setting(&self, name: &str) -> String {
        let places: Vec<&ChangedPlace> = self.changes.iter().filter(|change| change.entry.setting == name).collect();
        let Some(first) = places.first().map(|change| &change.entry) else { return String::new() };
        let state = if first.state == State::Trial { ", being tried" } else { "" };
        let since = first.since.as_ref().map_or(String::new(), |since| format!(", since {since}"));
        let mut text = printable(&format!("{name}{state}{since}")) + "\n";
        text.extend(first.command.iter().map(|command| format!("  by {}\n", printable(command))));
        text.extend(places.iter().map(|change| change.line()));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_tuning::settings::{Change, Form, Place};

    fn place(setting: &str, state: State, path: &str, now: Result<&str, &str>) -> ChangedPlace {
        let change = Change { place: Place::file(path, Form::Text), before: "1".into(), wanted: "120".into() };
        let entry = Entry {
            setting: setting.to_string(),
            change,
            state,
            since: Some("2026-11-28T02:14:05Z".to_string()),
            command: Some(format!("backwall tune try {setting} --apply")),
        };
        ChangedPlace::of(&entry, now.map(String::from).map_err(String::from))
    }

    #[test]
    fn a_machine_on_which_nothing_is_changed_has_one_line() {
        let none = Status::of(Vec::new(), None, None);
        assert_eq!(none.text(80), "nothing is changed: backwall tune has nothing to restore here\n");
        assert!(none.restore.is_none());
        let boot = Status::of(Vec::new(), None, Some("boot: under trial\n".to_string())).text(80);
        assert!(boot.ends_with("boot: under trial\nrestore  sudo backwall tune undo\n"), "{boot}");
    }

    #[test]
    fn each_setting_says_since_when_by_which_command_and_how_it_goes_back() {
        let changes = vec![
            place("statistics", State::Kept, "/proc/a", Ok("120")),
            place("statistics", State::Kept, "/proc/b", Ok("7\u{1b}")),
            place("swap", State::Kept, "/proc/c", Err("is gone")),
        ];
        assert_eq!(
            Status::of(changes, None, None).text(80),
            "3 places are changed, until they are restored or the machine restarts\n\
             statistics, since 2026-11-28T02:14:05Z\n  by backwall tune try statistics --apply\n  \
             /proc/a: 1 -> 120 (holds)\n  /proc/b: 1 -> 120 (another program wrote 7?)\n\
             swap, since 2026-11-28T02:14:05Z\n  by backwall tune try swap --apply\n  /proc/c: 1 -> 120 (is gone)\n\
             restore  sudo backwall tune undo\nor one   sudo backwall tune undo statistics\n"
        );
    }

    #[test]
    fn a_trial_under_way_is_named_and_restores_its_own_changes() {
        let tried = vec![place("knob", State::Trial, "/proc/a", Ok("120"))];
        let text = Status::of(tried, Some("process 8: backwall tune try".to_string()), None).text(80);
        assert!(text.contains("\nbackwall tune is active (process 8: backwall tune try); it restores each"), "{text}");
        assert!(text.contains("\nknob, being tried, since") && !text.contains("restore  "), "{text}");
    }
}
