// SPDX-License-Identifier: MIT OR Apache-2.0
//! The key of a run on its device, by which a later call finds and fetches it.
use crate::plan::Device;
use backwall_model::identity::digest;

pub const MADE: &str = "run-";
pub const WAITS: &str = "done-";
/// Most runs that one call fetches; the next call fetches the rest.
const MOST_WAITING: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetRequest {
    /// Key of device and command, so that only a call with the same request fetches the run later.
    pub plan: String,
    pub call: String,
}

impl FleetRequest {
    pub fn of(device: &Device, call: &str) -> Self {
        let asked = [std::slice::from_ref(&device.name), &device.words].concat().join("\0");
        let plain = |letter: &char| letter.is_ascii_alphanumeric();
        Self { plan: digest(asked.as_bytes())[..16].to_string(), call: call.chars().filter(plain).collect() }
    }

    pub fn waits(&self) -> String {
        format!("{WAITS}{}-{}", self.plan, self.call)
    }

    /// Extracts the names of this plan's runs from a device's answer, which is not trusted.
    pub fn waiting(&self, said: &[u8]) -> Vec<String> {
        let begins = format!("{WAITS}{}-", self.plan);
        let is_one = |name: &&str| {
            name.strip_prefix(&begins).is_some_and(|call| call.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        String::from_utf8_lossy(said).lines().filter(is_one).take(MOST_WAITING).map(str::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn a_run_is_that_of_who_asks_the_same_and_no_text_of_a_device_is_a_name() {
        let device = |name: &str, word: &str| {
            let text = format!("run = [\"{word}\"]\n[[device]]\nname = \"{name}\"\nkind = \"local\"\n");
            Plan::parse(&text).unwrap().devices[0].clone()
        };
        let asked = FleetRequest::of(&device("a", "run"), "18f-7");
        assert_eq!(asked, FleetRequest { call: "18f7".to_string(), ..FleetRequest::of(&device("a", "run"), "other") });
        assert_ne!(asked.plan, FleetRequest::of(&device("b", "run"), "").plan);
        assert_ne!(asked.plan, FleetRequest::of(&device("a", "iltiming"), "").plan);
        let (own, others) = (asked.waits(), FleetRequest::of(&device("b", "run"), "1").waits());
        let said = format!("motd\n{own}\n{others}\n{own}/../..\n{own}; rm -rf /\n\u{fffd}");
        assert_eq!(asked.waiting(said.as_bytes()), [own]);
    }
}
