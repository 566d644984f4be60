// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan file of a fleet: the devices, and what to measure on them.
use backwall_model::units::place::mistake;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Largest number of devices: without this limit, a typing error could start a huge number of connections.
const MOST_DEVICES: usize = 10_000;
const LIMIT: Duration = Duration::from_secs(3_600);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Time limit per device, from the first connection to the last byte.
    pub limit: Duration,
    pub devices: Vec<Device>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    pub reach: Reach,
    pub tool: Option<PathBuf>,
    pub folder: Option<String>,
    pub words: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Ssh { address: String, port: Option<u16>, options: Vec<String> },
    Local,
    Labgrid { place: String, coordinator: Option<String> },
    Container { engine: String, container: String },
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadPlan {
    /// Invalid TOML, or a member that is missing, unknown or of the wrong type.
    #[error("line {line}: {what}")]
    Form { line: usize, what: String },
    #[error("found {0} devices; expected 1 to {MOST_DEVICES}, each as [[device]]")]
    Number(usize),
    #[error(
        "device {0:?}: a name must have 1 to 64 letters, digits, `-`, `_` and `.`, and begin with a letter or a \
        digit"
    )]
    Name(String),
    #[error("duplicate device {0}")]
    Twice(String),
    #[error("device {name}: {what}")]
    Device { name: String, what: &'static str },
    #[error("limit: {0}")]
    Limit(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    run: Option<Vec<String>>,
    tool: Option<PathBuf>,
    limit: Option<String>,
    #[serde(default)]
    device: Vec<PlanFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    name: String,
    #[serde(default)]
    kind: Kind,
    address: Option<String>,
    port: Option<u16>,
    #[serde(default)]
    options: Vec<String>,
    engine: Option<String>,
    container: Option<String>,
    place: Option<String>,
    coordinator: Option<String>,
    tool: Option<PathBuf>,
    folder: Option<String>,
    run: Option<Vec<String>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    Ssh,
    Local,
    Labgrid,
    Container,
}

impl Plan {
    pub fn parse(text: &str) -> Result<Self, BadPlan> {
        let file: File = toml::from_str(text).map_err(|error| bad(text, &error))?;
        if file.device.is_empty() || file.device.len() > MOST_DEVICES {
            return Err(BadPlan::Number(file.device.len()));
        }
        let limit = file.limit.as_deref().map_or(Ok(LIMIT), limit)?;
        let (words, tool) = (file.run, file.tool);
        let mut seen = BTreeSet::new();
        let mut devices = Vec::new();
        for written in file.device {
            let device = device(written, words.as_ref(), tool.as_ref())?;
            if !seen.insert(device.name.clone()) {
                return Err(BadPlan::Twice(device.name));
            }
            devices.push(device);
        }
        Ok(Self { limit, devices })
    }
}

fn limit(text: &str) -> Result<Duration, BadPlan> {
    let read = backwall_model::units::duration(text).map_err(|error| BadPlan::Limit(error.to_string()))?;
    Ok(Duration::from_nanos(read.0))
}

fn device(written: PlanFile, words: Option<&Vec<String>>, tool: Option<&PathBuf>) -> Result<Device, BadPlan> {
    if !is_name(&written.name) {
        return Err(BadPlan::Name(written.name));
    }
    let name = written.name.clone();
    let wrong = |what| BadPlan::Device { name: name.clone(), what };
    let words = written.run.clone().or(words.cloned()).ok_or_else(|| wrong(NO_WORDS))?;
    refused(&words).map_or(Ok(()), |what| Err(wrong(what)))?;
    let reach = reach(&written).map_err(wrong)?;
    let tool = written.tool.or(tool.cloned());
    Ok(Device { name: written.name, reach, tool, folder: written.folder, words })
}

const NO_WORDS: &str = "run is missing; set it for all devices or for this one: run = [\"run\", \"--quick\"]";

fn refused(words: &[String]) -> Option<&'static str> {
    let own_folder = |word: &String| ["--output", "-o"].contains(&word.split('=').next().unwrap_or(word));
    match words.first() {
        None => Some(NO_WORDS),
        Some(first) if first.starts_with('-') => Some("run: the first word must be a command, such as run or watch"),
        Some(_) if words.iter().any(own_folder) => {
            Some("run: leave out --output; backwall stores the run in the fleet's folder")
        }
        Some(_) if words.iter().any(|word| word.contains('\0')) => Some("run: a word contains a NUL byte"),
        Some(_) => None,
    }
}

