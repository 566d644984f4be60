// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of events that tell more of a cause than who ran: each is named with what else is known.
use crate::known_causes::{ORDINARY, Scene, idle, phrase, sleeper, thread};
use backwall::trace::event::{Event, Section};
use backwall::trace::function::Function;

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
    let what = "kworker/0:1 (11, ordinary), at work on drm_fb_helper_damage_work, could not be preempted";
    scene.finds(what, 2_000, "/sys/devices/virtual/workqueue/cpumask");
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
    let late = scene.finds("kworker/0:1 (11, ordinary) could not be preempted", 2_000, "full preemption");
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
    scene.finds("softirq TIMER, most of it in the timer function neigh_periodic_timer", 1_500, "its function tells");
}
