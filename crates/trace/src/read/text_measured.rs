// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measurements that tools wrote into the kernel's trace: timerlat, osnoise, and cyclictest's mark at its threshold.
use super::text_row::seconds;
use crate::event::{Name, Noise, Section, Thread, ToolFigure};

/// cyclictest's mark, `hit latency threshold (72 > 30)`, in microseconds.
const MARK: &str = "hit latency threshold (";

pub(super) fn measured(event: &str, fields: &str) -> Option<ToolFigure> {
    match event {
        "timerlat" => timerlat(fields),
        "irq_noise" => {
            let (who, from_ns, ns) = noise(fields)?;
            let name = who.rsplit_once(':').map_or(who, |(name, _)| name).trim();
            Some(ToolFigure::Noise { by: Noise::Section(Section::Interrupt(name_of(name))), from_ns, ns })
        }
        "softirq_noise" => {
            let (who, from_ns, ns) = noise(fields)?;
            let vector = who.rsplit_once(':').map_or(who, |(_, vector)| vector).trim().parse().ok()?;
            Some(ToolFigure::Noise { by: Noise::Section(Section::Softirq(vector)), from_ns, ns })
        }
        "nmi_noise" => {
            let (_, from_ns, ns) = noise(fields)?;
            Some(ToolFigure::Noise { by: Noise::Section(Section::Interrupt(name_of("NMI"))), from_ns, ns })
        }
        "thread_noise" => {
            let (who, from_ns, ns) = noise(fields)?;
            let (name, id) = who.rsplit_once(':')?;
            let thread = Thread { name: name_of(name.trim()), ..Thread::numbered(id.trim().parse().ok()?) };
            Some(ToolFigure::Noise { by: Noise::Thread(thread), from_ns, ns })
        }
        "sample_threshold" => {
            let (_, from_ns, ns) = noise(fields)?;
            Some(ToolFigure::Gap { from_ns, ns })
        }
        "tracing_mark_write" | "print" => {
            let (value, _) = fields.split_once(MARK)?.1.split_once(" > ")?;
            Some(ToolFigure::Mark { ns: value.parse::<u64>().ok()?.checked_mul(1_000)? })
        }
        _ => None,
    }
}

// `context    irq timer_latency     12505 ns`; trace-cmd prints `context:0 timer_latency:12505`.
fn timerlat(fields: &str) -> Option<ToolFigure> {
    let (_, rest) = fields.split_once("context")?;
    let mut words = rest.split(|letter: char| letter.is_whitespace() || letter == ':').filter(|word| !word.is_empty());
    let (context, label, ns, unit) = (words.next()?, words.next()?, words.next()?.parse().ok()?, words.next());
    match (context, unit) {
        _ if label != "timer_latency" => None,
        ("irq", Some("ns")) | ("0", None) => Some(ToolFigure::Irq { ns }),
        ("thread", Some("ns")) | ("1", None) => Some(ToolFigure::Thread { ns }),
        ("user-ret", Some("ns")) | ("2", None) => Some(ToolFigure::User { ns }),
        _ => None,
    }
}

/// `local_timer:236 start 426.271245463 duration 12553 ns`: source, start and duration.
fn noise(fields: &str) -> Option<(&str, u64, u64)> {
    let at = fields.find("start ")?;
    let (who, rest) = (fields[..at].trim(), &fields[at + 6..]);
    let (from, rest) = rest.split_once(" duration ")?;
    let ns = rest.split_ascii_whitespace().next()?.parse().ok()?;
    Some((who, seconds(from.trim())?, ns))
}

pub(super) fn name_of(text: &str) -> Name {
    Name::new(text.as_bytes().get(..16).unwrap_or(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_timerlat_and_osnoise_are_measurements() {
        assert_eq!(
            measured("timerlat", "context    irq timer_latency     12505 ns"),
            Some(ToolFigure::Irq { ns: 12_505 })
        );
        assert_eq!(
            measured("timerlat", "context thread timer_latency 30328 ns"),
            Some(ToolFigure::Thread { ns: 30_328 })
        );
        let of_trace_cmd = measured("timerlat", "seq:58634\tcontext:1\ttimer_latency:30328");
        assert_eq!(of_trace_cmd, Some(ToolFigure::Thread { ns: 30_328 }));
        let irq = measured("irq_noise", "virtio0-output.0:47 start 2932.676620180 duration 86 ns");
        let by = Noise::Section(Section::Interrupt(Name::new(b"virtio0-output.0")));
        assert_eq!(irq, Some(ToolFigure::Noise { by, from_ns: 2_932_676_620_180, ns: 86 }));
        let thread = measured("thread_noise", "      sh:109404 start 426.271245853 duration 4769 ns");
        let Some(ToolFigure::Noise { by: Noise::Thread(sh), ns: 4_769, .. }) = thread else { panic!("{thread:?}") };
        assert_eq!((sh.id, sh.name.to_string().as_str(), sh.is_number()), (109_404, "sh", true));
        let softirq = measured("softirq_noise", "   RCU:9 start 1.000000001 duration 5 ns");
        assert_eq!(
            softirq,
            Some(ToolFigure::Noise { by: Noise::Section(Section::Softirq(9)), from_ns: 1_000_000_001, ns: 5 })
        );
        let gap = measured("sample_threshold", "start 8.000000001 duration 12 ns interference 3");
        assert_eq!(gap, Some(ToolFigure::Gap { from_ns: 8_000_000_001, ns: 12 }));
        let mark = measured("tracing_mark_write", "hit latency threshold (72 > 30)");
        assert_eq!(mark, Some(ToolFigure::Mark { ns: 72_000 }));
    }

    #[test]
    fn what_lacks_a_figure_is_none() {
        for (event, fields) in [
            ("timerlat", "context    irq timer_latency     18446744073709551616 ns"),
            ("timerlat", "context    irq timer_latency     12505"),
            ("irq_noise", "local_timer:236 start 426.271245463"),
            ("thread_noise", "sh start 1.0 duration 5 ns"),
            ("tracing_mark_write", "hit latency threshold (18446744073709551615 > 30)"),
            ("tracing_mark_write", "something else"),
        ] {
            assert_eq!(measured(event, fields), None, "{event} {fields}");
        }
    }
}
