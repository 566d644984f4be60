// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of the applications with shipped recipes, as observed or documented.
use super::*;
use crate::shipped;
use std::path::PathBuf;

fn thread(process: i32, id: i32, name: &str, real_time: u32) -> Thread {
    let (name, folder) = (name.to_string(), PathBuf::new());
    Thread { id, process, parent: 1, name, real_time, state: 'S', flags: 0, began: 0, folder }
}

fn process(id: i32, words: &[&str], threads: &[(&str, u32)]) -> Process {
    let threads: Vec<Thread> =
        (id..).zip(threads).map(|(number, (name, real_time))| thread(id, number, name, *real_time)).collect();
    let words = words.iter().map(|word| word.to_string()).collect();
    Process { id, name: threads[0].name.clone(), words, threads, is_fresh_copy: false }
}

fn machine() -> Vec<Process> {
    vec![
        process(
            100,
            &["rtapi_app"],
            &[("rtapi_app", 0), ("rtapi_app:mesg", 0), ("rtapi_app:T#0", 80), ("rtapi_app:T#1", 79)],
        ),
        process(200, &["jackd", "-R"], &[("jackd", 0), ("jackd", 0), ("jackd", 0), ("jackd", 70)]),
        process(300, &["pipewire"], &[("pipewire", 0), ("data-loop.0", 88)]),
        process(
            400,
            &["/usr/bin/python3", "/opt/klipper/klippy/klippy.py", "printer.cfg"],
            &[("python3", 0), ("python3", 0)],
        ),
        process(500, &["ros2_control_node"], &[("ros2_control_no", 0), ("ros2_control_no", 50)]),
        process(600, &["./simple_test", "eth0"], &[("simple_test", 80)]),
        process(700, &["franka_loop"], &[("franka_loop", 0), ("franka_loop", 98)]),
        process(800, &["qemu-system-x86_64"], &[("qemu-system-x86", 0), ("CPU 0/KVM", 0), ("CPU 1/KVM", 0)]),
        process(900, &["/usr/bin/python3", "other.py"], &[("python3", 0)]),
    ]
}

#[test]
fn each_shipped_recipe_finds_the_threads_of_its_application_and_no_other() {
    let numbers = |name: &str| {
        let recipe = shipped().into_iter().find(|recipe| recipe.name == name).unwrap();
        let found = found(&recipe, &machine());
        (found.threads.iter().map(|thread| thread.id).collect::<Vec<_>>(), found.ordinary)
    };
    for (name, threads, ordinary) in [
        ("linuxcnc", vec![102, 103], false),
        ("jack", vec![203], false),
        ("pipewire", vec![301], false),
        ("klipper", vec![400, 401], true),
        ("ros2_control", vec![501], false),
        ("ethercat", vec![600], false),
        ("franka", vec![701], false),
        ("kvm", vec![801, 802], true),
    ] {
        assert_eq!(numbers(name), (threads, ordinary), "{name}");
    }
}

#[test]
fn an_application_without_real_time_threads_is_watched_by_its_first_and_told() {
    let recipe = shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap();
    let refused = process(200, &["jackd"], &[("jackd", 0), ("jackd", 0)]);
    let found = found(&recipe, &[refused]);
    assert_eq!((found.threads.len(), found.threads[0].id, found.ordinary), (1, 200, true));
    assert_eq!(super::found(&recipe, &[]).processes, 0);
    assert!(!super::found(&recipe, &[]).ordinary);
}

