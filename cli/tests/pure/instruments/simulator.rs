// SPDX-License-Identifier: MIT OR Apache-2.0
//! A function generator and an oscilloscope with SCPI over TCP, and between them a device that is busy after each pulse and loses others
//! meanwhile.
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

const LATENCY_NS: u64 = 5_000;
const POINTS: usize = 2_500;
const VOLTS_A_STEP: f64 = 0.01;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manner {
    Good,
    Slow,
    AnotherGenerator,
    AnotherScope,
    RefusesFrequency,
    Silent,
    // An endless answer, a letter at a time, or at full speed.
    Mumbles,
    Floods,
    HangsUp,
    SeesTwice,
    NoCurve,
    CutCurve,
}

#[derive(Default)]
struct State {
    said: Vec<String>,
    errors: Vec<String>,
    output: bool,
    hz: f64,
    pulses: u64,
    armed: bool,
    division: f64,
    channel: String,
    burst: Vec<u64>,
    bursts: usize,
}

pub struct Bench {
    state: Arc<(Mutex<State>, Condvar)>,
    generator: SocketAddr,
    scope: SocketAddr,
}

type Answer = Option<Vec<u8>>;
type Instrument = fn(&mut State, &str, Manner, u64) -> Answer;

impl Bench {
    // Both listen from now on. The device is busy this long after each pulse.
    pub fn start(manner: Manner, busy_ns: u64) -> Self {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let listen = |instrument: Instrument| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let state = state.clone();
            std::thread::spawn(move || serve(&listener, instrument, manner, busy_ns, &state));
            address
        };
        let (generator, scope) = (listen(generator), listen(scope));
        Self { state, generator, scope }
    }

    pub fn generator(&self) -> String {
        format!("tcp:{}", self.generator)
    }

    pub fn scope(&self) -> String {
        format!("tcp:{}", self.scope)
    }

    // The words that came last may still be on their way when the tool has ended.
    pub fn output_is_on(&self) -> bool {
        let (state, changed) = &*self.state;
        let guard = state.lock().unwrap();
        changed.wait_timeout_while(guard, Duration::from_secs(5), |state| state.output).unwrap().0.output
    }

    pub fn said(&self) -> Vec<String> {
        self.state.0.lock().unwrap().said.clone()
    }

    pub fn wait_for_bursts(&self, bursts: usize) {
        let (state, changed) = &*self.state;
        drop(changed.wait_while(state.lock().unwrap(), |state| state.bursts < bursts).unwrap());
    }
}

fn serve(
    listener: &TcpListener,
    instrument: Instrument,
    manner: Manner,
    busy_ns: u64,
    shared: &(Mutex<State>, Condvar),
) {
    let Ok((stream, _)) = listener.accept() else { return };
    let mut answers: TcpStream = stream.try_clone().unwrap();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if manner == Manner::HangsUp {
            return;
        }
        let answer = {
            let mut state = shared.0.lock().unwrap();
            state.said.push(line.clone());
            instrument(&mut state, &line, manner, busy_ns)
        };
        shared.1.notify_all();
        if line == "*TRG" && manner == Manner::Slow {
            std::thread::sleep(Duration::from_millis(100));
        }
        if matches!(manner, Manner::Mumbles | Manner::Floods) && answer.is_some() {
            goes_on(&mut answers, manner);
            return;
        }
        let told = answer.filter(|_| manner != Manner::Silent).map_or(Ok(()), |answer| answers.write_all(&answer));
        if told.is_err() {
            return;
        }
    }
}

