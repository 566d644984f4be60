// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a perf sample has its time, its CPU and the kernel's record: perf_event_open(2), PERF_RECORD_SAMPLE.

const IDENTIFIER: u64 = 1 << 16;
const IP: u64 = 1 << 0;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDR: u64 = 1 << 3;
const ID: u64 = 1 << 6;
const STREAM_ID: u64 = 1 << 9;
const CPU: u64 = 1 << 7;
const PERIOD: u64 = 1 << 8;
const READ: u64 = 1 << 4;
const CALLCHAIN: u64 = 1 << 5;
const RAW: u64 = 1 << 10;
const CPUS_MAX: u32 = 1 << 16;

const TRACEPOINT: u64 = 2;
// Flags of perf_event_attr: the period is a frequency; the event counts from a command's start.
const FREQUENCY: u64 = 1 << 10;
const ON_EXEC: u64 = 1 << 12;

// Why an event with these fields of perf_event_attr was not recorded each time that it happened.
pub(super) fn lacks_events(type_of: u64, period: u64, flags: u64) -> Result<(), &'static str> {
    if type_of & u64::from(u32::MAX) != TRACEPOINT {
        return Ok(());
    }
    if flags & FREQUENCY != 0 || period > 1 {
        return Err("perf recorded only some of the events (-F or -c); record with perf sched record");
    }
    if flags & ON_EXEC != 0 {
        return Err(
            "perf recorded one command alone, so the threads that ran instead of it are missing; record with perf sched \
            record, or \
            with perf record -a",
        );
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SampleLayout {
    time_at: usize,
    cpu_at: usize,
    rest_at: usize,
    has_calls: bool,
    /// Offsets of the time and the CPU from the end of a record that is no sample.
    from_end: [usize; 2],
}

pub(super) type Written = (u64, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleFields<'a> {
    pub(super) at_ns: u64,
    pub(super) cpu: u32,
    pub(super) record: &'a [u8],
}

impl SampleLayout {
    /// The form of this kind of samples, which must contain time, CPU and the kernel's record.
    pub(super) fn of(kind: u64) -> Result<Self, &'static str> {
        if kind & (TIME | CPU | RAW) != TIME | CPU | RAW || kind & READ != 0 {
            return Err("samples without time, CPU or raw record; record with perf sched record");
        }
        let fields = [IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD];
        let place = |wanted: u64| {
            let before = fields.iter().take_while(|field| **field != wanted);
            8 * before.filter(|field| kind & **field != 0).count()
        };
        let rest_at = 8 * fields.iter().filter(|field| kind & **field != 0).count();
        let behind = [TIME, ID, STREAM_ID, CPU, IDENTIFIER];
        let from_end = [TIME, CPU].map(|wanted| {
            let from = behind.iter().skip_while(|field| **field != wanted);
            8 * from.filter(|field| kind & **field != 0).count()
        });
        Ok(Self { time_at: place(TIME), cpu_at: place(CPU), rest_at, has_calls: kind & CALLCHAIN != 0, from_end })
    }

    /// Time and CPU of a record that is no sample, after its own fields; `None` if missing.
    pub(super) fn written(&self, body: &[u8], own_bytes: usize) -> Option<Written> {
        let [time_at, cpu_at] = self.from_end.map(|from_end| body.len().checked_sub(from_end));
        let long = |at: usize| body.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (time_at, cpu_at) = (time_at.filter(|at| *at >= own_bytes)?, cpu_at?);
        let cpu = long(cpu_at)? as u32;
        Some((long(time_at)?, cpu)).filter(|_| cpu < CPUS_MAX)
    }

    pub(super) fn begins_with_number(kind: u64) -> bool {
        kind & IDENTIFIER != 0
    }

    pub(super) fn read<'a>(&self, body: &'a [u8]) -> Result<SampleFields<'a>, &'static str> {
        const SHORT: &str = "a sample is too short";
        let long = |at: usize| body.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let at_ns = long(self.time_at).ok_or(SHORT)?;
        let cpu = long(self.cpu_at).ok_or(SHORT)? as u32;
        if cpu >= CPUS_MAX {
            return Err("a sample with a CPU number out of range");
        }
        let mut rest_at = self.rest_at;
        if self.has_calls {
            let calls = usize::try_from(long(rest_at).ok_or(SHORT)?).map_err(|_| SHORT)?;
            rest_at = calls.checked_mul(8).and_then(|bytes| bytes.checked_add(rest_at + 8)).ok_or(SHORT)?;
        }
        let rest = body.get(rest_at..).ok_or(SHORT)?;
        let (length, rest) = rest.split_first_chunk().ok_or(SHORT)?;
        let record = rest.get(..u32::from_le_bytes(*length) as usize).ok_or(SHORT)?;
        Ok(SampleFields { at_ns, cpu, record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_lie_one_behind_the_other() {
        let layout = SampleLayout::of(IP | TID | TIME | CPU | PERIOD | RAW | CALLCHAIN).unwrap();
        let mut body = [1u64, 2, 3_000, 5, 1, 2, 77, 78].map(u64::to_le_bytes).concat();
        body.extend(4u32.to_le_bytes());
        body.extend(b"abcd");
        assert_eq!(layout.read(&body), Ok(SampleFields { at_ns: 3_000, cpu: 5, record: b"abcd" }));
        assert!(layout.read(&body[..body.len() - 1]).is_err());
        assert!(SampleLayout::of(IP | TID).is_err());
    }

    #[test]
    fn a_record_that_is_no_sample_tells_its_time_and_processor_from_its_end() {
        let layout = SampleLayout::of(IP | TID | TIME | CPU | ID | RAW).unwrap();
        // A record of lost events: event number and count, then process and thread, time, event number, processor.
        let body = [7u64, 12, 3, 5_000, 7, 2].map(u64::to_le_bytes).concat();
        assert_eq!(layout.written(&body, 16), Some((5_000, 2)));
        assert_eq!(layout.written(&body[..16], 16), None);
    }

    // The last numbers are the flags that perf 6.1 wrote: for record -a, with -F 99, and without -a.
    #[test]
    fn a_recording_of_a_part_of_the_events_is_refused() {
        assert_eq!(lacks_events(TRACEPOINT, 1, 0x14_0003), Ok(()));
        assert_eq!(lacks_events(1, 99, 0x6184_2702), Ok(()), "no event of the kernel's trace");
        assert!(lacks_events(TRACEPOINT, 99, 0x14_0403).unwrap_err().contains("-F or -c"));
        assert!(lacks_events(TRACEPOINT, 3, 0x14_0003).unwrap_err().contains("-F or -c"));
        assert!(lacks_events(TRACEPOINT, 1, 0x14_1003).unwrap_err().contains("one command alone"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(kind: u64, body in proptest::collection::vec(any::<u8>(), 0..120)) {
            if let Ok(layout) = SampleLayout::of((kind & 0x1_07ff | TIME | CPU | RAW) & !READ) {
                let _ = (layout.read(&body), layout.written(&body, 16));
            }
        }
    }
}
