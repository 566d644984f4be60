// SPDX-License-Identifier: MIT OR Apache-2.0
//! The web server for the images of a page: HTTP/1.1 on a loopback port, one thread per connection.
#![expect(clippy::disallowed_types, reason = "uses sockets")]
use crate::interfere::processor_time::Account;
use backwall_model::picture::ProcessorUse;
use std::io::{BufRead, BufReader, Result, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

// The server refuses connections above this limit, because every program on this machine can connect.
const MOST_CONNECTIONS: usize = 64;
const LINE_BYTES: u64 = 4_096;

struct Shared {
    files: Vec<Vec<u8>>,
    ended: AtomicBool,
    open: Mutex<Vec<(TcpStream, JoinHandle<()>)>>,
    account: Account,
}

pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn of(files: Vec<Vec<u8>>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            files,
            ended: AtomicBool::new(false),
            open: Mutex::default(),
            account: Account::default(),
        });
        let theirs = Arc::clone(&shared);
        let listening =
            std::thread::Builder::new().name("bw-server".into()).spawn(move || listen(&listener, &theirs))?;
        Ok(Self { address, shared, listening: Some(listening) })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn used(&self) -> ProcessorUse {
        self.end_connections();
        self.shared.account.of("server")
    }

    fn end_connections(&self) {
        let open = std::mem::take(&mut *self.shared.open.lock().unwrap_or_else(PoisonError::into_inner));
        for (stream, serving) in open {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = serving.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // The listening thread wakes up when one more connection arrives.
        if TcpStream::connect(self.address).is_ok() {
            self.listening.take().map(JoinHandle::join);
        }
        self.end_connections();
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept() {
        if shared.ended.load(Ordering::Relaxed) {
            return;
        }
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, serving)| !serving.is_finished());
        let Some(ours) = stream.try_clone().ok().filter(|_| open.len() < MOST_CONNECTIONS) else { continue };
        let theirs = Arc::clone(shared);
        let serve = move || {
            theirs.account.charge(|| drop(serve(&stream, &theirs.files)));
            // Shuts the connection down, because closing this descriptor is not enough: `ours` holds a second one.
            let _ = stream.shutdown(Shutdown::Both);
        };
        let serving = std::thread::Builder::new().name("bw-http".into()).spawn(serve);
        open.extend(serving.ok().map(|serving| (ours, serving)));
    }
}

/// Answers requests. Ends when the client closes the connection or asks for a file that does not exist.
fn serve(stream: &TcpStream, files: &[Vec<u8>]) -> Result<()> {
    stream.set_nodelay(true)?;
    let (mut requests, mut answers) = (BufReader::new(stream), stream);
    while let Some(path) = request(&mut requests)? {
        let file = path.strip_prefix('/').and_then(|number| files.get(number.parse::<usize>().ok()?));
        let Some(file) = file else {
            return answers.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n", file.len());
        answers.write_all(head.as_bytes())?;
        answers.write_all(file)?;
    }
    Ok(())
}

/// The path in a request; `None` at the end of the stream or if the request is invalid.
fn request(requests: &mut impl BufRead) -> Result<Option<String>> {
    let first = line(requests)?;
    let path = first.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).map(str::to_string);
    while path.is_some() && !line(requests)?.trim_end().is_empty() {}
    Ok(path)
}

/// Reads a line. A line that is too long is cut, which makes the request invalid.
fn line(requests: &mut impl BufRead) -> Result<String> {
    let mut line = Vec::new();
    std::io::Read::take(&mut *requests, LINE_BYTES).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn answer(server: &Server, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        // A server that refuses a request closes the connection while the client still writes, so ignore errors.
        let _ = stream.write_all(request).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn a_file_is_served_by_its_number_and_nothing_else_is() {
        let server = Server::of(vec![b"none".to_vec(), b"one".to_vec()]).unwrap();
        let found = answer(&server, b"GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /0 HTTP/1.1\r\n\r\n");
        assert!(found.contains("Content-Length: 3\r\n\r\none") && found.ends_with("\r\n\r\nnone"), "{found}");
        for hostile in
            [&b"GET /2 HTTP/1.1\r\n\r\n"[..], b"GET /../etc/passwd HTTP/1.1\r\n\r\n", b"GET /-1 HTTP/1.1\r\n\r\n"]
        {
            assert!(answer(&server, hostile).starts_with("HTTP/1.1 404 "));
        }
        assert_eq!(answer(&server, &[b'x'; 100_000]), "");
        assert_eq!(answer(&server, b""), "");
    }

    #[test]
    fn a_server_ends_although_somebody_is_still_connected() {
        let server = Server::of(Vec::new()).unwrap();
        let idle: Vec<TcpStream> = (0..80).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
        drop(server);
        drop(idle);
    }
}
