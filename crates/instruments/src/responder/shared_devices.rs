// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kinds of devices, and how the name of a line selects one.
use super::line::{Address, Edge, Fault, Input, Output, PIPE};
use super::{gpio, modem, parport, pipe};

#[derive(Default)]
pub struct SharedDevices {
    parports: parport::Held,
}

impl SharedDevices {
    pub fn input(&mut self, address: &Address, edge: Edge) -> Result<Box<dyn Input>, Fault> {
        Ok(match kind(address)? {
            Kind::Gpio => Box::new(gpio::Stimulus::open(address, edge)?),
            Kind::Parport => Box::new(parport::Stimulus::open(address, &mut self.parports)?),
            Kind::Modem => Box::new(modem::Stimulus::open(address, edge)?),
            Kind::Pipe => Box::new(pipe::Stimulus::open(address)?),
        })
    }

    pub fn output(&mut self, address: &Address) -> Result<Box<dyn Output>, Fault> {
        Ok(match kind(address)? {
            Kind::Gpio => Box::new(gpio::Answer::open(address)?),
            Kind::Parport => Box::new(parport::Answer::open(address, &mut self.parports)?),
            Kind::Modem => Box::new(modem::Answer::open(address)?),
            Kind::Pipe => Box::new(pipe::Answer::open(address)?),
        })
    }
}

enum Kind {
    Gpio,
    Parport,
    Modem,
    Pipe,
}

fn kind(address: &Address) -> Result<Kind, Fault> {
    let name = address.device.file_name().unwrap_or_default().to_string_lossy();
    let known = [("gpiochip", Kind::Gpio), ("parport", Kind::Parport), ("tty", Kind::Modem), (PIPE, Kind::Pipe)];
    let found = known.into_iter().find(|(begins, _)| name.starts_with(begins)).map(|(_, kind)| kind);
    found.ok_or_else(|| Fault::NoKind(address.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_line_is_refused_by_what_there_is() {
        let mut opened = SharedDevices::default();
        for (text, expected) in [
            ("/dev/null:1", "unknown device; expected /dev/gpiochipN"),
            ("/dev/gpiochip99:x", "a GPIO chip has the lines 0, 1, 2 and so on"),
            ("/dev/ttyNONE:x", "a serial port has the inputs cts, dsr and dcd"),
            ("/dev/parport99:d0", "a parallel port has the input ack"),
            ("/dev/gpiochip99:1", "/dev/gpiochip99:1: No such file or directory"),
            ("/dev/ttyNONE:cts", "/dev/ttyNONE:cts: No such file or directory"),
            ("/dev/parport99:ack", "/dev/parport99:ack: No such file or directory"),
        ] {
            let said = opened.input(&text.parse().unwrap(), Edge::Rise).err().unwrap().to_string();
            assert!(said.contains(expected), "{text}: {said}");
        }
        for (text, expected) in [
            ("/dev/ttyNONE:cts", "a serial port has the outputs rts and dtr"),
            ("/dev/parport99:d8", "a parallel port has the outputs d0 to d7"),
        ] {
            let said = opened.output(&text.parse().unwrap()).err().unwrap().to_string();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }
}
