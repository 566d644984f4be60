// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of events with a cause put in on purpose, as a kernel would record them: each is found, named, and as long as it was.
use backwall_model::Cause;
use backwall_model::units::Unit;
use backwall_report::trace::{blamed, cause};
use backwall_trace::account::analysis::Analysis;
use backwall_trace::blame::Share;
use backwall_trace::event::{Event, Name, Section, Stamped, Thread};
use backwall_trace::late::lates::{Late, Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::receiver::Receiver;

const SOFTIRQ_NET_RX: Section = Section::Softirq(3);
// On the kernel's scale: real-time 90, 50 and 30, and an ordinary thread.
pub const ABOVE: i32 = 9;
const LATE: i32 = 49;
pub const ORDINARY: i32 = 120;

pub fn thread(id: i32, priority: i32, name: &str) -> Thread {
    Thread { id, priority, name: Name::new(name.as_bytes()) }
}

pub fn idle() -> Thread {
    thread(0, ORDINARY, "swapper/0")
}

pub fn sleeper() -> Thread {
    thread(7, LATE, "sleeper")
}

pub fn phrase(share: &Share) -> String {
    cause::phrase(share.cause, share.told_culprit().as_ref())
}

pub struct Scene {
    analysis: Analysis<Lates>,
    cpu: u32,
    on: Thread,
    depth: u32,
    asked: bool,
}

impl Scene {
    pub fn begin() -> Self {
        Self::of(|_| ())
    }

    pub fn of(asks: impl FnOnce(&mut Question)) -> Self {
        let whose = Whose::RealTime;
        let mut question = Question { above_ns: 100_000, whose, timers: true, marks: true, to_end: false };
        asks(&mut question);
        Self { analysis: Analysis::new(Lates::new(question)), cpu: 0, on: idle(), depth: 0, asked: false }
    }

    pub fn say(&mut self, at_us: u64, event: Event) {
        let (at_ns, in_thread) = (at_us * 1_000, self.depth == 0);
        let stamped = Stamped { at_ns, thread: self.on.id, in_thread, to_switch: self.asked, event };
        self.analysis.event(self.cpu, &stamped);
    }

    pub fn switch(&mut self, at_us: u64, preempted: bool, to: Thread) {
        self.say(at_us, Event::Switch { from: self.on, preempted, to });
        (self.on, self.asked) = (to, false);
    }

    pub fn section(&mut self, from_us: u64, to_us: u64, section: Section, inside: impl FnOnce(&mut Self)) {
        self.say(from_us, Event::Enter(section));
        self.depth += 1;
        inside(self);
        self.say(to_us, Event::Leave(section));
        self.depth -= 1;
    }

    // An interrupt of 10 us that wakes the sleeper in its middle; `asks`: whether it sets need-resched.
    pub fn wakes(&mut self, at_us: u64, asks: bool) {
        self.section(at_us, at_us + 10, Section::Interrupt(Name::new(b"local_timer")), |scene| {
            scene.say(at_us + 5, Event::Waking { thread: sleeper().id });
            scene.asked = asks;
        });
    }

    pub fn sleeps_until(&mut self, expiry_us: u64, then: Thread) {
        self.switch(100, false, sleeper());
        self.say(150, Event::TimerStart { timer: 0xabc, expiry_ns: expiry_us * 1_000, slack_ns: 0 });
        self.switch(160, false, then);
    }

    pub fn fires(&mut self, at_us: u64) {
        self.section(at_us, at_us + 12, Section::Interrupt(Name::new(b"local_timer")), |scene| {
            scene.say(at_us + 2, Event::TimerExpire { timer: 0xabc, function: None });
            scene.say(at_us + 5, Event::Waking { thread: sleeper().id });
            scene.asked = true;
        });
    }

    pub fn lates(self) -> Lates {
        self.analysis.finish().1
    }

    // The only late response; its largest share has this cause, is called so, and is as long within a twentieth.
    pub fn finds(self, cause: Cause, what: &str, truth_us: u64, advice: &str) -> Late {
        assert!(!advice.is_empty(), "any text holds an empty one");
        let (_, lates) = self.analysis.finish();
        assert_eq!(lates.lates.len(), 1, "{:?}", lates.lates);
        let ranked = lates.ranking.ranked();
        let late = lates.lates[0].clone();
        let largest = late.blame.shares[0];
        assert_eq!(largest.cause, cause, "{what}: {:?}", late.blame.shares);
        assert!(phrase(&largest).contains(what), "{what}: {:?}", late.blame.shares);
        let off = largest.ns.abs_diff(truth_us * 1_000);
        assert!(off * 20 <= truth_us * 1_000, "{what}: {} ns of {truth_us} us", largest.ns);
        assert!(cause::advice_of(&ranked[0]).contains(advice), "{what}: {:?}", ranked[0]);
        late
    }
}

#[test]
fn a_thread_of_higher_priority_is_found_and_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(9, ABOVE, "hog"));
    scene.wakes(1_000, false);
    scene.switch(3_000, false, sleeper());
    scene.switch(3_100, false, idle());
    let late = scene.finds(Cause::Interference, "hog (9, real-time 90)", 1_990, "give it a lower priority");
    assert_eq!(late.blame.total(), 1_995_000);
}

