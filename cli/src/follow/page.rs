// SPDX-License-Identifier: MIT OR Apache-2.0
//! The live page: the run so far, for any user of this machine and nobody else. A run is drawn once, however often it is
//! requested.
//!
//! It implements enough of HTTP/1.1 (RFC 9112) for a browser: one request per connection, and only GET of `/`. Each connection
//! has a thread, up to a limit.
use crate::exit::usage;
use backwall_model::Run;
use backwall_report::page;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

// Time for a browser's request and answer; slower clients are dropped.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST_BYTES: u64 = 16 << 10;
// Limit of open connections. A further connection closes the oldest one, which was answered long ago.
const MOST_AT_ONCE: usize = 32;

pub struct Served {
    latest: Arc<Latest>,
    address: SocketAddr,
}

#[derive(Default)]
struct Latest(Mutex<Option<Arc<LivePage>>>);

struct LivePage {
    run: Run,
    page: OnceLock<String>,
}

impl Latest {
    fn now(&self) -> MutexGuard<'_, Option<Arc<LivePage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Open(Mutex<VecDeque<Arc<TcpStream>>>);

impl Open {
    fn now(&self) -> MutexGuard<'_, VecDeque<Arc<TcpStream>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, stream: &Arc<TcpStream>) {
        let mut open = self.now();
        open.push_back(stream.clone());
        if open.len() > MOST_AT_ONCE {
            // The shutdown wakes the connection's thread, and this thread then ends.
            let _ = open.pop_front().map(|oldest| oldest.shutdown(Shutdown::Both));
        }
    }

    fn remove(&self, stream: &Arc<TcpStream>) {
        self.now().retain(|one| !Arc::ptr_eq(one, stream));
    }
}

impl Served {
    /// Listens on a port of 127.0.0.1; 0 is any free port. The browser reloads the page each `every`.
    pub fn begin(port: u16, every: Duration) -> anyhow::Result<Self> {
        let refused = |error| usage(format!("--page {port}: {error}; name another port, or 0 for any free one"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let (latest, open) = (Arc::<Latest>::default(), Arc::<Open>::default());
        let shown = latest.clone();
        let serve = move || {
            for stream in listener.incoming().flatten() {
                serve_apart(Arc::new(stream), &open, &shown, every);
            }
        };
        thread(serve).map_err(refused)?;
        Ok(Self { latest, address })
    }

    pub fn address(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub fn show(&self, run: Run) {
        *self.latest.now() = Some(Arc::new(LivePage { run, page: OnceLock::new() }));
    }
}

fn thread(work: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new().name(backwall_model::PAGE_THREAD.into()).spawn(work).map(drop)
}

/// Answers in a thread of its own. If none can be started, it closes the connection.
fn serve_apart(stream: Arc<TcpStream>, open: &Arc<Open>, latest: &Arc<Latest>, every: Duration) {
    open.add(&stream);
    let (own, others, latest) = (stream.clone(), open.clone(), latest.clone());
    let work = move || {
        // A client that disconnected needs no answer.
        let _ = answer(&own, &latest, every);
        others.remove(&own);
    };
    if thread(work).is_err() {
        open.remove(&stream);
    }
}

/// A connection with one time limit for all of it. A limit per read would not stop a client that sends one byte now and then.
struct Limited<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Limited<'_> {
    fn left(&self) -> Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Limited<'_> {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(from)
    }

    fn flush(&mut self) -> Result<()> {
        self.stream.flush()
    }
}

fn answer(stream: &TcpStream, latest: &Latest, every: Duration) -> Result<()> {
    let mut stream = Limited { stream, end: Instant::now() + PATIENCE };
    let status = asked(BufReader::new((&mut stream).take(MOST_BYTES)))?;
    let shown = latest.now().clone().filter(|_| status == "200 OK");
    // Other requests wait while one draws the page.
    let drawn = shown.as_ref().map(|shown| shown.page.get_or_init(|| page::page(&shown.run)).as_str());
    let refusal = format!("{status}\n");
    let body = drawn.unwrap_or(if status == "200 OK" { NOTHING_YET } else { &refusal });
    let kind = if status == "200 OK" { "text/html" } else { "text/plain" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Refresh: {}\r\nConnection: close\r\n\r\n",
        body.len(),
        every.as_secs().max(1)
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

const NOTHING_YET: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>backwall watch</title><p>Nothing was measured yet.</p>";

/// The status for a request. The request must name this machine's own address, exactly once. Otherwise a stranger's page could
/// read the run through a host name that leads here. Such a page may not embed the run either: the browser says where a request
/// comes from.
fn asked(mut request: impl BufRead) -> Result<&'static str> {
    let mut head = Vec::new();
    while request.read_until(b'\n', &mut head)? > 0 && !(head.ends_with(b"\n\r\n") || head.ends_with(b"\n\n")) {}
    let head = String::from_utf8_lossy(&head);
    let first = head.lines().next().unwrap_or_default();
    let fields: Vec<(&str, &str)> = head.lines().skip(1).filter_map(|field| field.split_once(':')).collect();
    let values = |asked: &str| -> Vec<&str> {
        let same = fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(asked));
        same.map(|(_, value)| value.trim()).collect()
    };
    let hosts = values("host");
    let is_led_from_elsewhere = values("sec-fetch-site").iter().any(|site| !["same-origin", "none"].contains(site))
        || values("origin").iter().any(|origin| origin.strip_prefix("http://") != hosts.first().copied());
    let words: Vec<&str> = first.split(' ').collect();
    Ok(match (&words[..], &hosts[..]) {
        ([_, _, version], _) if !version.starts_with("HTTP/1.") => "400 Bad Request",
        ([_, _, _], [_, _, ..]) => "400 Bad Request",
        ([_, _, _], []) => "403 Forbidden",
        ([_, _, _], [host]) if !is_this_machine(host) || is_led_from_elsewhere => "403 Forbidden",
        (["GET", "/", _], _) => "200 OK",
        (["GET", ..], _) if words.len() == 3 => "404 Not Found",
        ([_, _, _], _) => "405 Method Not Allowed",
        _ => "400 Bad Request",
    })
}

fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Single letters must not extend the wait for ever: a slow client would need an hour for its limit.
    #[test]
    fn a_client_that_sends_slowly_does_not_keep_the_page_from_another() {
        let served = Served::begin(0, Duration::from_secs(1)).unwrap();
        let mut slow = TcpStream::connect(served.address).unwrap();
        slow.write_all(b"G").unwrap();
        let (served_other, is_over) = std::sync::mpsc::channel::<()>();
        let sends =
            std::thread::spawn(
                move || {
                    while is_over.recv_timeout(PATIENCE / 10).is_err() && slow.write_all(b"E").is_ok() {}
                },
            );
        let mut good = TcpStream::connect(served.address).unwrap();
        good.set_read_timeout(Some(20 * PATIENCE)).unwrap();
        good.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut text = String::new();
        let read = good.read_to_string(&mut text);
        let _ = served_other.send(());
        sends.join().unwrap();
        assert!(
            read.is_ok() && text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with(NOTHING_YET),
            "{read:?}: {text}"
        );
    }

