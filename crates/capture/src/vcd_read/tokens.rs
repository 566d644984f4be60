// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits the input into words at blanks. It reads in chunks; a word may span two chunks.
use super::BadDump;
use std::io::Read;

const CHUNK_BYTES: usize = 1 << 18;
const SHOWN: usize = 40;

pub(super) struct Tokens<R> {
    source: R,
    buffer: Vec<u8>,
    next: usize,   // first byte in the buffer that is not consumed yet
    filled: usize, // end of the data in the buffer
    before: u64,   // bytes of the source before the buffer
    ended: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub offset: u64,
    pub bytes: &'a [u8],
}

impl Token<'_> {
    pub(super) fn wrong(&self, fault: &'static str) -> BadDump {
        let shown = &self.bytes[..self.bytes.len().min(SHOWN)];
        BadDump::Word { offset: self.offset, text: String::from_utf8_lossy(shown).into_owned(), fault }
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }
}

/// Control characters also separate words, so that one comparison per byte suffices.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

impl<R: Read> Tokens<R> {
    pub(super) fn new(source: R) -> Self {
        Tokens { source, buffer: vec![0; CHUNK_BYTES], next: 0, filled: 0, before: 0, ended: false }
    }

    /// Bytes that were read but not returned yet. A caller that takes words from them must report their length.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.next..self.filled]
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.next += bytes;
    }

    /// The next word; `None` at the end. A word longer than a chunk is an error.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Token<'_>>, BadDump> {
        let mut from = self.next;
        loop {
            let read = &self.buffer[..self.filled];
            from += read[from..].iter().position(|byte| !is_blank(*byte)).unwrap_or(self.filled - from);
            let length = read[from..].iter().position(|byte| is_blank(*byte));
            if let Some(length) = length.or((self.ended && from < self.filled).then(|| self.filled - from)) {
                self.next = from + length;
                let offset = self.before + from as u64;
                return Ok(Some(Token { offset, bytes: &self.buffer[from..from + length] }));
            }
            if self.ended {
                return Ok(None);
            }
            self.refill(from)?;
            from = 0;
        }
    }

    /// Moves the data after position `from` to the front, then appends more input.
    fn refill(&mut self, from: usize) -> Result<(), BadDump> {
        self.buffer.copy_within(from..self.filled, 0);
        self.before += from as u64;
        (self.next, self.filled) = (0, self.filled - from);
        if self.filled == self.buffer.len() {
            let token = Token { offset: self.before, bytes: &self.buffer };
            return Err(token.wrong("is too long for a word of a dump"));
        }
        loop {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    self.ended = count == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(BadDump::Io { offset: self.before + self.filled as u64, source }),
            }
        }
    }
}
