// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's connector as the host sees it: `wire/CONNECTOR.md`. A test compares it with `wire/connector.h`. The names of lines,
//! in files and on screen, are defined only here.

/// One of the two ports: a generator on the interrupt, and answer lines on the data register.
#[derive(Debug, PartialEq, Eq)]
pub struct Port {
    /// The generator's letter in a scenario.
    pub letter: char,
    /// I/O address of the port's first register.
    pub io: u16,
    /// Number of the port's ISA interrupt.
    pub irq: u8,
    /// Name of the stimulus line.
    pub stimulus: &'static str,
    /// Name of the stimulus line on screen.
    pub stimulus_shown: &'static str,
    /// Name of the line that shows whether the generator is armed.
    pub armed: &'static str,
    /// Prefix of the names of the port's answer lines.
    pub prefix: &'static str,
    /// Names of the answer lines, from D0 on.
    pub lines: [&'static str; 8],
}

/// Index of the answer line in [`Port::lines`].
pub const ISR: usize = 0;
/// The interrupt's thread.
pub const IST: usize = 1;
/// The application's thread.
pub const APP: usize = 2;
/// The background load.
pub const PROGRESS: usize = 3;
/// A sweep's mark.
pub const MARK: usize = 4;

/// Port A; its lines have no prefix.
pub const A: Port = Port {
    letter: 'a',
    io: 0x378,
    irq: 7,
    stimulus: "stimulus_a",
    stimulus_shown: "stimulus A",
    armed: "armed_a",
    prefix: "",
    lines: ["isr", "ist", "app", "progress", "mark", "a_d5", "a_d6", "a_d7"],
};

/// Port B.
pub const B: Port = Port {
    letter: 'b',
    io: 0x278,
    irq: 5,
    stimulus: "stimulus_b",
    stimulus_shown: "stimulus B",
    armed: "armed_b",
    prefix: "b_",
    lines: ["b_isr", "b_ist", "b_app", "b_progress", "b_mark", "b_d5", "b_d6", "b_d7"],
};

/// Both ports.
pub const PORTS: [Port; 2] = [A, B];

const SHOWN: [&str; APP + 1] = ["ISR", "IST", "APP"];

/// Whether a line is the stimulus of a port.
pub fn is_stimulus(name: &str) -> bool {
    PORTS.iter().any(|port| port.stimulus == name)
}

/// Index of an answer line within its port (such as [`ISR`]); `None` for other lines.
pub fn response(name: &str) -> Option<usize> {
    PORTS.iter().find_map(|port| port.lines.iter().position(|line| *line == name))
}

/// The name of a line on screen. A line that is not of the connector keeps its name.
pub fn shown(name: &str) -> &str {
    let stimulus = PORTS.iter().find(|port| port.stimulus == name).map(|port| port.stimulus_shown);
    let response = || response(name).and_then(|line| SHOWN.get(line)).copied();
    stimulus.or_else(response).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined() -> Vec<(String, u64)> {
        let header = include_str!("../../../wire/connector.h");
        let definitions = header.lines().filter_map(|line| line.strip_prefix("#define CONNECTOR_"));
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
            None => text.parse().unwrap(),
        };
        let parts = definitions.map(|definition| definition.split_once(' ').expect("a name and a number"));
        parts.map(|(name, value)| (name.to_string(), number(value))).collect()
    }

    fn value(wanted: &str) -> u64 {
        defined().into_iter().find(|(name, _)| name == wanted).unwrap_or_else(|| panic!("{wanted}")).1
    }

    #[test]
    fn ports_and_interrupts_are_those_of_the_header() {
        for port in PORTS {
            let letter = port.letter.to_ascii_uppercase();
            assert_eq!(u64::from(port.io), value(&format!("{letter}_PORT")));
            assert_eq!(u64::from(port.irq), value(&format!("{letter}_IRQ")));
        }
    }

    #[test]
    fn every_line_of_the_header_has_its_bit_and_its_name() {
        let lines: Vec<(String, u64)> = defined()
            .into_iter()
            .filter_map(|(name, bit)| Some((name.strip_prefix("LINE_")?.to_lowercase(), bit)))
            .collect();
        assert_eq!(lines.len(), MARK + 1);
        for (index, (name, bit)) in lines.iter().enumerate() {
            assert_eq!(*bit, 1 << index, "{name}");
            assert_eq!(A.lines[index], name);
            assert_eq!(B.lines[index], format!("{}{name}", B.prefix));
        }
        let named = [(ISR, "isr"), (IST, "ist"), (APP, "app"), (PROGRESS, "progress"), (MARK, "mark")];
        assert!(named.into_iter().all(|(index, name)| A.lines[index] == name));
    }

    #[test]
    fn lines_of_either_port_are_shown_alike_and_others_as_they_are() {
        let names = ["stimulus_b", "isr", "b_isr", "b_app", "progress", "a_d5", "pwm", "b_pwm"];
        assert_eq!(names.map(shown), ["stimulus B", "ISR", "ISR", "APP", "progress", "a_d5", "pwm", "b_pwm"]);
        assert_eq!(names.map(is_stimulus).iter().filter(|is| **is).count(), 1);
    }

    #[test]
    fn the_document_says_the_same_numbers() {
        let document = include_str!("../../../wire/CONNECTOR.md");
        for port in PORTS {
            let row = format!("| {} | {:#x} | {} |", port.letter.to_ascii_uppercase(), port.io, port.irq);
            assert!(document.contains(&row), "{row}");
        }
        for (index, name) in A.lines[..=MARK].iter().enumerate() {
            assert!(document.contains(&format!("| D{index} | `{name}` |")), "{name}");
        }
        for name in ["CHANNEL_PORT", "END_PORT", "PRESENT", "COUNT_FROM_PORT", "COUNT_TO_PORT"] {
            assert!(document.contains(&format!("{:#X}", value(name)).replace("0X", "0x")), "{name}");
        }
    }
}