fn goes_on(answers: &mut TcpStream, manner: Manner) {
    let many = [b'x'; 1 << 16];
    loop {
        let said = if manner == Manner::Floods { &many[..] } else { &many[..1] };
        if answers.write_all(said).is_err() {
            return;
        }
        if manner == Manner::Mumbles {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn line(text: impl Into<String>) -> Answer {
    Some((text.into() + "\n").into_bytes())
}

fn generator(state: &mut State, told: &str, manner: Manner, _: u64) -> Answer {
    let (word, value) = told.split_once(' ').unwrap_or((told, ""));
    match word {
        "*IDN?" if manner == Manner::AnotherGenerator => return line("ACME,Toaster 9,0,1.0"),
        "*IDN?" => return line("Agilent Technologies,33210A,MY48000001,1.02-1.02-22-2"),
        "*OPC?" => return line("1"),
        "SYST:ERR?" => return line(state.errors.pop().unwrap_or("+0,\"No error\"".to_string())),
        "*CLS" => state.errors.clear(),
        "OUTP" => state.output = value == "ON",
        "FREQ" if manner == Manner::RefusesFrequency => state.errors.push("-222,\"Data out of range\"".to_string()),
        "FREQ" => state.hz = value.parse().unwrap(),
        "BURS:NCYC" => state.pulses = value.parse().unwrap(),
        "*TRG" => fire(state),
        "FUNC" | "VOLT:HIGH" | "VOLT:LOW" | "FUNC:SQU:DCYC" | "TRIG:SOUR" | "BURS:MODE" | "BURS:PHAS" | "BURS:STAT" => {
        }
        _ => state.errors.push("-113,\"Undefined header\"".to_string()),
    }
    None
}

fn fire(state: &mut State) {
    if state.output && state.armed {
        let period = 1e9 / state.hz;
        state.burst = (0..state.pulses).map(|number| (number as f64 * period) as u64).collect();
        state.armed = false;
    }
    state.bursts += 1;
}

fn scope(state: &mut State, told: &str, manner: Manner, busy_ns: u64) -> Answer {
    let (word, value) = told.split_once(' ').unwrap_or((told, ""));
    match word {
        "*IDN?" if manner == Manner::AnotherScope => line("ACME,Toaster 9,0,1.0"),
        "*IDN?" => line("TEKTRONIX,TDS 2014B,C012345,CF:91.1CT FV:v22.11"),
        "*ESR?" => line("0"),
        "TRIG:STATE?" => line(":TRIGGER:STATE READY"),
        "ACQ:STATE?" => line(format!(":ACQUIRE:STATE {}", u8::from(state.armed))),
        "WFMPRE?" => line(format!(
            ":WFMPRE:BYT_NR 2;BIT_NR 16;ENC BIN;BN_FMT RI;BYT_OR MSB;NR_PT {POINTS};PT_FMT Y;XINCR {:e};XZERO 0;\
             YMULT {VOLTS_A_STEP};YZERO 0;YOFF 0",
            state.division * 10.0 / POINTS as f64
        )),
        "CURVE?" if manner == Manner::NoCurve => line(":CURVE gone"),
        "CURVE?" => Some(curve(state, manner, busy_ns)),
        _ => {
            match word {
                "ACQ:STATE" => state.armed = value == "RUN",
                "HOR:MAI:SCA" => state.division = value.parse().unwrap(),
                "DATA:SOU" => state.channel = value.to_string(),
                _ => {}
            }
            None
        }
    }
}

// A block of two bytes a sample, the trigger one division from the left.
fn curve(state: &State, manner: Manner, busy_ns: u64) -> Vec<u8> {
    let step = state.division * 1e10 / POINTS as f64;
    let period = 1e9 / state.hz;
    let (starts, width) = match state.channel.as_str() {
        "CH1" if manner == Manner::SeesTwice => {
            (state.burst.iter().flat_map(|at| [*at, at + (period / 2.0) as u64]).collect(), 0.2 * period)
        }
        "CH1" => (state.burst.clone(), 0.2 * period),
        _ => (answers(&state.burst, busy_ns), 0.3 * period.min(20_000.0)),
    };
    let high = |at: f64| starts.iter().any(|start| (*start as f64..*start as f64 + width).contains(&at));
    let sample =
        |point: usize| if high((point as f64 - POINTS as f64 / 10.0) * step) { (3.3 / VOLTS_A_STEP) as i16 } else { 0 };
    let points = if manner == Manner::CutCurve && state.channel != "CH1" { POINTS / 2 } else { POINTS };
    let samples: Vec<u8> = (0..points).flat_map(|point| sample(point).to_be_bytes()).collect();
    [format!(":CURVE #4{}", samples.len()).as_bytes(), &samples, b"\n"].concat()
}

fn answers(burst: &[u64], busy_ns: u64) -> Vec<u64> {
    let mut free = 0;
    let mut found = Vec::new();
    for at in burst {
        if *at >= free {
            found.push(at + LATENCY_NS);
            free = at + busy_ns;
        }
    }
    found
}