// Lines that name a cause or a fix, without what only a recording prints.
fn told_causes(text: &str) -> Vec<String> {
    let rows = text.lines().filter(|row| row.contains(" together, ") || row.starts_with("    fix: "));
    rows.map(|row| row.replace(" over 100.0 us", "")).collect()
}

// An ordinary thread with 5 ms of timer slack: `expires` of `hrtimer_start` is this much after `softexpires`.
#[test]
fn the_kernels_timer_slack_is_no_fault_of_the_machine_below() {
    for then in [idle(), thread(11, ORDINARY, "cc1")] {
        let mut scene = Scene::of(|question| question.whose = Whose::Number(sleeper().id));
        let ordinary = Thread { priority: ORDINARY, ..sleeper() };
        scene.switch(100, false, ordinary);
        scene.say(150, Event::TimerStart { timer: 0xabc, expiry_ns: 1_000_000, slack_ns: 5_000_000 });
        scene.switch(160, false, then);
        scene.fires(6_010);
        scene.switch(6_030, true, ordinary);
        scene.switch(6_100, false, idle());
        let late = scene.finds(Cause::TimerSlack, "timer slack", 5_000, "PR_SET_TIMERSLACK");
        assert_eq!((late.latency_ns, late.blame.shares[0].ns), (5_030_000, 5_000_000));
    }
}

#[test]
fn a_run_ranks_and_advises_as_the_recording_does() {
    let mut scene = Scene::begin();
    scene.switch(100, false, idle());
    for (number, hog) in ["short", "short", "long"].into_iter().enumerate() {
        let (id, at) = (20 + number as i32, 10_000 * (number as u64 + 1));
        scene.switch(at - 500, false, thread(id, ABOVE, hog));
        scene.wakes(at, false);
        scene.switch(at + if hog == "long" { 8_000 } else { 1_000 }, false, sleeper());
        scene.switch(at + 9_000, false, idle());
    }
    let (_, lates) = scene.analysis.finish();
    assert_eq!(lates.late, 3);
    let mut run = crate::sample::tour();
    run.stages.truncate(1);
    run.stages[0].blamed = lates.late;
    run.stages[0].causes = lates.ranking.ranked();
    let run = backwall_model::read(&serde_json::to_string(&run).unwrap()).unwrap();
    let recording = blamed::text(&blamed::LateResponses {
        about: "a scene",
        ranked: &lates.ranking.ranked(),
        lates: &lates,
        begin_ns: 0,
        unit: Unit::Ns,
        span: blamed::WAKING,
    });
    let (of_recording, of_run) = (told_causes(&recording), told_causes(&blamed::of_run(&run, usize::MAX)));
    // The recording knows the numbers of its threads.
    let ranked = |told: &[String]| told.iter().step_by(2).cloned().collect::<Vec<_>>();
    assert_eq!(ranked(&of_run), ranked(&of_recording));
    assert_eq!(of_recording[1], "    fix: run short (20) below the late thread (real-time 50)");
    assert!(recording.contains("chrt -f -p 49 20   # undo: "), "{recording}");
    assert!(of_run[0].starts_with("2 of 3: short (real-time 90)"), "{of_run:#?}");
    assert!(of_run[2].starts_with("1 of 3: long (real-time 90)") && of_run.len() == 4, "{of_run:#?}");
}