fn reach(written: &PlanFile) -> Result<Reach, &'static str> {
    let (ssh, container) = (written.kind == Kind::Ssh, written.kind == Kind::Container);
    if !ssh && (written.address.is_some() || written.port.is_some() || !written.options.is_empty()) {
        return Err("address, port and options require kind = \"ssh\"");
    }
    if !container && (written.engine.is_some() || written.container.is_some()) {
        return Err("engine and container require kind = \"container\"");
    }
    if written.kind != Kind::Labgrid && (written.place.is_some() || written.coordinator.is_some()) {
        return Err("place and coordinator require kind = \"labgrid\"");
    }
    let word = |word: Option<&String>, what| word.filter(|word| is_word(word)).cloned().ok_or(what);
    match written.kind {
        Kind::Local => Ok(Reach::Local),
        Kind::Ssh => Ok(Reach::Ssh {
            address: word(written.address.as_ref(), "address: expected an ssh address, such as root@board-7")?,
            port: written.port,
            options: written.options.clone(),
        }),
        Kind::Labgrid => Ok(Reach::Labgrid {
            place: word(written.place.as_ref(), "place: expected a labgrid-client place")?,
            coordinator: match &written.coordinator {
                None => None,
                some => Some(word(some.as_ref(), "coordinator: expected HOST:PORT")?),
            },
        }),
        Kind::Container => Ok(Reach::Container {
            engine: word(
                Some(written.engine.as_ref().unwrap_or(&"podman".to_string())),
                "engine: expected podman or \
                docker",
            )?,
            container: word(written.container.as_ref(), "container: expected the name of a running container")?,
        }),
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !word.contains(|letter: char| letter.is_control() || letter == ' ')
}

/// Whether the text can safely be used as a folder name, wherever it comes from.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (1..=64).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

fn bad(text: &str, error: &toml::de::Error) -> BadPlan {
    let (line, what) = mistake(text, error.span(), error.message());
    BadPlan::Form { line, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_names_devices_and_each_has_its_words() {
        let text = "run = [\"run\", \"--quick\"]\nlimit = \"10m\"\n[[device]]\nname = \"a\"\naddress = \"root@a\"\nport = 2222\n\
            options = [\"-i\", \"key\"]\n[[device]]\nname = \"b.1\"\nkind = \"local\"\nrun = [\"iltiming\"]\n\
            [[device]]\nname = \"c\"\nkind = \"container\"\ncontainer = \"box\"\n";
        let plan = Plan::parse(text).unwrap();
        assert_eq!(plan.limit, Duration::from_secs(600));
        let [a, b, c] = &plan.devices[..] else { panic!() };
        let options = vec!["-i".to_string(), "key".to_string()];
        assert_eq!(a.reach, Reach::Ssh { address: "root@a".into(), port: Some(2222), options });
        assert_eq!(
            (&a.words[..], &b.words[..]),
            (&["run".to_string(), "--quick".into()][..], &["iltiming".into()][..])
        );
        assert_eq!(b.reach, Reach::Local);
        assert_eq!(c.reach, Reach::Container { engine: "podman".into(), container: "box".into() });
    }

    #[test]
    fn each_mistake_is_told_with_its_place() {
        let said = |text: &str| Plan::parse(text).unwrap_err().to_string();
        let device = |rest: &str| said(&format!("run = [\"run\"]\n[[device]]\n{rest}"));
        assert_eq!(said("run = [\"run\"]"), "found 0 devices; expected 1 to 10000, each as [[device]]");
        assert!(said("[[device]]\nname = 1").starts_with("line 2: invalid type"));
        assert!(device("name = \"../x\"").contains("a name must have"));
        for (rest, what) in [
            ("name = \"a\"", "device a: address: expected an ssh address"),
            ("name = \"a\"\naddress = \"-oProxyCommand=x\"", "device a: address: expected an ssh address"),
            ("name = \"a\"\nkind = \"local\"\nport = 1", "require kind = \"ssh\""),
            ("name = \"a\"\nkind = \"container\"", "container: expected the name of a running container"),
            ("name = \"a\"\nkind = \"labgrid\"", "place: expected a labgrid-client place"),
            ("name = \"a\"\nkind = \"local\"\nplace = \"a\"", "require kind = \"labgrid\""),
            ("name = \"a\"\nkind = \"local\"\nrun = []", "run is missing"),
            ("name = \"a\"\nkind = \"local\"\nrun = [\"run\", \"--output=x\"]", "leave out --output"),
            ("name = \"a\"\nkind = \"local\"\nrun = [\"--version\"]", "the first word must be a command"),
        ] {
            assert!(device(rest).contains(what), "{rest}: {}", device(rest));
        }
        let twice = device("name = \"a\"\nkind = \"local\"\n[[device]]\nname = \"a\"\nkind = \"local\"");
        assert_eq!(twice, "duplicate device a");
        assert!(said("limit = \"soon\"\n[[device]]\nname = \"a\"").starts_with("limit: "));
    }
}
