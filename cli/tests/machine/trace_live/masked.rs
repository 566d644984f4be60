// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel function that disables interrupts: `sigtimedwait` searches all pending signals with interrupts disabled, and there are enough
//! for milliseconds.
use super::attach::followed;
use super::causes::{BELOW, Busy, on_each_processor};
use super::inject::{self, Truth, become_thread, named_each_time, now_ns, sleep_until};
use backwall_model::{Blame, HolderDetail};
use backwall_report::trace::accused;
use backwall_trace::blame::{More, Share};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

// Duration of one search, unless the kernel has no room for more signals.
const LOOK_NS: u64 = 3_000_000;
const LOOK_LEAST_NS: u64 = 900_000;
const AHEAD_NS: u64 = 300_000;
// Signals added each time, until a search takes long enough or the kernel has no room.
const SIGNALS_MORE: usize = 2_000;

// Time that other threads may have had during a search.
const OTHERS_NS: u64 = 1_000_000;

// More than the caches of a processor hold: a look through signals that are not in them takes far longer.
const CACHES: usize = 32 << 20;

fn drive_out(memory: &mut [u8]) {
    memory.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
    std::hint::black_box(memory);
}

fn signals() -> (i32, i32) {
    (libc::SIGRTMIN() + 2, libc::SIGRTMIN() + 1)
}

// Queues a signal to the calling thread after all pending ones. Returns whether the kernel has room for it.
fn queue(signal: i32) -> bool {
    // SAFETY: the information is valid for the call, and its code is one that a program may use.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        (info.si_signo, info.si_code) = (signal, libc::SI_QUEUE);
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, libc::getpid(), libc::gettid(), signal, &info) == 0
    }
}

fn look() -> Truth {
    queue(signals().1);
    let from_ns = now_ns();
    // SAFETY: the set and the time are valid for the call; nothing is asked for of the signal.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&mut set, signals().1);
        let time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::sigtimedwait(&set, std::ptr::null_mut(), &time);
    }
    Truth::new(from_ns, now_ns())
}

fn prepare(memory: &mut [u8]) -> bool {
    // SAFETY: plain values, valid for the calls.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&mut set, signals().0);
        libc::sigaddset(&mut set, signals().1);
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
    }
    while shortest_of(3, memory) < LOOK_NS {
        if !(0..SIGNALS_MORE).all(|_| queue(signals().0)) {
            return shortest_of(3, memory) > LOOK_LEAST_NS;
        }
    }
    true
}

fn own_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn shortest_of(looks: usize, memory: &mut [u8]) -> u64 {
    let one = |_| {
        drive_out(memory);
        look().length_ns()
    };
    (0..looks).map(one).min().unwrap_or(0)
}

// A thread with pending signals; it looks when it gets the CPU and the stimulus.
type Orders = Arc<Mutex<(Sender<(u32, u64)>, Receiver<Option<Truth>>)>>;

// `None` if this machine does not allow a thread as many signals.
fn looker() -> Option<Orders> {
    let ((order, ordered), (tell, told)) = (channel(), channel());
    inject::thread("injected-looks", move || {
        let mut memory = vec![0; CACHES];
        let ready = prepare(&mut memory);
        let _ = tell.send(ready.then_some(Truth::new(0, 0)));
        for (cpu, stimulus_ns) in ordered {
            become_thread(cpu, BELOW);
            drive_out(&mut memory);
            sleep_until(stimulus_ns - AHEAD_NS);
            let before_ns = own_ns();
            let truth = look();
            let whole = truth.length_ns() < own_ns() - before_ns + OTHERS_NS;
            let alone = whole && truth.from_ns < stimulus_ns && truth.to_ns > stimulus_ns;
            let _ = tell.send(Some(Truth { alone, ..truth }));
        }
    });
    told.recv().ok()??;
    Some(Arc::new(Mutex::new((order, told))))
}

#[test]
fn a_function_that_masks_interrupts_is_named() {
    const TEST: &str = "a_function_that_masks_interrupts_is_named";
    if let Some(reason) = backwall_ftrace::no_stacks() {
        return inject::skip(TEST, reason);
    }
    let Some(orders) = looker() else { return inject::skip(TEST, "no thread may have so many signals") };
    on_each_processor(TEST, |cpu| {
        let orders = orders.clone();
        let inject = move |cpu, stimulus_ns| {
            let orders = orders.lock().unwrap();
            orders.0.send((cpu, stimulus_ns)).ok()?;
            orders.1.recv().ok()?
        };
        let right = |share: &Share| match share.culprit.map(|culprit| culprit.more) {
            Some(More::Masking { function, .. }) => function.name().contains("sigtimedwait"),
            _ => false,
        };
        let busy = Busy::on(cpu);
        named_each_time(TEST, cpu, inject::trials(4), inject, right);
        busy.end();
    });
}

// With `watch`, the stacks are those of late timers only, taken by a BPF program if permitted.
#[test]
fn a_function_that_masks_interrupts_is_named_of_a_thread_that_is_followed() {
    const TEST: &str = "a_function_that_masks_interrupts_is_named_of_a_thread_that_is_followed";
    const TRIES: u64 = 12;
    if !inject::possible(TEST) {
        return;
    }
    let Some(orders) = looker() else { return inject::skip(TEST, "no thread may have so many signals") };
    let cpu = backwall_os::affinity::allowed()[0];
    let busy = Busy::on(cpu);
    let work = move || {
        let one = |_| {
            let stimulus_ns = now_ns() + 15_000_000;
            let orders = orders.lock().unwrap();
            orders.0.send((cpu, stimulus_ns)).ok()?;
            sleep_until(stimulus_ns);
            let latency_ns = now_ns() - stimulus_ns;
            let truth = orders.1.recv().ok()?.filter(|truth| truth.alone)?;
            let masked_ns = truth.to_ns - stimulus_ns;
            (masked_ns * 10 > latency_ns * 8).then_some((latency_ns, masked_ns))
        };
        (0..TRIES).filter_map(one).collect::<Vec<(u64, u64)>>()
    };
    let Some((report, planted)) = followed(TEST, cpu, work) else { return };
    busy.end();
    if !report.by_program {
        if let Some(reason) = backwall_ftrace::no_stacks() {
            return inject::skip(TEST, reason);
        }
    }
    assert!(!planted.is_empty(), "the cause never came about");
    for (latency_ns, masked_ns) in planted {
        // Of the trace it ends with the switch to the thread, a little before the thread reads its clock.
        let seen = report.recent.iter().min_by_key(|recent| recent.ns.abs_diff(latency_ns)).unwrap();
        let Blame::Shares { shares, .. } = &seen.blame else { panic!("{:?}", seen.blame) };
        let told = accused::line(&seen.blame, seen.ns);
        let more = shares[0].culprit.as_ref().and_then(|culprit| culprit.more.as_ref());
        let named = matches!(more, Some(HolderDetail::Masking { function, .. }) if function.contains("sigtimedwait"));
        assert!(named, "masked for {masked_ns} of {latency_ns} ns: {told}");
    }
}
