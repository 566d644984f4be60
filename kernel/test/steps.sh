# SPDX-License-Identifier: MIT OR Apache-2.0
# The steps that are the same on each machine. The scripts that test the kernel on a machine read this file. Such a script sets `folder`
# and the names of the two images, `kernel` and `image`. It also defines two functions that start them:
#   machine EXPECTED-EXIT-CODE KERNEL COMMAND QEMU-ARGUMENTS...           starts the kernel; its serial line is written to $folder/log
#   process_machine EXPECTED-EXIT-CODE FOLDER COMMAND QEMU-ARGUMENTS...   starts the image with processes, and their programs, likewise

processes() { process_machine 33 "$@"; }

# self_tests SETTINGS...: runs the self-test with each of the settings.
self_tests() {
    for settings in "$@"; do
        result=0
        machine 33 "$kernel" "$settings selftest" && says ", 0 failed," || result=1
        report $result "self-test, settings '${settings:-none}'$on"
    done
}

# of_other FOLDER: runs the self-test and processes on the images of another compiler, if there are any.
of_other() {
    [ -n "$1" ] || return 0
    result=0
    machine 33 "$1/${kernel##*/}" selftest && says ", 0 failed," || result=1
    report $result "self-test of $1/${kernel##*/}"
    result=0
    processes "$1" processes && says ", 0 failed;" || result=1
    report $result "processes of $1"
}

hostile_programs() {
    result=0
    machine 33 "$kernel" hostile && says " tried, 0 wrong" || result=1
    report $result "hostile programs get error codes$on"
}

# process_tests FOLDER SETTINGS...: runs the tests of processes with each of the settings.
process_tests() {
    where=$1
    shift
    for settings in "$@"; do
        result=0
        processes "$where" "${settings}processes" && says ", 0 failed;" || result=1
        report $result "processes, settings '${settings:-none}'$on"
    done
}

# panics WAY...: checks that the panic of each kind of crash names the function and the thread.
panics() {
    for way in "$@"; do
        result=0
        machine 35 "$kernel" "crash $way" && says "panic: crash_$way: " && says "thread crash_$way " || result=1
        report $result "crash $way: the panic names function and thread"
    done
    result=0
    machine 35 "$kernel" "crash stack" && says "panic: crash_stack: this thread's stack has overflowed" || result=1
    report $result "a stack overflow causes a panic"
}

# process_steps FOLDER: processes start and end, inherit priorities, and make random calls. The output about the pool of page tables is
# stored in $folder/tables.
process_steps() {
    result=0
    churned=$([ -n "${LONG:-}" ] && echo 2000 || echo 500)
    processes "$1" "process_churn $churned" && says "churn: $churned processes made and ended of $churned, pages 2048 of 2048 free" || result=1
    report $result "$churned processes start and end, and no page is lost (10,000: make soak)"

    result=0
    for pool in 15 513; do
        process_machine 35 "$1" "process_tables $pool" && says "$pool, is not from 16 to 512" || result=1
    done
    processes "$1" "process_tables 512" && says "takes 4 of the pool and fills 0 with zeros" && says "512 of 512 tables and 2048 of 2048 pages free" || result=1
    cp "$folder/log" "$folder/tables"
    report $result "the pool accepts 16 to 512 page tables, and tables come from the pool first"

    result=0
    processes "$1" "trail=1 start objects boosts" && says " moves to f9" && says " moves to fd" || result=1
    report $result "an owner of priority 253 inherits 249 from a waiter in another process; the trail shows both changes"

    result=0
    calls=$([ -n "${LONG:-}" ] && echo 200000 || echo 50000)
    processes "$1" "process_fuzz $calls" && says ", coalesced 0" && says "pages 2048 of 2048 free" || result=1
    report $result "$calls random system calls from user mode; no interrupt of 1 kHz is lost meanwhile"

    result=0
    process_machine 35 "$1" "process_fuzz 50000 stops" &&
        says "interrupts 20 in " && says "answered 20, coalesced 0: those that were due did not come" || result=1
    report $result "the random system calls report a failure if the interrupt stops"
}

# model_holds WHAT: checks the latency model, and stores its predictions in $folder/model.
model_holds() {
    result=0
    machine 33 "$kernel" model && says "model: all predictions hold" && cp "$folder/log" "$folder/model" || result=1
    report $result "the latency model holds for every instant tried$1"
}

# figures_of LOG: prints the log's lines with figures.
figures_of() { tr -d '\r' <"$1" | grep '^figure '; }

# figures_hold FOLDER PROGRAM...: checks that every figure meets its goal. With LONG, it also checks the goals while the kernel's tables are
# full, the documented figures and predictions, and the documented figures of settings, which the given programs measure.
figures_hold() {
    where=$1
    shift
    result=0
    machine 33 "$kernel" figures && cp "$folder/log" "$folder/figures" || result=1
    processes "$where" process_figures && cp "$folder/log" "$folder/process_figures" || result=1
    report $result "every figure meets its goal, also those of processes$on"
    [ -z "${LONG:-}" ] || documented_figures_hold "$@"
    result=0
    processes "$where" figures && figures_of "$folder/log" >"$folder/beside" || result=1
    figures_of "$folder/figures" | cmp -s - "$folder/beside" || result=1
    report $result "after a process has run, every figure of the kernel's own is the same to the instruction$on"
}

documented_figures_hold() {
    result=0
    cat "$folder/model" "$folder/figures" "$folder/tables" "$folder/process_figures" >"$folder/logs"
    for program in extremes "$@"; do
        machine 33 "$kernel" "$program" && cat "$folder/log" >>"$folder/logs" || result=1
    done
    for program in process_sweep "process_tables 16" "process_tables 16 held"; do
        processes "$where" "$program" && cat "$folder/log" >>"$folder/logs" || result=1
    done
    report $result "every figure meets its goal with the kernel's tables full$on"
    result=0
    cat "$(dirname "$0")"/../../docs/evidence/detent*.md >"$folder/document"
    "$(dirname "$0")/claims.sh" "$kernel" "$where/$image" "$folder/logs" "$folder/document" >"$folder/log" 2>&1 || result=1
    report $result "the figures and predictions in docs/evidence/detent.md equal the kernel's$on"
}
