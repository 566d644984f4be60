// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the words of a chain (start, hop, end), and rejects combinations that make no sense.
use super::pattern::Pattern;
use super::spec::{By, End, HOPS_MAX, Hop, PATHS_MAX, Spec, Start, Takes};
use crate::event::softirq;
use backwall_model::units::near::near;

pub(super) const STARTS: [&str; 6] = ["timer", "irq", "packet", "wake", "call", "mark"];

pub(super) fn start(words: &[&str]) -> Result<Start, String> {
    let Some((kind, rest)) = words.split_first() else {
        return Err(format!("no start; a chain must begin with {}", listed(&STARTS)));
    };
    let one = |what: &str| match rest {
        [] => Err(format!("'{kind}' must be followed by {what}")),
        words => Ok(Pattern::new(&words.join(" "))),
    };
    match *kind {
        "timer" => Ok(Start::Timer(one("the name of the thread that sets the timer")?)),
        "irq" => Ok(Start::Interrupt(one("the name of an interrupt")?)),
        "packet" => Ok(Start::Packet(one("the name of a network device")?)),
        "wake" => Ok(Start::Wake(one("the name of a thread")?)),
        "mark" => Ok(Start::Mark(one("the text that the program writes to trace_marker")?)),
        "call" => match rest {
            [thread @ .., call] if !thread.is_empty() => {
                Ok(Start::Call { thread: Pattern::new(&thread.join(" ")), call: call.to_string() })
            }
            _ => Err("'call' must be followed by a thread and a system call: call servo read".to_string()),
        },
        other => Err(format!("unknown start '{other}'{}; expected {}", meant(other, &STARTS), listed(&STARTS))),
    }
}

pub(super) fn hop(words: &[&str]) -> Result<Hop, String> {
    match words {
        ["softirq", name] => {
            let names: Vec<String> =
                (0..=u8::MAX).map(softirq::name).take_while(|name| name.parse::<u8>().is_err()).collect();
            let number = names.iter().position(|known| known == name);
            let number = number.ok_or_else(|| {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                format!("unknown softirq '{name}'{}; expected {}", meant(name, &known), listed(&known))
            })?;
            Ok(Hop { by: By::Softirq(number as u8), takes: Takes::default(), polls: false })
        }
        ["work", function] => Ok(Hop { by: By::Work(function.to_string()), takes: Takes::default(), polls: false }),
        ["polls", rest @ ..] if !rest.is_empty() => Ok(Hop { polls: true, ..hop(rest)? }),
        ["each", rest @ ..] if !rest.is_empty() => Ok(Hop { takes: Takes::Each, ..hop(rest)? }),
        [] => Err("expected a thread between two '>'".to_string()),
        words if words.contains(&"+") => {
            let threads: Vec<Pattern> =
                words.split(|word| *word == "+").map(|name| Pattern::new(&name.join(" "))).collect();
            if threads.iter().any(|thread| thread.to_string().is_empty()) {
                return Err("expected a thread before and after '+'".to_string());
            }
            Ok(Hop { by: By::All(threads), takes: Takes::default(), polls: false })
        }
        words => Ok(Hop::thread(Pattern::new(&words.join(" ")))),
    }
}

pub(super) fn end(words: &[&str]) -> Result<Option<End>, String> {
    Ok(Some(match words {
        ["sleep"] => End::Sleep,
        ["runs"] => End::Runs,
        ["call", call] => End::Call(call.to_string()),
        ["packet", device] => End::Packet(Pattern::new(device)),
        ["mark", text @ ..] if !text.is_empty() => End::Mark(Pattern::new(&text.join(" "))),
        ["wakes", thread @ ..] if !thread.is_empty() => End::Wakes(Pattern::new(&thread.join(" "))),
        ["call"] => return Err("'call' must be followed by a system call: call write".to_string()),
        ["packet"] => return Err("'packet' must be followed by a network device: packet eth0".to_string()),
        ["mark"] => return Err("'mark' must be followed by a text: mark done".to_string()),
        ["wakes"] => return Err("'wakes' must be followed by the name of a thread".to_string()),
        _ => return Ok(None),
    }))
}

pub(super) fn checked(spec: Spec) -> Result<Spec, String> {
    if spec.hops.is_empty() {
        return Err("no thread after the start: expected START > THREAD > …".to_string());
    }
    if spec.hops.len() > HOPS_MAX {
        return Err(format!("{} hops exceed the limit of {HOPS_MAX}", spec.hops.len()));
    }
    if let Some(hop) = spec.hops.first().filter(|hop| hop.polls) {
        return Err(format!("the first hop cannot poll: {hop}; start the chain with 'timer'"));
    }
    if spec.paths().len() > PATHS_MAX {
        return Err(format!("{} paths through the chain's joins exceed the limit of {PATHS_MAX}", spec.paths().len()));
    }
    if let Some(hop) = spec.hops.iter().find(|hop| !hop.threads_differ()) {
        return Err(format!("{hop} names a thread twice"));
    }
    let twice = spec.hops.windows(2).find(|pair| pair[0].shares(&pair[1]));
    if let Some(pair) = twice {
        return Err(format!("two successive hops are {}; remove one of them", pair[0]));
    }
    if !matches!(spec.hops.last(), Some(Hop { by: By::Thread(_) | By::All(_), .. })) {
        return Err("the last hop must be a thread".to_string());
    }
    match (&spec.start, &spec.hops[0].by) {
        (Start::Timer(own) | Start::Wake(own) | Start::Call { thread: own, .. }, By::Thread(first)) if own != first => {
            Err(format!("the chain starts at {own}, but the first thread is {first}; write '> {own} > {first}'"))
        }
        (Start::Timer(own) | Start::Wake(own) | Start::Call { thread: own, .. }, By::All(_)) => {
            Err(format!("the chain starts at {own} alone; write '> {own} > {}'", spec.hops[0]))
        }
        _ => Ok(spec),
    }
}

fn meant(word: &str, known: &[&str]) -> String {
    near(word, known.iter().copied()).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default()
}

fn listed(words: &[&str]) -> String {
    match words {
        [begin @ .., last] => format!("{} or {last}", begin.join(", ")),
        [] => String::new(),
    }
}
