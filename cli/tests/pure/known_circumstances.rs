// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event streams that show more of a cause than the thread that ran: each is named with all that is known.
use crate::known_causes::{ORDINARY, Scene, idle, phrase, sleeper, thread};
use backwall_model::Cause;
use backwall_trace::event::function::Function;
use backwall_trace::event::{Event, Group, Name, Section, Signal};

const SOFTIRQ_TIMER: Section = Section::Softirq(1);

fn function(name: &str) -> Option<Function> {
    Some(Function::named(name))
}

#[test]
fn the_work_of_a_thread_of_the_kernel_is_named_whatever_interrupts_it() {
    let worker = thread(11, ORDINARY, "kworker/0:1");
    let mut scene = Scene::begin();
    scene.switch(100, false, worker);
    scene.say(110, Event::Work { function: function("short_work") });
    scene.say(120, Event::WorkEnd);
    scene.say(130, Event::Work { function: function("drm_fb_helper_damage_work") });
    scene.wakes(1_000, true);
    scene.switch(3_010, true, sleeper());
    scene.switch(3_100, false, idle());
    let what =
        "kworker/0:1 (11, ordinary), at work on drm_fb_helper_damage_work, ran kernel code that cannot be preempted";
    scene.finds(Cause::Blocking, what, 2_000, "/sys/devices/virtual/workqueue/cpumask");
}

#[test]
fn work_that_has_been_done_and_work_of_another_thread_are_not_named() {
    let worker = thread(11, ORDINARY, "kworker/0:1");
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(12, ORDINARY, "kworker/0:2"));
    scene.say(110, Event::Work { function: function("its_own") });
    scene.switch(120, true, worker);
    scene.say(130, Event::Work { function: function("done") });
    scene.say(140, Event::WorkEnd);
    scene.wakes(1_000, true);
    scene.switch(3_010, true, sleeper());
    scene.switch(3_100, false, idle());
    let late = scene.finds(
        Cause::Blocking,
        "kworker/0:1 (11, ordinary) ran kernel code that cannot be preempted",
        2_000,
        "full preemption",
    );
    assert!(late.blame.shares.iter().all(|share| !phrase(share).contains("at work on")), "{:?}", late.blame.shares);
}

#[test]
fn the_function_of_a_coarse_timer_is_named_that_a_softirq_went_to() {
    let mut scene = Scene::begin();
    scene.switch(100, false, idle());
    scene.wakes(1_000, true);
    scene.section(1_012, 2_512, SOFTIRQ_TIMER, |scene| {
        scene.say(1_020, Event::CoarseTimer { function: function("delayed_work_timer_fn") });
        scene.say(1_030, Event::CoarseTimer { function: function("neigh_periodic_timer") });
    });
    scene.switch(2_515, false, sleeper());
    scene.switch(2_600, false, idle());
    scene.finds(
        Cause::Interference,
        "softirq TIMER, most of its time in the timer function neigh_periodic_timer",
        1_500,
        "its function shows",
    );
}

// The sleeper is held while it sleeps: it is woken, leaves again, and sets the same timer anew when it is resumed. The kernel
// reports the signal that ends a stop just after the waking, and the thawing just before it.
fn held(begins: Event, ends: Event) -> Scene {
    let (hand, other) = (thread(11, ORDINARY, "hand"), thread(12, ORDINARY, "other hand"));
    let mut scene = Scene::begin();
    scene.sleeps_until(1_000, hand);
    scene.say(500, begins);
    scene.say(501, Event::Waking { thread: sleeper().id });
    scene.switch(510, true, sleeper());
    scene.switch(520, false, other);
    let thaws = matches!(ends, Event::Freezes { .. });
    scene.say(8_999 + u64::from(!thaws) * 2, ends);
    scene.say(9_000, Event::Waking { thread: sleeper().id });
    scene.switch(9_010, true, sleeper());
    scene.say(9_020, Event::TimerStart { timer: 0xabc, expiry_ns: 1_000_000, slack_ns: 0 });
    scene.fires(9_025);
    scene.switch(9_100, false, idle());
    scene
}

#[test]
fn who_stopped_a_thread_is_named_and_who_let_it_go_on() {
    let signal = |signal| Event::Signalled { thread: sleeper().id, signal };
    let what = "the thread was stopped by hand (11, ordinary), until other hand (12, ordinary) resumed it";
    held(signal(Signal::Stops), signal(Signal::Continues)).finds(Cause::Stopped, what, 8_010, "SIGSTOP");
    let unseen = "the thread was stopped (by whom was not recorded), until other hand (12, ordinary) resumed it";
    held(signal(Signal::Other), signal(Signal::Continues)).finds(Cause::Stopped, unseen, 8_010, "SIGSTOP");
    let neither = "the thread was not waiting for its timer (stopped, frozen, or held up elsewhere) until other hand";
    held(signal(Signal::Stops), signal(Signal::Other)).finds(
        Cause::NotWaiting,
        neither,
        8_010,
        "the thread that resumed it shows why it waited",
    );
}

#[test]
fn who_froze_the_group_of_a_thread_is_named_with_the_group() {
    let freezes = |on| Event::Freezes { group: Group::named("/jobs/servo"), on };
    let what =
        "its control group /jobs/servo was frozen by hand (11, ordinary), until other hand (12, ordinary) resumed it";
    held(freezes(true), freezes(false)).finds(Cause::Frozen, what, 8_010, "cgroup.freeze");
}