#[test]
fn a_burst_of_softirqs_is_found_and_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, idle());
    scene.wakes(1_000, true);
    scene.section(1_012, 2_512, SOFTIRQ_NET_RX, |scene| {
        scene.section(1_500, 1_520, Section::Interrupt(Name::new(b"eth0")), |_| ());
    });
    scene.switch(2_515, false, sleeper());
    scene.switch(2_600, false, idle());
    let late = scene.finds(Cause::Interference, "softirq NET_RX", 1_480, "move its interrupt to another CPU");
    assert!(late.blame.shares.iter().any(|share| phrase(share) == "interrupt eth0" && share.ns == 20_000));
}

#[test]
fn an_interrupt_storm_is_found_and_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, idle());
    scene.wakes(1_000, true);
    for number in 0..100 {
        scene.section(1_011 + number * 10, 1_020 + number * 10, Section::Interrupt(Name::new(b"nvme0q1")), |_| ());
    }
    scene.switch(2_015, false, sleeper());
    scene.switch(2_600, false, idle());
    scene.finds(Cause::Interference, "interrupt nvme0q1", 900, "move the interrupt to another CPU");
}

#[test]
fn a_thread_in_the_kernel_that_cannot_be_preempted_is_found_and_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(11, ORDINARY, "cc1"));
    scene.wakes(1_000, true);
    scene.switch(3_010, true, sleeper());
    scene.switch(3_100, false, thread(11, ORDINARY, "cc1"));
    scene.finds(
        Cause::Blocking,
        "cc1 (11, ordinary) ran kernel code that cannot be preempted",
        2_000,
        "full preemption",
    );
}

#[test]
fn the_holder_of_a_lock_that_inherited_a_priority_is_found_and_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(13, ABOVE, "waiter"));
    // The waiter blocks on the lock: its holder inherits its priority and comes.
    scene.say(200, Event::Inherit { thread: 11, from: ORDINARY, to: ABOVE });
    scene.switch(210, false, thread(11, ABOVE, "holder"));
    scene.wakes(1_000, false);
    scene.switch(2_210, false, sleeper());
    scene.switch(2_300, false, idle());
    scene.finds(Cause::Interference, FROM_WAITER, 1_200, "while it holds the lock");
}

const FROM_WAITER: &str =
    "holder (11, ordinary) ran at real-time 90, inherited through a lock from waiter (13, real-time 90)";

#[test]
fn the_holder_of_a_lock_is_told_with_its_own_priority_where_the_waiter_is_on_another_processor() {
    let (mut scene, holder) = (Scene::begin(), thread(11, ORDINARY, "holder"));
    scene.switch(100, false, holder);
    (scene.cpu, scene.on) = (1, idle());
    scene.switch(200, false, thread(13, ABOVE, "waiter"));
    scene.say(500, Event::Inherit { thread: 11, from: ORDINARY, to: ABOVE });
    (scene.cpu, scene.on) = (0, holder);
    scene.wakes(1_000, false);
    scene.switch(2_210, false, sleeper());
    scene.switch(2_300, false, idle());
    scene.finds(Cause::Interference, FROM_WAITER, 1_200, "while it holds the lock");
}

#[test]
fn a_priority_that_was_given_back_is_no_inherited_one_where_the_thread_has_it_of_its_own() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(13, ABOVE, "waiter"));
    scene.say(200, Event::Inherit { thread: 11, from: ORDINARY, to: ABOVE });
    scene.switch(210, false, thread(11, ABOVE, "holder"));
    scene.say(300, Event::Inherit { thread: 11, from: ABOVE, to: ORDINARY });
    scene.switch(310, true, thread(13, ABOVE, "waiter"));
    scene.switch(400, false, thread(11, ABOVE, "holder"));
    scene.wakes(1_000, false);
    scene.switch(2_210, false, sleeper());
    scene.switch(2_300, false, idle());
    let late = scene.finds(Cause::Interference, "holder (11, real-time 90)", 1_200, "give it a lower priority");
    assert!(!phrase(&late.blame.shares[0]).contains("inherited"), "{:?}", late.blame.shares);
}

#[test]
fn a_thread_that_set_its_own_priority_has_that_one() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(11, ORDINARY, "climber"));
    scene.wakes(1_000, false);
    scene.on = thread(11, ABOVE, "climber");
    scene.switch(2_210, false, sleeper());
    scene.switch(2_300, false, idle());
    scene.finds(Cause::Interference, "climber (11, real-time 90)", 1_200, "lower priority");
}

