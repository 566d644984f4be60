// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page with images, and the threads that load it, as many as in a browser.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads the clock, uses sockets")]
use super::THREADS;
use super::frame::Frame;
use super::images::{decoded, packed};
use super::server::Server;
use crate::interfere::processor_time::Account;
use backwall_model::picture::ProcessorUse;
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    FetchDecode,
    Draw,
    All,
}

pub(super) struct Page {
    pixels: Vec<Vec<u8>>,
    packed_bytes: u64,
    server: Server,
    frame: Mutex<Frame>,
    accounts: [Account; 3],
}

const WHO: [&str; 3] = ["fetch", "decode", "draw"];

impl Page {
    pub(super) fn of(pixels: Vec<Vec<u8>>) -> Result<Self> {
        let files: Vec<Vec<u8>> = pixels.iter().map(|pixels| packed(pixels)).collect::<Result<_>>()?;
        let packed_bytes = files.iter().map(|file| file.len() as u64).sum();
        let frame = Mutex::new(Frame::of(pixels.len()));
        Ok(Self { pixels, packed_bytes, server: Server::of(files)?, frame, accounts: Default::default() })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.packed_bytes
    }

    /// CPU time of the threads that load pages with all parts, then of the server, which also serves the loads with fewer parts.
    pub(super) fn used(&self) -> Vec<ProcessorUse> {
        let ours = self.accounts.iter().zip(WHO).map(|(account, who)| account.of(who));
        ours.chain([self.server.used()]).collect()
    }

    pub(super) fn load(&self, parts: Parts) -> Result<u64> {
        let next = AtomicUsize::new(0);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let thread = || std::thread::Builder::new().name("bw-browser".into());
            let spawned = (0..THREADS).map(|_| thread().spawn_scoped(scope, || self.share(parts, &next)));
            let threads: Vec<_> = spawned.collect::<Result<_>>()?;
            let panicked = |_| Err(Error::other("internal error: a thread of the browser panicked"));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(panicked))
        })?;
        Ok(begun.elapsed().as_nanos() as u64)
    }

    /// The work of one thread: takes the next image until none is left.
    fn share(&self, parts: Parts, next: &AtomicUsize) -> Result<()> {
        let none = Account::default();
        let [fetch, decode, draw] = self.accounts.each_ref().map(|own| if parts == Parts::All { own } else { &none });
        let mut connection = match parts {
            Parts::Draw => None,
            _ => Some(fetch.charge(|| Connection::to(&self.server))?),
        };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(before) = self.pixels.get(number) else { return Ok(()) };
            let pixels = match &mut connection {
                Some(connection) => {
                    let file = fetch.charge(|| connection.get(number))?;
                    Some(decode.charge(|| decoded(&file))?)
                }
                None => None,
            };
            if parts != Parts::FetchDecode {
                let pixels = pixels.as_ref().unwrap_or(before);
                draw.charge(|| self.frame.lock().unwrap_or_else(PoisonError::into_inner).draw(number, pixels));
            }
        }
    }
}

struct Connection {
    requests: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Connection {
    fn to(server: &Server) -> Result<Self> {
        let requests = TcpStream::connect(server.address())?;
        requests.set_nodelay(true)?;
        Ok(Self { answers: BufReader::new(requests.try_clone()?), requests })
    }

    fn get(&mut self, number: usize) -> Result<Vec<u8>> {
        self.requests.write_all(format!("GET /{number} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())?;
        let (mut line, mut length) = (String::new(), None);
        self.answers.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 200 ") {
            return Err(Error::other(format!("the server answered {:?}", line.trim_end())));
        }
        while !line.trim_end().is_empty() {
            line.clear();
            self.answers.read_line(&mut line)?;
            length = length.or(line.strip_prefix("Content-Length: ").and_then(|value| value.trim_end().parse().ok()));
        }
        let mut file = vec![0; length.ok_or_else(|| Error::other("the HTTP answer has no Content-Length"))?];
        self.answers.read_exact(&mut file)?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::super::images::{drawing, noise};
    use super::*;

    #[test]
    fn what_was_fetched_decoded_and_drawn_is_what_is_drawn_alone() {
        let page =
            Page::of((0..30).map(|number| if number % 2 == 0 { drawing(number) } else { noise(number, 1) }).collect());
        let page = page.unwrap();
        let blank = Frame::of(30).pixels().to_vec();
        let shown = || std::mem::replace(&mut *page.frame.lock().unwrap(), Frame::of(30)).pixels().to_vec();
        assert!(page.load(Parts::FetchDecode).unwrap() > 0);
        assert_eq!(shown(), blank);
        page.load(Parts::Draw).unwrap();
        let drawn = shown();
        page.load(Parts::All).unwrap();
        assert!(drawn != blank && shown() == drawn);
        let used = page.used();
        assert!(used[..3].iter().all(|used| used.time > 0), "{used:?}");
    }
}