#[test]
fn a_page_that_a_thread_sleeps_for_is_found_where_that_keeps_it_from_its_next_release() {
    let mut scene = Scene::begin();
    scene.switch(100, false, sleeper());
    scene.say(500, Event::PageFault);
    scene.switch(510, false, idle());
    scene.section(8_500, 8_510, Section::Interrupt(Name::new(b"nvme0q1")), |scene| {
        scene.say(8_505, Event::Waking { thread: sleeper().id });
    });
    scene.switch(8_515, true, sleeper());
    scene.say(8_520, Event::TimerStart { timer: 0xabc, expiry_ns: 1_000_000, slack_ns: 0 });
    scene.fires(8_525);
    scene.switch(8_600, false, idle());
    // The sleep is a response of its own, and the release that came due in it is late because of the same page.
    let lates = scene.lates();
    let told =
        lates.lates.iter().map(|late| (late.timed, phrase(&late.blame.shares[0]), late.blame.shares[0].ns / 1_000));
    let page = "a page fault of the thread".to_string();
    assert_eq!(told.collect::<Vec<_>>(), [(false, page.clone(), 7_995), (true, page, 7_505)]);
    assert!(lates.lates.iter().all(|late| late.blame.total() == late.latency_ns), "{:?}", lates.lates);
}

// Machine events, then the thread's way to a CPU that is idle or has a kernel thread.
fn changed(changes: &[Event], first: Option<&str>) -> Scene {
    let mut scene = Scene::begin();
    scene.switch(100, false, idle());
    for (number, change) in changes.iter().enumerate() {
        scene.say(200 + number as u64, *change);
    }
    scene.wakes(1_000, true);
    if let Some(name) = first {
        scene.switch(1_011, false, thread(21, 0, name));
    }
    scene.switch(3_010, false, sleeper());
    scene.switch(3_100, false, idle());
    scene
}

#[test]
fn a_processor_that_goes_off_line_or_comes_back_is_named_where_it_stops_the_others() {
    let step = |down| Event::Plugs { cpu: 3, down };
    let what = "CPU 3 went offline (migration/0 (21, real-time 99) ran for that)";
    changed(&[step(Some(true))], Some("migration/0")).finds(Cause::Hotplug, what, 2_000, "all CPUs stop");
    let what = "CPU 3 came online (migration/0 (21, real-time 99) ran for that)";
    changed(&[step(Some(false)), step(None), step(Some(false))], Some("migration/0")).finds(
        Cause::Hotplug,
        what,
        2_000,
        "cpuN/online",
    );
    let over = [step(Some(true)), step(None)];
    changed(&over, Some("migration/0")).finds(
        Cause::Interference,
        "migration/0 (21, real-time 99)",
        2_000,
        "lower priority",
    );
    changed(&[step(Some(true))], Some("hog")).finds(
        Cause::Interference,
        "hog (21, real-time 99)",
        2_000,
        "lower priority",
    );
}

#[test]
fn who_carries_out_the_steps_of_a_processor_that_goes_is_named_with_it() {
    let step = Event::Plugs { cpu: 3, down: Some(true) };
    let what = "CPU 3 went offline (hog (21, real-time 99) ran for that)";
    let mut scene = Scene::begin();
    scene.switch(100, false, thread(21, 0, "hog"));
    scene.say(200, step);
    scene.switch(300, false, idle());
    scene.wakes(1_000, true);
    scene.switch(1_011, false, thread(21, 0, "hog"));
    scene.switch(3_010, false, sleeper());
    scene.switch(3_100, false, idle());
    scene.finds(Cause::Hotplug, what, 2_000, "all CPUs stop");
}

#[test]
fn a_lowered_frequency_is_named_where_the_time_went_to_the_own_way() {
    let runs_at = |cpu, khz| Event::Frequency { cpu, khz };
    let cools = |on| Event::Cools { what: Function::named("Processor"), on };
    let lowered = [runs_at(0, 3_400_000), runs_at(0, 800_000)];
    let what = "its own wakeup path and run time at 800 MHz of 3,400 MHz";
    changed(&lowered, None).finds(Cause::Frequency, what, 2_000, "the governor performance");
    let limited = [lowered[0], Event::FrequencyLimit { cpu: 0, khz: 800_000 }, lowered[1]];
    changed(&limited, None).finds(Cause::Frequency, "MHz of 3,400 MHz, the highest allowed", 2_000, "raise that limit");
    let cooled = [lowered[0], cools(true), lowered[1]];
    changed(&cooled, None).finds(
        Cause::Cooling,
        "of 3,400 MHz, while the machine slowed down to cool",
        2_000,
        "/sys/class/thermal",
    );
    let cooled_before = [lowered[0], cools(true), lowered[1], cools(false)];
    changed(&cooled_before, None).finds(Cause::Frequency, what, 2_000, "the governor performance");
    for untold in
        [&lowered[1..], &[runs_at(0, 3_400_000), runs_at(0, 2_800_000)], &[runs_at(1, 3_400_000), runs_at(1, 800_000)]]
    {
        changed(untold, None).finds(Cause::Dispatch, "the kernel's own wakeup path", 2_000, "a faster CPU");
    }
    changed(&lowered, Some("hog")).finds(Cause::Interference, "hog (21, real-time 99)", 2_000, "lower priority");
}
