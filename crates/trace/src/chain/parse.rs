// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses a chain in its one-line form. Errors name the column.
use super::spec::{BadSpec, End, Hop, Spec};
use super::words::{checked, end, hop, start};

const LETTERS_MAX: usize = 4_096;

struct Segment<'a> {
    column: usize,
    words: Vec<&'a str>,
    /// Part of the word was quoted, so it is a name even if it looks like a keyword or a number.
    quoted: bool,
}

pub(super) fn spec(text: &str) -> Result<Spec, BadSpec> {
    if text.len() > LETTERS_MAX {
        return Err(BadSpec { column: 1, what: format!("longer than {LETTERS_MAX} letters") });
    }
    let segments = segments(text)?;
    let bad = |segment: &Segment<'_>, what: String| BadSpec { column: segment.column, what };
    let (first, rest) = segments.split_first().expect("a text has a segment");
    let start = start(&first.words).map_err(|what| bad(first, what))?;
    let (hops, end) = hops_and_end(rest)?;
    let spec = Spec { name: "chain".to_string(), start, hops, end, period_ns: None, deadline_ns: None };
    checked(spec).map_err(|what| bad(rest.first().unwrap_or(first), what))
}

fn hops_and_end(segments: &[Segment<'_>]) -> Result<(Vec<Hop>, End), BadSpec> {
    let (mut hops, mut last) = (Vec::new(), None);
    for (number, segment) in segments.iter().enumerate() {
        let bad = |what: String| BadSpec { column: segment.column, what };
        let is_last = number + 1 == segments.len();
        let ended = if segment.quoted { None } else { end(&segment.words).map_err(bad)? };
        match ended {
            Some(end) if is_last => last = Some(end),
            Some(end) => return Err(bad(format!("'{end}' must come last; quote it if it is a thread"))),
            None if segment.quoted && segment.words.len() == 1 => {
                hops.push(Hop::thread(super::pattern::Pattern::new(segment.words[0])));
            }
            None => hops.push(hop(&segment.words).map_err(bad)?),
        }
    }
    Ok((hops, last.unwrap_or(End::Sleep)))
}

fn segments(text: &str) -> Result<Vec<Segment<'_>>, BadSpec> {
    let mut all = Vec::new();
    let mut segment = Segment { column: 1, words: Vec::new(), quoted: false };
    let mut word: Option<usize> = None;
    let letters = text.char_indices().enumerate();
    let mut quote: Option<(usize, usize)> = None;
    let begin = |segment: &mut Segment<'_>, column: usize| {
        if segment.words.is_empty() {
            segment.column = column + 1;
        }
    };
    for (column, (at, letter)) in letters {
        match (letter, quote) {
            ('"', Some((from, _))) => {
                segment.words.push(&text[from..at]);
                (quote, segment.quoted) = (None, true);
            }
            (_, Some(_)) => {}
            ('"', None) if word.is_none() => {
                begin(&mut segment, column);
                quote = Some((at + 1, column));
            }
            (letter, None) if letter == '>' || letter.is_whitespace() => {
                segment.words.extend(word.take().map(|from| &text[from..at]));
                if letter == '>' {
                    if segment.words.is_empty() {
                        segment.column = column + 1;
                    }
                    all.push(std::mem::replace(
                        &mut segment,
                        Segment { column: column + 2, words: Vec::new(), quoted: false },
                    ));
                }
            }
            (_, None) => {
                if word.is_none() {
                    begin(&mut segment, column);
                    word = Some(at);
                }
            }
        }
    }
    if let Some((_, column)) = quote {
        return Err(BadSpec { column: column + 1, what: "a closing quote is missing".to_string() });
    }
    segment.words.extend(word.map(|from| &text[from..]));
    all.push(segment);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::pattern::Pattern;
    use crate::chain::spec::{By, Start, Takes};
    use proptest::prelude::*;

    #[test]
    fn the_form_of_the_manual_is_read_and_shown_again() {
        for text in [
            "timer servo > servo > worker > act > call write",
            "irq eth0-rx* > irq/*-eth0 > control",
            "packet eth0 > softirq NET_RX > each dds.udp.* > controller > packet eth0",
            "timer a > a > polls b > wakes c",
            "call servo read > servo > 4711 > runs",
            "timer T#1 > T#1 > softirq NET_RX > T#1 > packet eth1",
            "irq can0 > work can_rx_work > canrx",
            "mark frame begins > camera > each left + right > 812/fuse > mark frame*",
            "packet eth0 > each left + right",
        ] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), text);
        }
        let spec = Spec::parse("timer servo > servo").unwrap();
        assert_eq!((spec.end, spec.start), (End::Sleep, Start::Timer(Pattern::Name("servo".to_string()))));
    }

    #[test]
    fn a_quoted_name_may_have_blanks_arrows_and_the_words_of_ends() {
        let spec = Spec::parse(r#"irq x > "a > b" > "sleep" > each c"#).unwrap();
        let names: Vec<String> = spec.hops.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a > b", "sleep", "c"]);
        assert_eq!((spec.end, spec.hops[2].takes), (End::Sleep, Takes::Each));
        assert!(matches!(&spec.hops[0].by, By::Thread(_)));
    }

    #[test]
    fn each_mistake_has_its_column_and_the_nearest_word() {
        for (text, says) in [
            ("", "chain, column 1: no start; a chain must begin with timer, irq, packet, wake, call or mark"),
            ("timr servo > servo", "chain, column 1: unknown start 'timr'; did you mean 'timer'?"),
            (
                "timer > servo",
                "chain, column 1: 'timer' must be followed by the name of the thread that sets the timer",
            ),
            ("timer servo", "chain, column 1: no thread after the start"),
            ("timer servo > > act", "chain, column 15: expected a thread between two '>'"),
            ("timer a > a > b > call", "chain, column 19: 'call' must be followed by a system call"),
            ("timer a > a > sleep > b", "chain, column 15: 'sleep' must come last"),
            ("timer a > a > softirq NETRX > b", "chain, column 15: unknown softirq 'NETRX'; did you mean 'NET_RX'?"),
            ("timer a > b", "chain, column 11: the chain starts at a, but the first thread is b; write '> a > b'"),
            ("timer a > a > a", "chain, column 11: two successive hops are a; remove one of them"),
            ("irq x > polls a", "chain, column 9: the first hop cannot poll"),
            ("mark > a", "chain, column 1: 'mark' must be followed by the text that the program writes"),
            ("irq x > a > mark", "chain, column 13: 'mark' must be followed by a text"),
            ("irq x > a + > b", "chain, column 9: expected a thread before and after '+'"),
            ("irq x > a + a > b", "chain, column 9: a + a names a thread twice"),
            ("irq x > a > b + a", "chain, column 9: two successive hops are a; remove one of them"),
            ("timer a > a + b", "chain, column 11: the chain starts at a alone; write '> a > a + b'"),
            (
                "irq x > a + b > c + d > e + f > g + h",
                "chain, column 9: 16 paths through the chain's joins exceed the limit of 8",
            ),
            ("irq x > softirq NET_RX", "chain, column 9: the last hop must be a thread"),
            ("irq \"x > a", "chain, column 5: a closing quote is missing"),
        ] {
            let said = Spec::parse(text).unwrap_err().to_string();
            assert!(said.starts_with(says), "{text}: {said}");
        }
        let long = format!("irq x{}", (0..17).map(|hop| format!(" > t{hop}")).collect::<String>());
        assert!(Spec::parse(&long).unwrap_err().what.starts_with("17 hops exceed the limit of 16"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_chain_or_one_line(text in ".{0,120}") {
            match Spec::parse(&text) {
                Ok(spec) => prop_assert!(!spec.hops.is_empty()),
                Err(error) => prop_assert_eq!(error.to_string().lines().count().max(1), 1),
            }
        }
    }
}