// Until a forked child becomes another program, it has its parent's name and command line.
#[test]
fn a_copy_that_is_to_become_another_program_is_not_the_application_and_a_worker_is() {
    let recipe = shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap();
    let maker = process(200, &["jackd"], &[("jackd", 0)]);
    let mut copy = process(210, &["jackd"], &[("jackd", 0)]);
    copy.threads[0].parent = 200;
    let ids = |copy: &Process| {
        let found = found(&recipe, &[maker.clone(), copy.clone()]);
        found.threads.iter().map(|thread| thread.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&copy), [200, 210], "a worker");
    copy.is_fresh_copy = true;
    assert_eq!(ids(&copy), [200]);
    copy.threads[0].parent = 1;
    assert_eq!(ids(&copy), [200, 210], "a daemon that has left its maker");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a machine of files is made for it")]
fn a_copy_is_fresh_for_a_second() {
    let proc = tempfile::tempdir().unwrap();
    let task = proc.path().join("7/task/7");
    std::fs::create_dir_all(&task).unwrap();
    let is_fresh = |flags: u64, uptime: &str| {
        // The process began at 50.00 s.
        let stat = format!("7 (one) S 1 0 0 0 0 {flags} {}5000 {}0 0 0\n", "0 ".repeat(12), "0 ".repeat(17));
        std::fs::write(task.join("stat"), stat).unwrap();
        std::fs::write(proc.path().join("uptime"), uptime).unwrap();
        process_of(proc.path(), 7).unwrap().is_fresh_copy
    };
    assert!(is_fresh(0x40, "50.99 1.0\n"));
    assert!(!is_fresh(0x40, "51.00 1.0\n"), "it is a worker");
    assert!(!is_fresh(0x0, "50.10 1.0\n"), "it is a program of its own");
    assert!(!is_fresh(0x40, ""), "when it began is not known");
}

#[test]
fn the_processes_of_this_machine_have_names_words_and_threads() {
    let all = processes(Path::new("/proc"));
    let first = all.iter().find(|process| process.id == 1);
    assert!(first.is_some_and(|process| !process.name.is_empty() && !process.threads.is_empty()));
    let own = std::process::id() as i32;
    assert!(all.iter().all(|process| process.id != own));
}

// The repeated search by names finds what a full search finds, and reads nothing else.
#[test]
#[expect(clippy::disallowed_methods, reason = "a machine of files is made for it")]
fn by_names_alone_no_process_is_missed_that_a_recipe_means() {
    let proc = tempfile::tempdir().unwrap();
    for process in machine() {
        let folder = proc.path().join(process.id.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("comm"), format!("{}\n", process.name)).unwrap();
        std::fs::write(folder.join("cmdline"), process.words.join("\0")).unwrap();
        for thread in &process.threads {
            let task = folder.join(format!("task/{}", thread.id));
            std::fs::create_dir_all(&task).unwrap();
            std::fs::write(task.join("comm"), format!("{}\n", thread.name)).unwrap();
            let (zeros, policy) = ("0 ".repeat(35), u32::from(thread.real_time > 0));
            let stat = format!("{} ({}) S 1 {zeros}{} {policy} 0\n", thread.id, thread.name, thread.real_time);
            std::fs::write(task.join("stat"), stat).unwrap();
        }
    }
    let mut recipes = shipped();
    let by_thread = "name = \"t\"\nabout = \"a\"\ncalled = \"c\"\nlate = \"l\"\nthread = [\"CPU *\"]\n";
    recipes.push(Recipe::parse(by_thread).unwrap());
    recipes.push(Recipe::parse(&by_thread.replace("thread = [\"CPU *\"]", "command = [\"other.py\"]")).unwrap());
    for recipe in recipes {
        let ids = |all: &[Process]| found(&recipe, all).threads.iter().map(|thread| thread.id).collect::<Vec<_>>();
        let few = meant(&recipe, proc.path());
        let mut found = ids(&few);
        found.sort_unstable();
        assert_eq!(found, ids(&machine()), "{}", recipe.name);
        assert!(!found.is_empty() && (few.len() < machine().len() || recipe.process.is_empty()), "{}", recipe.name);
    }
    assert!(process_of(proc.path(), 300).is_some_and(|one| one.name == "pipewire" && one.threads.len() == 2));
    assert!(process_of(proc.path(), 301).is_none());
}

#[test]
fn a_process_is_called_by_its_thread_its_executable_and_its_script() {
    let called = |comm: &str, executable: &str, words: &[&str], wanted: &str| {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        names(comm, Some(executable), &words).contains(wanted)
    };
    for wanted in ["victim", "armloop"] {
        assert!(called("victim", "armloop", &["./armloop"], wanted), "{wanted}");
    }
    for words in [&["python3", "loop.py", "1"][..], &["/usr/bin/python3", "-u", "/srv/loop.py"]] {
        assert!(called("python3", "python3.11", words, "loop.py"), "{words:?}");
        assert!(called("python3", "python3.11", words, "python3"), "{words:?}");
    }
    assert!(!called("python3", "python3.11", &["python3", "-c", "loop.py"], "loop.py"), "no script");
    assert!(!called("cat", "cat", &["cat", "loop.py"], "loop.py"), "no interpreter");
    assert!(called("a", "gone (deleted)", &["x/b"], "gone") && called("a", "gone (deleted)", &["x/b"], "b"));
    assert!(!called("a", "", &[""], ""));
}

#[test]
fn what_a_process_has_started_is_no_second_application() {
    let mut all =
        vec![process(10, &["x"], &[("x", 0)]), process(20, &["x"], &[("x", 0)]), process(30, &["x"], &[("x", 0)])];
    all.iter_mut().for_each(|process| process.threads[0].parent = 1);
    all[1].threads[0].parent = 10;
    assert_eq!(roots(&all).iter().map(|process| process.id).collect::<Vec<_>>(), [10, 30]);
    assert_eq!(roots(&all[..2]).len(), 1);
}