    #[test]
    fn a_hundred_idle_connections_do_not_keep_the_page_from_another() {
        let served = Served::begin(0, Duration::from_secs(1)).unwrap();
        let idle: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(served.address).unwrap()).collect();
        // When a new connection comes, idle ones are closed at once, except the last few.
        let mut first = &idle[0];
        first.set_read_timeout(Some(20 * PATIENCE)).unwrap();
        assert!(matches!(first.read(&mut [0]), Ok(0) | Err(_)));
        let text = fetched(&served);
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with(NOTHING_YET), "{text}");
    }

    fn fetched(served: &Served) -> String {
        let mut good = TcpStream::connect(served.address).unwrap();
        good.set_read_timeout(Some(20 * PATIENCE)).unwrap();
        good.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut text = String::new();
        good.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_run_is_drawn_once_however_often_it_is_asked_for_and_the_next_one_anew() {
        let served = Served::begin(0, Duration::from_secs(1)).unwrap();
        let run = |name: &str| {
            let mut run = Run::begin(
                backwall_model::Origin::Measured,
                backwall_model::Plan::default(),
                vec![],
                jiff::Timestamp::UNIX_EPOCH,
            );
            run.device.cpu = name.into();
            run
        };
        served.show(run("one"));
        let shown = || served.latest.now().clone().unwrap();
        assert!(shown().page.get().is_none(), "nobody has asked for it");
        let first = fetched(&served);
        let drawn = shown().page.get().unwrap().as_ptr();
        assert_eq!((fetched(&served), shown().page.get().unwrap().as_ptr()), (first.clone(), drawn));
        served.show(run("two"));
        assert!(first.contains("one") && fetched(&served).contains("two"));
    }

    fn answered(request: &str) -> &'static str {
        asked(request.as_bytes()).unwrap()
    }

    #[test]
    fn a_request_of_this_machines_own_browser_is_answered_and_no_other() {
        let get =
            |place: &str, host: &str| answered(&format!("GET {place} HTTP/1.1\r\nAccept: */*\r\nHost: {host}\r\n\r\n"));
        assert_eq!(get("/", "127.0.0.1:8080"), "200 OK");
        assert_eq!(get("/", "localhost"), "200 OK");
        assert_eq!(get("/../etc/passwd", "localhost:1"), "404 Not Found");
        for host in ["example.org", "127.0.0.1.example.org:8080", "", "127.0.0.1:x"] {
            assert_eq!(get("/", host), "403 Forbidden", "{host}");
        }
        for (fields, status) in [
            ("Host: localhost:1\r\nSec-Fetch-Site: none", "200 OK"),
            ("Host: localhost:1\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://localhost:1", "200 OK"),
            ("Host: localhost:1\r\nSec-Fetch-Site: cross-site", "403 Forbidden"),
            ("Host: localhost:1\r\nsec-fetch-site: same-site", "403 Forbidden"),
            ("Host: localhost:1\r\nOrigin: http://evil", "403 Forbidden"),
            ("Host: localhost:1\r\nOrigin: null", "403 Forbidden"),
            ("Host: localhost:1\r\nOrigin: http://localhost:2", "403 Forbidden"),
            ("Host: localhost:1\r\nOrigin: http://localhost:1\r\nOrigin: http://evil", "403 Forbidden"),
            ("Host: localhost:1\r\nHost: localhost:1", "400 Bad Request"),
            ("Host: example.org\r\nHost: localhost:1", "400 Bad Request"),
        ] {
            assert_eq!(answered(&format!("GET / HTTP/1.1\r\n{fields}\r\n\r\n")), status, "{fields}");
        }
        assert_eq!(answered("GET / HTTP/1.1\r\n\r\n"), "403 Forbidden", "who names no host is no browser");
        assert_eq!(answered("POST / HTTP/1.1\r\nhost: localhost\r\n\r\n"), "405 Method Not Allowed");
        for bad in ["", "\r\n", "GET /\r\n\r\n", "GET / SPDY/9\r\nHost: localhost\r\n\r\n", "\u{0}\u{1} x"] {
            assert_eq!(answered(bad), "400 Bad Request", "{bad:?}");
        }
        assert_eq!(asked(&b"GET \xff\xfe / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..]).unwrap(), "400 Bad Request");
    }
}