// Its priority is restored when it leaves, and neither change was recorded.
#[test]
fn a_thread_that_was_raised_for_a_while_is_not_told_that_it_could_not_be_preempted() {
    for (marks, cause, what, advice) in [
        (
            true,
            Cause::Interference,
            "climber (11, ordinary) ran at a raised priority (the recording does not show who raised it)",
            "find what raises it",
        ),
        (false, Cause::Blocking, "climber (11, ordinary) ran kernel code that cannot be preempted", "full preemption"),
    ] {
        let mut scene = Scene::of(|question| question.marks = marks);
        scene.switch(100, false, thread(11, ORDINARY, "climber"));
        scene.wakes(1_000, false);
        scene.switch(2_210, false, sleeper());
        scene.switch(2_300, false, idle());
        scene.finds(cause, what, 1_200, advice);
    }
}

// Its work ends 5 ms after its release; another thread had 1 ms of that, and an interrupt 0.5 ms.
#[test]
fn a_response_that_is_looked_at_to_its_end_has_its_own_run_time() {
    let mut scene = Scene::of(|question| question.to_end = true);
    scene.sleeps_until(1_000, idle());
    scene.fires(1_003);
    scene.switch(1_020, true, sleeper());
    scene.section(2_000, 2_500, Section::Interrupt(Name::new(b"eth0")), |_| ());
    scene.switch(3_000, true, thread(9, ABOVE, "hog"));
    scene.switch(4_000, false, sleeper());
    scene.say(5_900, Event::TimerStart { timer: 0xabc, expiry_ns: 9_000_000, slack_ns: 0 });
    scene.switch(6_000, false, idle());
    let late = scene.finds(Cause::OwnRun, "its own run time", 4_980 - 1_500, "less work");
    let said = |what: &str| late.blame.shares.iter().find(|share| phrase(share).contains(what)).map(|share| share.ns);
    assert_eq!((said("hog"), said("interrupt eth0")), (Some(1_000_000), Some(500_000)), "{:?}", late.blame);
    assert_eq!((late.timed, late.latency_ns, late.blame.total()), (true, 5_000_000, 5_000_000));
}

#[test]
fn a_late_exit_from_idle_is_found() {
    let mut scene = Scene::begin();
    scene.sleeps_until(1_000, idle());
    scene.fires(1_400);
    scene.switch(1_415, true, sleeper());
    scene.switch(1_500, false, idle());
    scene.finds(Cause::IdleExit, "timer interrupt late on an idle CPU", 400, "deep C-states");
}

#[test]
fn an_interrupt_that_was_masked_is_found_and_who_ran_is_named() {
    let mut scene = Scene::begin();
    scene.sleeps_until(1_000, thread(11, ORDINARY, "cc1"));
    scene.fires(1_400);
    scene.switch(1_415, true, sleeper());
    scene.switch(1_500, false, idle());
    scene.finds(
        Cause::Late,
        "the interrupt was late while cc1 (11, ordinary) ran",
        400,
        "interrupts were disabled, or the machine stood still below the kernel",
    );
}

#[test]
fn throttling_is_found_and_who_was_preferred_is_named() {
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(11, ORDINARY, "cc1"));
    scene.wakes(1_000, true);
    scene.switch(1_020, true, thread(12, ORDINARY, "make"));
    scene.switch(51_020, true, sleeper());
    scene.switch(51_100, false, idle());
    scene.finds(
        Cause::Throttling,
        "make (12, ordinary) was preferred by the scheduler (real-time throttling",
        50_000,
        "sched_rt_runtime_us",
    );
}

#[test]
fn a_storm_of_page_faults_that_keeps_a_thread_from_its_next_release_is_found() {
    let mut scene = Scene::begin();
    scene.switch(100, false, sleeper());
    (0..400).for_each(|number| scene.say(1_000 + number * 5, Event::PageFault));
    scene.say(3_000, Event::TimerStart { timer: 0xabc, expiry_ns: 1_000_000, slack_ns: 0 });
    scene.fires(3_005);
    scene.switch(3_100, false, idle());
    let late = scene.finds(Cause::PageFault, "a page fault of the thread", 2_000, "mlockall");
    assert_eq!((late.timed, late.blame.total()), (true, late.latency_ns));
}

