// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads rteval's XML report: the histograms of its cyclictest, one per CPU.
//!
//! The results of its timerlat are ignored, because rteval adds three kinds of latency into one histogram.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported, Importer};
use backwall_model::{Device, Key};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "rteval",
    about: "rteval's XML report (its cyclictest results)",
    begins: |start| start.contains("<rteval"),
    read,
};

const TWO_FILES: &str = "text after the end of the report; put each report into its own file";
const LONGEST_TEXT: usize = 1 << 16;
const MOST_PROCESSORS: usize = 65_536;

#[derive(Default)]
struct Report {
    imported: Imported,
    in_cyclictest: bool,
    timerlat: bool,
    core: Option<Core>,
    text: String,
    depth: usize,
    has_ended: bool,
}

struct Core {
    counted: Counted,
    bad: Option<&'static str>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut reader = Reader::from_reader(source);
    let mut report = Report::default();
    let mut buffer = Vec::new();
    loop {
        let wrong = |at: u64, fault: &dyn std::fmt::Display| BadImport::whole(format!("byte {at}: {fault}"));
        let event = reader.read_event_into(&mut buffer).map_err(|error| wrong(reader.error_position(), &error))?;
        let at = reader.buffer_position();
        let taken = match event {
            Event::Start(tag) => {
                report.depth += 1;
                if report.has_ended { Err(TWO_FILES.to_string()) } else { report.opens(&tag, load) }
            }
            Event::Empty(tag) => report.opens(&tag, load).and_then(|()| report.closes(tag.name().as_ref())),
            Event::End(tag) => {
                report.depth = report.depth.saturating_sub(1);
                report.has_ended |= report.depth == 0;
                report.closes(tag.name().as_ref())
            }
            Event::Text(text) => report.says(&String::from_utf8_lossy(&text)),
            Event::Eof => break,
            _ => Ok(()),
        };
        taken.map_err(|fault| wrong(at, &fault))?;
        buffer.clear();
    }
    report.finish()
}

fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    Some(String::from_utf8_lossy(&found.value).into_owned())
}

fn number<T: std::str::FromStr>(tag: &BytesStart, name: &str) -> Option<T> {
    attribute(tag, name)?.trim().parse().ok()
}

impl Report {
    fn opens(&mut self, tag: &BytesStart, load: &str) -> Result<(), String> {
        self.text.clear();
        match tag.name().as_ref() {
            b"rteval" => {
                let version = attribute(tag, "version").map_or(String::new(), |version| format!(" {version}"));
                self.imported.tool = format!("rteval{version}");
            }
            b"run_info" => self.imported.seconds = seconds(tag),
            b"kernel" if attribute(tag, "is_RT").is_some() => {
                let real_time = attribute(tag, "is_RT").is_some_and(|is| is != "0");
                self.imported.device.preemption = if real_time { "PREEMPT_RT" } else { "not PREEMPT_RT" }.to_string();
            }
            b"cyclictest" => {
                self.in_cyclictest = true;
                self.imported.asked = attribute(tag, "command_line").or(self.imported.asked.take());
            }
            b"timerlat" => self.timerlat = true,
            b"core" if self.in_cyclictest => self.core = Some(core(tag, load)?),
            b"bucket" => self.bucket(tag)?,
            _ => {}
        }
        Ok(())
    }

    fn bucket(&mut self, tag: &BytesStart) -> Result<(), String> {
        let Some(core) = &mut self.core else { return Ok(()) };
        let (index, count) = (number::<u64>(tag, "index"), number::<u64>(tag, "value"));
        let class = index.zip(count).and_then(|(index, count)| core.counted.value(index.checked_mul(US)?, count));
        class.ok_or_else(|| format!("{}: a bucket must have index and value once each", core.counted.key.label()))
    }

    fn says(&mut self, text: &str) -> Result<(), String> {
        // A report quoted in an e-mail may have quotation marks around it.
        if self.has_ended && !text.trim_matches(|letter: char| letter.is_whitespace() || letter == '>').is_empty() {
            return Err(TWO_FILES.to_string());
        }
        if self.text.len() + text.len() > LONGEST_TEXT {
            return Err("a text exceeds the limit".to_string());
        }
        self.text += text;
        Ok(())
    }

    fn closes(&mut self, name: &[u8]) -> Result<(), String> {
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        match (name, &mut self.core) {
            (b"samples", Some(core)) => core.counted.done = core.figure(text, "samples"),
            (b"minimum", Some(core)) => core.counted.min = core.nanoseconds(text, "minimum"),
            (b"maximum", Some(core)) => core.counted.max = core.nanoseconds(text, "maximum"),
            (b"mean", Some(core)) => core.counted.mean = Some(core.float(text, "mean") * US as f64),
            (b"core", Some(_)) => self.core_ends()?,
            (b"cyclictest", _) => self.in_cyclictest = false,
            (b"kernel", _) if !text.is_empty() && !self.imported.device.preemption.is_empty() => {
                self.imported.device.kernel = format!("Linux {text}");
            }
            _ => {}
        }
        Ok(())
    }

    fn core_ends(&mut self) -> Result<(), String> {
        let Some(Core { counted, bad }) = self.core.take() else { return Ok(()) };
        if let Some(what) = bad {
            return Err(format!("{}: {what} must be a number", counted.key.label()));
        }
        if self.imported.series.len() == MOST_PROCESSORS {
            return Err("too many CPUs".to_string());
        }
        self.imported.series.push(counted.series()?);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, BadImport> {
        if self.core.is_some() || self.in_cyclictest {
            return Err(BadImport::whole("the report ends within cyclictest's results; the file may be truncated"));
        }
        if self.imported.series.is_empty() {
            return Err(BadImport::whole(if self.timerlat { TIMERLAT } else { NOTHING }));
        }
        self.imported.device = Device { kind: "linux".to_string(), ..self.imported.device };
        self.imported.warnings.push(super::cyclictest_json::skips());
        Ok(self.imported)
    }
}

const TIMERLAT: &str = "rteval adds three latencies of timerlat into one histogram; import the output of rtla timerlat \
    hist instead";
const NOTHING: &str = "no cyclictest results; rteval leaves them out if a response exceeded the buckets";

fn core(tag: &BytesStart, load: &str) -> Result<Core, String> {
    let mut key = Key::new("wakeup", load, "unknown");
    key.cpu = Some(number(tag, "id").ok_or("a core without a CPU number")?);
    Ok(Core { counted: Counted::new(key, "expiry", "thread"), bad: None })
}

impl Core {
    fn figure(&mut self, text: &str, what: &'static str) -> u64 {
        text.parse().unwrap_or_else(|_| {
            self.bad = Some(what);
            0
        })
    }

    fn nanoseconds(&mut self, text: &str, what: &'static str) -> u64 {
        self.figure(text, what).checked_mul(US).unwrap_or_else(|| {
            self.bad = Some(what);
            0
        })
    }

    fn float(&mut self, text: &str, what: &'static str) -> f64 {
        text.parse().unwrap_or_else(|_| {
            self.bad = Some(what);
            0.0
        })
    }
}

/// Reads the length of the run from `<run_info days="0" hours="1" minutes="0" seconds="4">`.
fn seconds(tag: &BytesStart) -> Option<f64> {
    let of = |name| number::<u32>(tag, name).map(f64::from);
    Some(of("days")? * 86_400.0 + of("hours")? * 3_600.0 + of("minutes")? * 60.0 + of("seconds")?)
}
