// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each injected cause is named, on each CPU. Skipped with a reason if this machine forbids it.
use super::inject::{
    self, PROBE_PRIORITY, Truth, become_thread, named_each_time, now_ns, pin, set_priority, sleep_until, spin_until,
};
use backwall_model::{Blame, Moved};
use backwall_os::affinity;
use backwall_trace::Sample;
use backwall_trace::blame::{Cause, More, Share};
use backwall_trace::event::Section;
use backwall_trace::processor::Holder;
use backwall_trace::thread::raise::Raise;
use std::io::BufRead;
use std::net::UdpSocket;
use std::os::fd::FromRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const ABOVE: i32 = 98;
pub(crate) const BELOW: i32 = 50;
const NET_RX: u8 = 3;

pub(crate) fn culprit(share: &Share) -> String {
    match share.culprit.map(|culprit| culprit.holder) {
        Some(Holder::Thread(thread)) => thread.name.to_string(),
        other => format!("{other:?}"),
    }
}

fn is_injected(share: &Share) -> bool {
    culprit(share) == "injected-cause"
}

// Has the processor from 1 ms before the stimulus to 3 ms after it.
fn hog(cpu: u32, stimulus_ns: u64, priority: i32) -> Option<Truth> {
    become_thread(cpu, priority);
    sleep_until(stimulus_ns - 1_000_000);
    spin_until(stimulus_ns + 3_000_000)
}

// An ordinary thread that uses all remaining CPU time until stopped.
pub(crate) struct Busy(Arc<AtomicBool>, std::thread::JoinHandle<Vec<Truth>>);

impl Busy {
    pub(crate) fn on(cpu: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = stop.clone();
        let spin = move || {
            become_thread(cpu, 0);
            inject::before_other_ordinary_threads();
            runs_until(&told)
        };
        Self(stop, inject::thread("injected-busy", spin))
    }

    pub(crate) fn end(self) -> Vec<Truth> {
        self.0.store(true, Ordering::Relaxed);
        self.1.join().unwrap()
    }
}

fn runs_until(stop: &AtomicBool) -> Vec<Truth> {
    let mut runs = Vec::new();
    let mut run = Truth::new(now_ns(), now_ns());
    while !stop.load(Ordering::Relaxed) {
        let now = now_ns();
        if now - run.to_ns > 300_000 {
            runs.extend((run.to_ns - run.from_ns > 1_000_000).then_some(run));
            run.from_ns = now;
        }
        run.to_ns = now;
    }
    runs.push(run);
    runs
}

pub(crate) fn on_each_processor(test: &str, scene: impl Fn(u32)) {
    if inject::possible(test) {
        affinity::allowed().into_iter().for_each(scene);
    }
}

#[test]
fn a_thread_above_on_an_idle_processor() {
    const TEST: &str = "a_thread_above_on_an_idle_processor";
    on_each_processor(TEST, |cpu| {
        let right = |share: &Share| share.cause == Cause::Interference && is_injected(share);
        named_each_time(TEST, cpu, inject::trials(4), |cpu, at| hog(cpu, at, ABOVE), right);
    });
}

#[test]
fn a_thread_above_on_a_busy_processor() {
    const TEST: &str = "a_thread_above_on_a_busy_processor";
    on_each_processor(TEST, |cpu| {
        let busy = Busy::on(cpu);
        let right = |share: &Share| share.cause == Cause::Interference && is_injected(share);
        named_each_time(TEST, cpu, inject::trials(4), |cpu, at| hog(cpu, at, ABOVE), right);
        busy.end();
    });
}

// Ordinary until shortly before the stimulus, then above the probe until 3 ms after it.
fn raise_itself(cpu: u32, stimulus_ns: u64) -> Option<Truth> {
    become_thread(cpu, 0);
    spin_until(stimulus_ns - 1_000_000);
    set_priority(ABOVE);
    let truth = spin_until(stimulus_ns + 3_000_000);
    set_priority(0);
    truth
}

#[test]
fn a_thread_that_raised_itself() {
    const TEST: &str = "a_thread_that_raised_itself";
    on_each_processor(TEST, |cpu| {
        let right = |share: &Share| share.cause == Cause::Interference && is_injected(share);
        named_each_time(TEST, cpu, inject::trials(4), raise_itself, right);
    });
}