// The sleeper waits for an ordinary thread's lock, while a third thread has the CPU for 5 ms.
fn inverted(asks: impl FnOnce(&mut Scene)) -> Scene {
    let holder = thread(11, ORDINARY, "holder");
    let mut scene = Scene::begin();
    scene.switch(100, false, holder);
    scene.wakes(1_000, true);
    scene.switch(1_012, true, sleeper());
    asks(&mut scene);
    scene.switch(1_040, false, holder);
    scene.switch(1_100, true, thread(12, 79, "middle"));
    scene.section(3_000, 3_050, Section::Interrupt(Name::new(b"eth0")), |_| ());
    scene.switch(6_150, false, holder);
    scene.say(6_200, Event::Waking { thread: sleeper().id });
    scene.switch(6_205, true, sleeper());
    scene.switch(6_300, false, idle());
    scene
}

#[test]
fn the_holder_of_a_lock_without_inheritance_and_who_ran_between_are_found_and_named() {
    let scene = inverted(|scene| scene.say(1_030, Event::Futex { locks: true }));
    let late = scene.finds(Cause::Inversion,
        "middle (12, real-time 20) ran while holder (11, ordinary) held the lock that the thread waited for (priority inversion)",
        5_000,
        "PTHREAD_PRIO_INHERIT",
    );
    assert_eq!((late.blame.total(), late.latency_ns, late.locked), (5_165_000, 5_165_000, true));
    let held = late.blame.shares.iter().find(|share| phrase(share).starts_with("holder (11, ordinary) held the lock"));
    assert_eq!(held.map(|share| share.ns), Some(110_000), "{:?}", late.blame.shares);
    assert!(late.blame.shares.iter().any(|share| phrase(share) == "interrupt eth0" && share.ns == 50_000));
}

#[test]
fn who_ran_with_a_lent_priority_while_another_lock_was_waited_for_is_told_with_its_lender() {
    let (mut scene, holder) = (Scene::begin(), thread(21, ORDINARY, "other"));
    scene.switch(100, false, thread(13, ABOVE, "waiter"));
    scene.say(200, Event::Inherit { thread: 11, from: ORDINARY, to: ABOVE });
    scene.switch(210, false, holder);
    scene.wakes(1_000, true);
    scene.switch(1_012, true, sleeper());
    scene.say(1_030, Event::Futex { locks: true });
    scene.switch(1_040, false, holder);
    scene.switch(1_100, true, thread(11, ABOVE, "holder"));
    scene.switch(6_150, false, holder);
    scene.say(6_200, Event::Waking { thread: sleeper().id });
    scene.switch(6_205, true, sleeper());
    scene.switch(6_300, false, idle());
    scene.finds(Cause::Interference, FROM_WAITER, 5_050, "while it holds the lock");
}

#[test]
fn a_call_that_waits_for_no_lock_makes_no_holder() {
    for scene in [inverted(|scene| scene.say(1_030, Event::Futex { locks: false })), inverted(|_| ())] {
        let (_, lates) = scene.analysis.finish();
        assert_eq!((lates.responses, lates.late), (2, 0));
    }
}

#[test]
fn the_holder_of_a_lock_that_passes_priority_on_is_found_on_another_processor_too() {
    let holder = thread(11, ORDINARY, "holder");
    let mut scene = Scene::begin();
    scene.cpu = 1;
    let on_first = std::mem::replace(&mut scene.on, idle());
    scene.switch(100, false, holder);
    (scene.cpu, scene.on) = (0, on_first);
    scene.wakes(1_000, true);
    scene.switch(1_012, false, sleeper());
    scene.say(1_030, Event::Inherit { thread: holder.id, from: ORDINARY, to: LATE });
    scene.switch(1_040, false, idle());
    (scene.cpu, scene.on) = (1, holder);
    scene.section(2_000, 2_500, SOFTIRQ_NET_RX, |_| ());
    scene.say(5_000, Event::Waking { thread: sleeper().id });
    (scene.cpu, scene.on) = (0, idle());
    scene.switch(5_010, true, sleeper());
    scene.switch(5_100, false, idle());
    let late = scene.finds(
        Cause::LockHeld,
        "held the lock that the thread waited for",
        3_460,
        "shorten the work that it does",
    );
    assert_eq!(late.blame.total(), 3_970_000);
    assert!(late.blame.shares.iter().any(|share| phrase(share).contains("NET_RX") && share.ns == 500_000));
}