// A lock whose holder runs at the priority of its highest waiter.
struct Lock(std::cell::UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: a mutex may be used from any thread; it stays where it is.
unsafe impl Sync for Lock {}
// SAFETY: as above; it is moved only before its first use.
unsafe impl Send for Lock {}

impl Lock {
    fn inheriting() -> Arc<Self> {
        // SAFETY: the attribute and the mutex are initialised before use; all zeros are valid storage for both.
        unsafe {
            let lock = Arc::new(Self(std::cell::UnsafeCell::new(std::mem::zeroed())));
            let mut attribute = std::mem::zeroed();
            libc::pthread_mutexattr_init(&mut attribute);
            libc::pthread_mutexattr_setprotocol(&mut attribute, libc::PTHREAD_PRIO_INHERIT);
            libc::pthread_mutex_init(lock.0.get(), &attribute);
            lock
        }
    }

    fn lock(&self) {
        // SAFETY: initialised by `inheriting`.
        unsafe { libc::pthread_mutex_lock(self.0.get()) };
    }

    fn unlock(&self) {
        // SAFETY: initialised by `inheriting`, locked by this thread.
        unsafe { libc::pthread_mutex_unlock(self.0.get()) };
    }
}

fn hold_a_lock(cpu: u32, stimulus_ns: u64) -> Option<Truth> {
    become_thread(cpu, 0);
    let lock = Lock::inheriting();
    lock.lock();
    let wanted = lock.clone();
    let other = affinity::allowed().into_iter().find(|other| *other != cpu).unwrap_or(cpu);
    let waiter = inject::thread("injected-waiter", move || {
        become_thread(other, ABOVE);
        sleep_until(stimulus_ns - 1_000_000);
        wanted.lock();
        wanted.unlock();
    });
    spin_until(stimulus_ns - 500_000);
    let truth = spin_until(stimulus_ns + 3_000_000);
    lock.unlock();
    waiter.join().unwrap();
    truth
}

#[test]
fn a_thread_whose_priority_is_inherited_through_a_lock() {
    const TEST: &str = "a_thread_whose_priority_is_inherited_through_a_lock";
    on_each_processor(TEST, |cpu| {
        let inherited = |share: &Share| match share.culprit.map(|culprit| (culprit.holder, culprit.more)) {
            Some((_, More::Raised(raise))) => matches!(raise, Raise::Inherited(_)),
            // Not on the processor when its lock was wanted: it came with the inherited priority.
            Some((Holder::Thread(thread), _)) => thread.priority < 100,
            _ => false,
        };
        let right = |share: &Share| share.cause == Cause::Interference && is_injected(share) && inherited(share);
        named_each_time(TEST, cpu, inject::trials(4), hold_a_lock, right);
    });
}

// Sockets that all get a packet to everybody: the kernel gives it to each of them in one softirq.
fn receivers() -> (Vec<UdpSocket>, u16) {
    // SAFETY: plain system calls with valid arguments; each socket is owned once.
    unsafe {
        let most = libc::rlimit { rlim_cur: 8_192, rlim_max: 8_192 };
        libc::setrlimit(libc::RLIMIT_NOFILE, &most);
        let mut port = 0;
        let sockets = (0..4_000).map_while(|_| {
            let number = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
            let socket = (number >= 0).then(|| UdpSocket::from_raw_fd(number))?;
            let yes: libc::c_int = 1;
            let size = std::mem::size_of_val(&yes) as u32;
            libc::setsockopt(number, libc::SOL_SOCKET, libc::SO_REUSEADDR, (&raw const yes).cast(), size);
            let mut address: libc::sockaddr_in = std::mem::zeroed();
            (address.sin_family, address.sin_port) = (libc::AF_INET as u16, u16::to_be(port));
            let bound = libc::bind(number, (&raw const address).cast(), std::mem::size_of_val(&address) as u32);
            port = socket.local_addr().ok()?.port();
            (bound == 0).then_some(socket)
        });
        let sockets: Vec<_> = sockets.collect();
        (sockets, port)
    }
}

fn burst(socket: &UdpSocket, port: u16) -> Option<Truth> {
    let from_ns = now_ns();
    socket.send_to(&[0; 16], ("127.255.255.255", port)).ok()?;
    Some(Truth::new(from_ns, now_ns()))
}

const BURST_LEAD_NS: u64 = 100_000;

// A burst just before the stimulus, from an ordinary thread on that CPU. It was not alone if it took longer than the shorter of
// two bursts just before: then something else, perhaps a hypervisor, took part of its time, and only the trace knows how much.
// Others use the caches while it waits for the stimulus, and the first burst after that takes a tenth or more longer: it is not
// one of the three.
fn send_to_all(cpu: u32, stimulus_ns: u64, port: u16) -> Option<Truth> {
    become_thread(cpu, 0);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_broadcast(true).unwrap();
    let length_ns = || Some(burst(&socket, port)?.length_ns());
    let rough_ns = length_ns()?.max(length_ns()?);
    spin_until(stimulus_ns.saturating_sub(BURST_LEAD_NS + 3 * rough_ns));
    length_ns()?;
    let usual_ns = length_ns()?.min(length_ns()?);
    spin_until(stimulus_ns - BURST_LEAD_NS);
    let truth = burst(&socket, port)?;
    Some(Truth { alone: truth.length_ns() < usual_ns * 21 / 20, ..truth })
}

#[test]
fn a_softirq_burst() {
    const TEST: &str = "a_softirq_burst";
    on_each_processor(TEST, |cpu| {
        let (_sockets, port) = receivers();
        let right = |share: &Share| {
            let culprit = share.culprit.expect("a culprit");
            let on_time_of =
                matches!(culprit.more, More::OnTimeOf(thread) if thread.name.to_string() == "injected-cause");
            culprit.holder == Holder::Section(Section::Softirq(NET_RX)) && on_time_of
        };
        named_each_time(TEST, cpu, inject::trials(4), move |cpu, at| send_to_all(cpu, at, port), right);
    });
}

// What the kernel shows of a probe while a thread below it runs, and this many responses during which that thread certainly was
// below: it begins with the priority of the thread that made it.
fn hog_below(recorder: backwall_ftrace::Recorder, cpu: u32, wanted: u64) -> (backwall_trace::TraceReport, Vec<u64>) {
    recorder.watch(become_thread(cpu, PROBE_PRIORITY)).unwrap();
    let mut below = Vec::new();
    for seq in 0..inject::tries(wanted) {
        let stimulus_ns = now_ns() + 15_000_000;
        let cause = inject::thread("injected-cause", move || hog(cpu, stimulus_ns, BELOW));
        sleep_until(stimulus_ns);
        recorder.sample(Sample { seq, stimulus_ns, response_ns: now_ns() });
        let truth = cause.join().unwrap();
        below.extend(truth.filter(|truth| truth.from_ns < stimulus_ns).map(|_| seq));
        if below.len() as u64 == wanted {
            break;
        }
    }
    (recorder.finish().unwrap(), below)
}

// How many responses had that thread below them; none of them may accuse it. `None` where this machine forbids it.
fn not_accused(test: &str, cpu: u32) -> Option<usize> {
    let recorder = inject::recorder(test, cpu)?;
    let probe = inject::thread("probe", move || hog_below(recorder, cpu, inject::trials(4)));
    let (report, below) = probe.join().unwrap();
    let blamed: Vec<_> = report.blamed.iter().filter(|blamed| below.contains(&blamed.sample.seq)).collect();
    assert_eq!(blamed.len(), below.len(), "CPU {cpu}: not all of {below:?} are blamed");
    for blamed in &blamed {
        let allowed = |share: &Share| share.cause.is_of_held_back_interrupt() || share.cause == Cause::Blocking;
        let accused = blamed.blame.shares.iter().find(|share| is_injected(share) && !allowed(share));
        assert_eq!(accused, None, "CPU {cpu}: {:?}", report.blame(blamed.sample.seq));
    }
    Some(blamed.len())
}

#[test]
fn a_thread_below_never_appears() {
    const TEST: &str = "a_thread_below_never_appears";
    on_each_processor(TEST, |cpu| {
        let mut recordings = (0..=inject::FRUITLESS).map(|_| not_accused(TEST, cpu));
        let came_about = recordings.any(|responses| responses != Some(0));
        assert!(came_about, "CPU {cpu}: the thread below never had the processor when the probe was due");
    });
}

// Responses before the probe is moved and after it. The first are fewer than the worst that a run names, so that the worst
// include some of the others, however late the first are.
const HERE: u64 = 10;
const THERE: u64 = 30;

#[test]
fn a_probe_that_was_moved_has_a_reason() {
    const TEST: &str = "a_probe_that_was_moved_has_a_reason";
    if affinity::allowed().len() < 2 {
        return inject::skip(TEST, "one processor");
    }
    on_each_processor(TEST, |cpu| {
        let other = affinity::allowed().into_iter().find(|other| *other != cpu).expect("two processors");
        let Some(recorder) = inject::recorder(TEST, cpu) else { return };
        let probe = inject::thread("probe", move || {
            let thread = become_thread(cpu, PROBE_PRIORITY);
            recorder.watch(thread).unwrap();
            for seq in 0..HERE + THERE {
                if seq == HERE {
                    inject::thread("mover", move || pin(thread, other)).join().unwrap();
                }
                let stimulus_ns = now_ns() + 1_000_000;
                sleep_until(stimulus_ns);
                recorder.sample(Sample { seq, stimulus_ns, response_ns: now_ns() });
            }
            recorder.finish().unwrap()
        });
        let report = probe.join().unwrap();
        let moved = format!("moved from CPU {cpu} to CPU {other}");
        assert!(report.warnings.iter().any(|text| text.text.contains(&moved)), "{:?}", report.warnings);
        assert!(report.joined.unmatched >= THERE && report.joined.matched > HERE / 2, "{:?}", report.joined);
        let unseen = report.worst.iter().find(|worst| worst.seq >= HERE).unwrap();
        assert!(unseen.blame == Some(Blame::Unseen { moved: Some(Moved { from: cpu, to: other }) }), "{unseen:?}");
    });
}

// Set in the process that a test starts from itself, so that it can be stopped: the processor of its probe.
const ROLE: &str = "BACKWALL_TEST_ROLE";
const STOPPED: std::time::Duration = std::time::Duration::from_millis(20);

fn be_the_stopped_probe(cpu: u32) {
    println!("\nthread {}", become_thread(cpu, PROBE_PRIORITY));
    let mut stimulus_ns = now_ns() + 10_000_000;
    loop {
        sleep_until(stimulus_ns);
        let response_ns = now_ns();
        println!("response {stimulus_ns} {response_ns}");
        stimulus_ns += 1_000_000 * ((response_ns - stimulus_ns) / 1_000_000 + 1);
    }
}

// A recording of a probe that is stopped several times, and when.
fn stop_some_times(test: &str, cpu: u32, times: u64) -> Option<(backwall_trace::TraceReport, Vec<Truth>)> {
    let recorder = inject::recorder(test, cpu)?;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", &format!("trace_live::causes::{test}")])
        .env(ROLE, cpu.to_string())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut numbers = lines.filter_map(|line| {
        let (word, rest) = line.split_once(' ')?;
        let numbers: Option<Vec<u64>> = rest.split(' ').map(|number| number.parse().ok()).collect();
        (["thread", "response"].contains(&word)).then_some(numbers?)
    });
    recorder.watch(numbers.next().unwrap()[0] as i32).unwrap();
    let process = child.id() as i32;
    // The thread that stops the probe lives until the recorder has asked for its name.
    let (recorded, until_recorded) = std::sync::mpsc::channel::<()>();
    let other = affinity::allowed().into_iter().find(|other| *other != cpu);
    let stops = std::thread::spawn(move || {
        // From another processor, whose threads are asked for their names; its own names a thread by the switch to it, if that is seen.
        other.into_iter().for_each(|other| pin(0, other));
        let stop = |_| {
            std::thread::sleep(STOPPED);
            // SAFETY: plain numbers; the process is a child that has not been waited for. No status is asked for; that it
            // stands still is told before the truth begins.
            unsafe {
                libc::kill(process, libc::SIGSTOP);
                libc::waitpid(process, std::ptr::null_mut(), libc::WUNTRACED);
            }
            let from_ns = now_ns();
            std::thread::sleep(STOPPED);
            let truth = Truth::new(from_ns, now_ns());
            // SAFETY: as above.
            unsafe { libc::kill(process, libc::SIGCONT) };
            truth
        };
        let stops: Vec<Truth> = (0..times).map(stop).collect();
        std::thread::sleep(STOPPED);
        // SAFETY: as above.
        unsafe { libc::kill(process, libc::SIGKILL) };
        let _ = until_recorded.recv();
        stops
    });
    for (seq, numbers) in (0..).zip(numbers) {
        let [stimulus_ns, response_ns] = numbers[..] else { continue };
        recorder.sample(Sample { seq, stimulus_ns, response_ns });
    }
    child.wait().unwrap();
    let report = recorder.finish().unwrap();
    drop(recorded);
    Some((report, stops.join().unwrap()))
}

#[test]
fn a_stopped_probe() {
    const TEST: &str = "a_stopped_probe";
    if let Some(cpu) = std::env::var(ROLE).ok().and_then(|cpu| cpu.parse().ok()) {
        return be_the_stopped_probe(cpu);
    }
    on_each_processor(TEST, |cpu| {
        let (wanted, mut seen) = (inject::trials(4), 0);
        // A stop between two waits, or of a probe that is late itself, is not the intended one.
        for _ in 0..5 * wanted.div_ceil(20) {
            let Some((report, stops)) = stop_some_times(TEST, cpu, wanted.min(20)) else { return };
            let of_stop = |sample: &Sample| stops.iter().any(|stop| stop.share_of(sample) > 0.8);
            let long = report.blamed.iter().filter(|blamed| blamed.sample.latency() > 10_000_000);
            for blamed in long.filter(|blamed| of_stop(&blamed.sample)) {
                let first = &blamed.blame.shares[0];
                assert_eq!(first.cause, Cause::Stopped, "CPU {cpu}: {:?}", report.blame(blamed.sample.seq));
                let by = first.culprit.map(|culprit| culprit.holder);
                let named = matches!(by, Some(Holder::Thread(thread)) if !thread.name.to_string().is_empty());
                assert!(named, "CPU {cpu}: {first:?}");
                seen += 1;
            }
            if seen >= wanted {
                return inject::named(TEST, cpu, seen);
            }
        }
        panic!("CPU {cpu}: {seen} stops were seen, {wanted} wanted");
    });
}
